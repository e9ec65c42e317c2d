import test from 'ava';
import { KeptPlans, type KnownTables, type PlanOrigin } from '../../../src/pipelines/statements/kept-plans.js';
import { parseStatement } from '../../../src/sql/parser/statement.js';
import type { QueryPlan } from '../../../src/sql/plan/query.js';
import { tableOf } from '../../support/blocks.js';

const request = {
  database: 'd',
  connectionZone: undefined,
  timeZone: 'UTC',
  keyed: false,
  rowLimit: -1,
};
const origin: PlanOrigin = { user: 'root', position: 7, request };
const plan: QueryPlan = { sql: 'SELECT 1', settings: '', meta: [], hasFewRows: true, isLight: false, isTimeless: true };
const whole: KnownTables = {
  isReadable: () => true,
  isLarge: () => false,
  hasShortSeries: () => false,
  uniqueRows: () => undefined,
};

function query() {
  const statement = parseStatement('SELECT 1');
  if (statement.kind !== 'query') throw new Error('It is a query.');
  return statement.query;
}

test('a plan is found again for the same user, request and catalogue alone', (t) => {
  const plans = new KeptPlans();
  const asked = query();
  plans.keep(asked, origin, plan, [], whole);
  t.is(plans.find(asked, { ...origin, request: { ...request } }, whole), plan);
  t.is(plans.find(query(), origin, whole), undefined);
  t.is(plans.find(asked, { ...origin, user: 'other' }, whole), undefined);
  t.is(plans.find(asked, { ...origin, position: 8 }, whole), undefined);
  const others = [
    { database: 'e' },
    { connectionZone: 'UTC' },
    { timeZone: 'Asia/Tokyo' },
    { keyed: true },
    { rowLimit: 0 },
  ];
  for (const other of others) {
    t.is(plans.find(asked, { ...origin, request: { ...request, ...other } }, whole), undefined, JSON.stringify(other));
  }
});

test('a plan holds while its tables are readable, and as large as they were', (t) => {
  const plans = new KeptPlans();
  const asked = query();
  plans.keep(asked, origin, plan, [tableOf('m', {})], whole);
  t.is(plans.find(asked, origin, whole), plan);
  t.is(plans.find(asked, origin, { ...whole, isReadable: () => false }), undefined);
  t.is(plans.find(asked, origin, { ...whole, isLarge: () => true }), undefined);
  t.is(plans.find(asked, origin, { ...whole, hasShortSeries: () => true }), undefined);
});

test('a plan that views have made long is not kept', (t) => {
  const plans = new KeptPlans();
  const asked = query();
  plans.keep(asked, origin, { ...plan, sql: `SELECT ${'1 + '.repeat(50_000)}1` }, [], whole);
  t.is(plans.find(asked, origin, whole), undefined);
});
