import test from 'ava';
import { KeptPlans, type KnownTables, type PlanOrigin } from '../../../src/pipelines/statements/kept-plans.js';
import { parseStatement } from '../../../src/sql/parser/statement.js';
import type { QueryPlan } from '../../../src/sql/plan/query.js';
import { tableOf } from '../../support/blocks/blocks.js';

const request = {
  database: 'd',
  connectionZone: undefined,
  timeZone: 'UTC',
  keyed: false,
  rowLimit: -1,
};
const origin: PlanOrigin = { user: 'root', position: 7, request };
const plan: QueryPlan = { sql: 'SELECT 1', settings: '', meta: [], hasFewRows: true, rowsToHold: 0, isTimeless: true };
const whole: KnownTables = {
  isReadable: () => true,
  isLarge: () => false,
  hasShortSeries: () => false,
  hasFewSeries: () => false,
  uniqueRows: () => undefined,
};

/** A plan that is the same at any time. */
function latestPlan(plans: KeptPlans, ...asked: Parameters<KeptPlans['latest']>): QueryPlan | undefined {
  const kept = plans.latest(...asked);
  return kept?.isTimeless === true ? kept : undefined;
}

function query() {
  const statement = parseStatement('SELECT 1');
  if (statement.kind !== 'query') throw new Error('It is a query.');
  return statement.query;
}

test('a plan is found again for the same user, request and catalogue alone', (t) => {
  const plans = new KeptPlans();
  const asked = query();
  plans.keep(asked, 'SELECT 1', origin, plan, [], whole);
  t.is(latestPlan(plans, asked, 'SELECT 1', { ...origin, request: { ...request } }, whole), plan);
  t.is(latestPlan(plans, query(), 'SELECT 1', origin, whole), undefined);
  t.is(latestPlan(plans, asked, 'SELECT 1', { ...origin, user: 'other' }, whole), undefined);
  t.is(latestPlan(plans, asked, 'SELECT 1', { ...origin, position: 8 }, whole), undefined);
  const others = [
    { database: 'e' },
    { connectionZone: 'UTC' },
    { timeZone: 'Asia/Tokyo' },
    { keyed: true },
    { rowLimit: 0 },
  ];
  for (const other of others) {
    t.is(
      latestPlan(plans, asked, 'SELECT 1', { ...origin, request: { ...request, ...other } }, whole),
      undefined,
      JSON.stringify(other),
    );
  }
});

test('a plan holds while its tables are readable, and as large as they were', (t) => {
  const plans = new KeptPlans();
  const asked = query();
  plans.keep(asked, 'SELECT 1', origin, plan, [tableOf('m', {})], whole);
  t.is(latestPlan(plans, asked, 'SELECT 1', origin, whole), plan);
  t.is(latestPlan(plans, asked, 'SELECT 1', origin, { ...whole, isReadable: () => false }), undefined);
  t.is(latestPlan(plans, asked, 'SELECT 1', origin, { ...whole, isLarge: () => true }), undefined);
  t.is(latestPlan(plans, asked, 'SELECT 1', origin, { ...whole, hasShortSeries: () => true }), undefined);
  t.is(latestPlan(plans, asked, 'SELECT 1', origin, { ...whole, hasFewSeries: () => true }), undefined);
  const unique = { insert: 1, from: undefined, until: undefined, isAll: true, parts: [] };
  t.is(latestPlan(plans, asked, 'SELECT 1', origin, { ...whole, uniqueRows: () => unique }), undefined);
});

/** A question about the rows of a single series after a time, and its plan for the first of those times. */
function asked(time: number, table = 'd') {
  const text = `SELECT MAX(a) FROM ${table} WHERE ts > ${time}`;
  const statement = parseStatement(text);
  if (statement.kind !== 'query') throw new Error('It is a query.');
  return [statement.query, text] as const;
}
const light: QueryPlan = {
  ...plan,
  sql: 'SELECT max(a) FROM t AS t1 WHERE greater(t1.ts, 1700000000000)',
  series: [{ database: 'd', table: 'm', id: 1n }],
  reading: { precision: 'ms', zone: 'UTC' },
};

test('a plan of single series holds without a look at which rows are unique', (t) => {
  const plans = new KeptPlans();
  const counting = { ...whole, uniqueRows: () => t.fail() as never };
  const [question, text] = asked(1700000000000);
  plans.keep(question, text, origin, light, [tableOf('m', {})], counting);
  t.is(plans.latest(question, text, origin, counting), light);
  t.truthy(plans.latest(...asked(1700000600000), origin, counting));
});

test('a plan of a single series is found for other times, as long as it holds', (t) => {
  const plans = new KeptPlans();
  plans.keep(...asked(1700000000000), origin, light, [tableOf('m', {})], whole);
  const later = asked(1700000600000);
  const moved = latestPlan(plans, ...later, origin, whole);
  t.is(moved?.sql, 'SELECT max(a) FROM t AS t1 WHERE greater(t1.ts, 1700000600000)');
  t.is(latestPlan(plans, ...later, origin, whole), moved);
  t.is(latestPlan(plans, ...asked(1700000700000), { ...origin, user: 'other' }, whole), undefined);
  t.is(latestPlan(plans, ...asked(1700000700000), { ...origin, position: 8 }, whole), undefined);
  t.is(latestPlan(plans, ...asked(1700000700000), origin, { ...whole, isReadable: () => false }), undefined);
  // One that times may decide about is made anew.
  plans.keep(...asked(1700000000000), { ...origin, user: 'other' }, { ...light, reading: undefined }, [], whole);
  t.is(latestPlan(plans, ...asked(1700000700000), { ...origin, user: 'other' }, whole), undefined);
});

test('plans for other times are the last thousand, and none that is not the same at any time', (t) => {
  const plans = new KeptPlans();
  for (let i = 0; i <= 1000; i++) plans.keep(...asked(1700000000000, `d${i}`), origin, light, [], whole);
  t.is(latestPlan(plans, ...asked(1700000600000, 'd0'), origin, whole), undefined);
  t.truthy(latestPlan(plans, ...asked(1700000600000, 'd1'), origin, whole));
  plans.keep(...asked(1700000000000, 'past'), origin, { ...light, isTimeless: false }, [], whole);
  t.is(plans.latest(...asked(1700000600000, 'past'), origin, whole), undefined);
});

test('a plan of another time tells what a query reads, and is no plan of now', (t) => {
  const plans = new KeptPlans();
  const asked = query();
  const ofThen = { ...plan, isTimeless: false };
  plans.keep(asked, 'SELECT 1', origin, ofThen, [tableOf('m', {})], whole);
  t.is(latestPlan(plans, asked, 'SELECT 1', origin, whole), undefined);
  t.is(plans.latest(asked, 'SELECT 1', origin, whole), ofThen);
  t.is(plans.latest(asked, 'SELECT 1', { ...origin, position: 8 }, whole), undefined);
});

test('a plan that views have made long is not kept', (t) => {
  const plans = new KeptPlans();
  const asked = query();
  plans.keep(asked, 'SELECT 1', origin, { ...plan, sql: `SELECT ${'1 + '.repeat(50_000)}1` }, [], whole);
  t.is(latestPlan(plans, asked, 'SELECT 1', origin, whole), undefined);
});
