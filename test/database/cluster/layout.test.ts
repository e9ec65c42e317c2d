import test from 'ava';
import { nodeStatements } from '../../../src/database/cluster/layout.js';
import type { TableChange } from '../../../src/database/engine/table-change.js';

const statementsOf = (...args: Parameters<typeof nodeStatements>) =>
  nodeStatements(...args).map(({ statement }) => statement);

const replicated = { cluster: 'metrics', replication: 'replicated' } as const;
const distributed = { cluster: 'metrics', replication: 'distributed' } as const;

const table: TableChange = {
  change: 'make-table',
  table: 'd1_0.s1',
  columns: ['id UInt64', 'ts Int64', 'v Nullable(Float64)'],
  kind: { order: 'id, ts', partition: 'intDiv(ts, 10)', deduplicates: true },
};
const spread =
  "CREATE TABLE IF NOT EXISTS d1_0.s1 AS local_d1_0.s1 ENGINE = Distributed('metrics', 'local_d1_0', 's1', id % 2)";
const versioned =
  'id UInt64, ts Int64, v Nullable(Float64), ' +
  "version UInt64 DEFAULT if(toUInt64OrZero(getSetting('log_comment')) <= 1, toUInt64OrZero(getSetting('log_comment')), " +
  "greatest(toUInt64OrZero(getSetting('log_comment')), toUInt64(toUnixTimestamp64Nano(now64(9)) - 1000000000))), " +
  'received UInt64 DEFAULT version CODEC(Delta, ZSTD(1)), INDEX by_version version TYPE minmax GRANULARITY 1';
const fetching =
  'replicated_deduplication_window = 0, max_postpone_time_for_failed_replicated_fetches_ms = 1000, ' +
  'zookeeper_session_expiration_check_period = 5';

test('replicated tables copy each other through the keeper, with one path per shard', (t) => {
  t.deepEqual(statementsOf(table, replicated, 2), [
    `CREATE TABLE IF NOT EXISTS local_d1_0.s1 (${versioned}) ` +
      "ENGINE = ReplicatedReplacingMergeTree('/sluice/tables/{shard}/local_d1_0.s1', '{replica}', received) " +
      `PARTITION BY intDiv(ts, 10) ORDER BY (id, ts) SETTINGS ${fetching}`,
    spread,
  ]);
});

test('a replicated table whose rows have a version of their own keeps the newest one', (t) => {
  const [local] = statementsOf({ ...table, kind: { order: 'id', version: 'seen' } }, replicated, 2);
  t.regex(local ?? '', /ReplicatedReplacingMergeTree\('[^']+', '\{replica\}', seen\) ORDER BY \(id\) SETTINGS/);
});

test('distributed tables keep the newest copy of a row by the version of its writer', (t) => {
  const [local, over] = statementsOf(table, distributed, 2);
  t.is(
    local,
    `CREATE TABLE IF NOT EXISTS local_d1_0.s1 (${versioned}) ` +
      'ENGINE = ReplacingMergeTree(received) PARTITION BY intDiv(ts, 10) ORDER BY (id, ts)',
  );
  t.is(over, spread);
});

test('other changes apply to both tables, and the distributed table exists only while the local one does', (t) => {
  const changes: readonly TableChange[] = [
    { change: 'make-database', database: 'd1_0' },
    { change: 'add-columns', table: 'd1_0.s1', columns: ['w Nullable(Int32)'] },
    { change: 'delete-rows', table: 'd1_0.s1', where: 'id = 7', isUnseen: false },
    { change: 'drop-table', table: 'd1_0.s1' },
    { change: 'drop-database', database: 'd1_0' },
  ];
  const expected = [
    'CREATE DATABASE IF NOT EXISTS local_d1_0',
    'CREATE DATABASE IF NOT EXISTS d1_0',
    'ALTER TABLE local_d1_0.s1 ADD COLUMN IF NOT EXISTS w Nullable(Int32)',
    'ALTER TABLE d1_0.s1 ADD COLUMN IF NOT EXISTS w Nullable(Int32)',
    'DELETE FROM local_d1_0.s1 WHERE id = 7',
    'DROP TABLE IF EXISTS d1_0.s1 SYNC',
    'DROP TABLE IF EXISTS local_d1_0.s1 SYNC',
    'DROP DATABASE IF EXISTS d1_0 SYNC',
    'DROP DATABASE IF EXISTS local_d1_0 SYNC',
  ];
  for (const layout of [replicated, distributed]) {
    t.deepEqual(
      changes.flatMap((change) => statementsOf(change, layout, 2)),
      expected,
    );
  }
});
