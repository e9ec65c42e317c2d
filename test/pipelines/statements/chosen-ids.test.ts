import test from 'ava';
import type { ResultOptions } from '../../../src/database/engine/engine.js';
import { statementOf } from '../../../src/pipelines/statements/chosen-ids.js';
import type { QueryPlan } from '../../../src/sql/plan/query.js';

const ids = 'SELECT g1.id FROM d.g AS g1 FINAL WHERE dropped = 0 AND (equals(g1.`a`, 1))';
const plan: QueryPlan = {
  sql: `SELECT t1.v FROM d.t AS t1 WHERE t1.id IN (${ids})`,
  settings: 'planned = 1',
  meta: [],
  hasFewRows: true,
  rowsToHold: 0,
  isTimeless: true,
};
const chosen = { column: 't1.id', ids, settings: 'chosen = 1', readsLittle: true };
const merging = { sql: `SELECT t1.v FROM d.t AS t1 FINAL WHERE t1.id IN (${ids})`, settings: 'merging = 1', most: 2 };

/** An engine that gives ids, a line each. */
function giving(...lines: readonly number[]) {
  const asked: [string, ResultOptions | undefined][] = [];
  const result = (sql: string, how?: ResultOptions) => {
    asked.push([sql, how]);
    return Promise.resolve(
      (async function* () {
        yield Buffer.from(lines.map((line) => `${line}\n`).join(''));
      })(),
    );
  };
  return { engine: { result, cluster: undefined }, asked };
}

test('the ids of the series that tags choose stand in the statement, which is light where these are short', async (t) => {
  const { engine, asked } = giving(7, 8);
  t.deepEqual(await statementOf({ ...plan, chosen }, engine, { owner: 'u' }), {
    sql: 'SELECT t1.v FROM d.t AS t1 WHERE t1.id IN (7, 8)',
    settings: 'chosen = 1',
    isLight: true,
  });
  t.like(asked, [[`${ids} LIMIT 17 SETTINGS enable_analyzer = 0 FORMAT TSV`, { owner: 'u', isLight: true }]]);
  const long = { ...plan, chosen: { ...chosen, readsLittle: false } };
  t.is((await statementOf(long, engine, {})).isLight, false);
});

test('few series have their versions merged, and more are read as the plan says', async (t) => {
  const both = { ...plan, chosen: { ...chosen, merging } };
  t.deepEqual(await statementOf(both, giving(7, 8).engine, {}), {
    sql: 'SELECT t1.v FROM d.t AS t1 FINAL WHERE t1.id IN (7, 8)',
    settings: 'merging = 1',
    isLight: true,
  });
  t.like(await statementOf(both, giving(7, 8, 9).engine, {}), {
    sql: 'SELECT t1.v FROM d.t AS t1 WHERE t1.id IN (7, 8, 9)',
    settings: 'chosen = 1',
  });
});

test('no series, too many, and a plan without tags are asked about as planned', async (t) => {
  const asPlanned = { sql: plan.sql, settings: 'planned = 1', isLight: false };
  const many = Array.from({ length: 17 }, (_, at) => at);
  t.deepEqual(await statementOf({ ...plan, chosen }, giving().engine, {}), asPlanned);
  t.deepEqual(await statementOf({ ...plan, chosen }, giving(...many).engine, {}), asPlanned);
  t.deepEqual(await statementOf({ ...plan, series: [] }, giving().engine, {}), { ...asPlanned, isLight: true });
});
