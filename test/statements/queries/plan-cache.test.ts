import test from 'ava';
import { parseStatement } from '../../../src/sql/parser/statement.js';
import type { QueryPlan } from '../../../src/sql/plan/query.js';
import { type KnownTables, PlanCache, type PlanOrigin } from '../../../src/statements/queries/plan-cache.js';
import { tableOf } from '../../support/blocks/blocks.js';

const request = {
  database: 'd',
  connectionZone: undefined,
  timeZone: 'UTC',
  form: 'arrays' as const,
  rowLimit: -1,
};
const origin: PlanOrigin = { user: 'root', position: 7, request };
const plan: QueryPlan = {
  sql: 'SELECT 1',
  settings: '',
  meta: [],
  precision: 'ms',
  tables: undefined,
  isTimeless: true,
};
const whole: KnownTables = {
  isReadable: () => true,
  isLarge: () => false,
  hasShortSeries: () => false,
  uniqueRows: () => undefined,
};

/** A plan that is the same at any time. */
function timelessPlan(plans: PlanCache, ...key: Parameters<PlanCache['get']>): QueryPlan | undefined {
  const cached = plans.get(...key);
  return cached?.isTimeless === true ? cached : undefined;
}

function query() {
  const statement = parseStatement('SELECT 1');
  if (statement.kind !== 'query') throw new Error('It is a query.');
  return statement.query;
}

test('a plan is found again for the same user, request and catalogue alone', (t) => {
  const plans = new PlanCache();
  const statement = query();
  plans.put(statement, origin, plan, [], whole);
  t.is(timelessPlan(plans, statement, { ...origin, request: { ...request } }, whole), plan);
  t.is(timelessPlan(plans, query(), origin, whole), undefined);
  t.is(timelessPlan(plans, statement, { ...origin, user: 'other' }, whole), undefined);
  t.is(timelessPlan(plans, statement, { ...origin, position: 8 }, whole), undefined);
  const others = [
    { database: 'e' },
    { connectionZone: 'UTC' },
    { timeZone: 'Asia/Tokyo' },
    { form: 'objects' as const },
    { rowLimit: 0 },
  ];
  for (const other of others) {
    t.is(
      timelessPlan(plans, statement, { ...origin, request: { ...request, ...other } }, whole),
      undefined,
      JSON.stringify(other),
    );
  }
});

test('a plan holds while its tables are readable, and as large as they were', (t) => {
  const plans = new PlanCache();
  const statement = query();
  plans.put(statement, origin, plan, [tableOf('m', {})], whole);
  t.is(timelessPlan(plans, statement, origin, whole), plan);
  t.is(timelessPlan(plans, statement, origin, { ...whole, isReadable: () => false }), undefined);
  t.is(timelessPlan(plans, statement, origin, { ...whole, isLarge: () => true }), undefined);
  t.is(timelessPlan(plans, statement, origin, { ...whole, hasShortSeries: () => true }), undefined);
  const unique = { insert: 1, from: undefined, until: undefined, isAll: true, parts: [] };
  t.is(timelessPlan(plans, statement, origin, { ...whole, uniqueRows: () => unique }), undefined);
});

test('a plan of single series holds without a look at which rows are unique', (t) => {
  const plans = new PlanCache();
  const statement = query();
  const ofSeries = { ...plan, series: [{ database: 'd', table: 'm', id: 1n }] };
  const counting = { ...whole, uniqueRows: () => t.fail() as never };
  plans.put(statement, origin, ofSeries, [tableOf('m', {})], counting);
  t.is(plans.get(statement, origin, counting), ofSeries);
});

test('a plan of another time shows what a query reads, and is not valid now', (t) => {
  const plans = new PlanCache();
  const statement = query();
  const ofThen = { ...plan, isTimeless: false };
  plans.put(statement, origin, ofThen, [tableOf('m', {})], whole);
  t.is(timelessPlan(plans, statement, origin, whole), undefined);
  t.is(plans.get(statement, origin, whole), ofThen);
  t.is(plans.get(statement, { ...origin, position: 8 }, whole), undefined);
});

test('a plan that views have made long is not cached', (t) => {
  const plans = new PlanCache();
  const statement = query();
  plans.put(statement, origin, { ...plan, sql: `SELECT ${'1 + '.repeat(50_000)}1` }, [], whole);
  t.is(timelessPlan(plans, statement, origin, whole), undefined);
});
