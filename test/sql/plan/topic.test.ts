import test from 'ava';
import { FaultError } from '../../../src/model/fault.js';
import { dataType, type TableDef } from '../../../src/model/schema.js';
import { parseStatement } from '../../../src/sql/parser/statement.js';
import { planTableTopic, planTopic, planWholeTable, type TopicPlan } from '../../../src/sql/plan/topic.js';
import type { QueryContext } from '../../../src/sql/values/context.js';

const columns = ['v', 'w'].map((name, at) => ({ name, type: dataType('INT'), physical: `c${at}` }));
const table: TableDef = {
  id: '1_0',
  database: 'd',
  name: 'm',
  kind: 'super',
  timeColumn: 'ts',
  columns,
  tags: [{ name: 'g', type: dataType('VARBINARY', 8), physical: 'c2' }],
  storage: 'd1.t1',
  tagStorage: 'd1.g1',
  seriesId: undefined,
  number: undefined,
  comment: undefined,
  ttl: 0,
  created: 0,
  revision: 1,
};
const context: QueryContext = {
  database: 'd',
  resolveTable: (database, name) => (database === 'd' && name === 'm' ? { kind: 'super', table } : undefined),
  systemTable: () => undefined,
  precisionOf: (database) => (database === 'd' ? 'ms' : undefined),
  nowNanos: () => 0n,
  connectionZone: 'UTC',
  outputZone: 'UTC',
  form: 'arrays',
  rowLimit: -1,
  user: 'root',
  serverVersion: '3.0.0.0',
};

function planned(sql: string): TopicPlan {
  const statement = parseStatement(`CREATE TOPIC x AS ${sql}`);
  if (statement.kind !== 'create-topic' || statement.source.kind === 'database') throw new Error(sql);
  const { source } = statement;
  return source.kind === 'query'
    ? planTopic(source.query, context)
    : planTableTopic(source.table, source.where, context);
}

test('knows which columns and tags a topic needs, and what its rows have', (t) => {
  const query = planned('SELECT ts, v + 1 AS more FROM m a WHERE a.g IS NOT NULL');
  t.deepEqual(query.columns, ['ts', 'v', 'g']);
  t.deepEqual(
    query.meta.map(({ name, type }) => [name, type.name]),
    [
      ['ts', 'TIMESTAMP'],
      ['more', 'DOUBLE'],
    ],
  );
  t.deepEqual(planned('SELECT * FROM m').columns, ['ts', 'v', 'w', 'g']);
  t.deepEqual(planned('STABLE m WHERE g IS NULL').columns, ['g']);
  const whole = planWholeTable('d', { kind: 'super', table }, context);
  t.deepEqual(
    whole.meta.map(({ name }) => name),
    ['ts', 'v', 'w'],
  );
});

test('reads the requested inserts, slice and keys in the order of writing', (t) => {
  const plan = planned('SELECT ts, g FROM m WHERE v > 1');
  const range = { order: 'inserts', after: 7, upTo: 9, slice: { number: 1, of: 4 } } as const;
  const sql = plan.rows(range, false);
  t.true(sql.includes('FROM d1.t1 AS t1 INNER JOIN'), 'overwritten rows are not merged away');
  for (const part of ['t1._block_number > 7', 't1._block_number <= 9', 'modulo(t1.id, 4) = 1', 'lower(hex(']) {
    t.true(sql.includes(part), `${part} in ${sql}`);
  }
  t.true(sql.endsWith(' ORDER BY t1._block_number ASC, t1.id ASC, t1.ts ASC'), sql);
  const keys = { behind: { id: 5n, time: -3n }, upTo: { id: 8n, time: 2n } };
  const cut = plan.rows({ ...range, keys }, true);
  t.true(cut.includes("t1.id >= toUInt64('5')"), cut);
  t.true(cut.includes("t1.id <= toUInt64('8')"), cut);
});

test('in a cluster rows come in the order of their versions, which places count in µs', (t) => {
  const plan = planned('SELECT ts, g FROM m WHERE v > 1');
  const range = {
    order: 'versions',
    after: 1_700_000_000_000_007,
    upTo: 1_700_000_000_000_009,
    slice: undefined,
  } as const;
  const sql = plan.rows(range, false);
  t.true(sql.includes('and(t1.version >= 1700000000000008000, t1.version <= 1700000000000009999)'), sql);
  t.true(sql.endsWith(' ORDER BY intDiv(t1.version, 1000) ASC, t1.id ASC, t1.ts ASC'), sql);
  t.true(
    plan.rows({ ...range, after: 0 }, false).includes('t1.version >= 0, '),
    'rows that were moved there count as old',
  );
});

test('refuses what gives no row of its own for each row', (t) => {
  for (const sql of ['SELECT max(v) FROM m', 'SELECT v FROM m LIMIT 1', 'SELECT 1', 'STABLE m WHERE v > 1']) {
    const refused = t.throws(() => planned(sql), { instanceOf: FaultError }, sql);
    t.is(refused?.fault.code, 0x2639, sql);
  }
});
