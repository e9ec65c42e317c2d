import test from 'ava';
import { nodeStatements } from '../../../src/database/cluster/layout.js';
import type { TableChange } from '../../../src/database/engine/table-change.js';
import { missingCluster, startCluster } from '../../support/cluster/nodes.js';
import { fileScope } from '../../support/service/processes.js';
import { skipped } from '../../support/skipped.js';

const { scope, end } = fileScope();
test.after.always(end);

test('nodes of a cluster know each other and the keeper, and one that was killed comes back with its data', async (t) => {
  const missing = missingCluster(true);
  if (missing !== undefined) return skipped(t, missing);
  const cluster = await startCluster(scope, { shards: 2, replicas: 1, keeper: true });
  const clients = cluster.nodes.map((node) => cluster.client(node));
  for (const client of clients) {
    await client.exec("CREATE TABLE default.log (n UInt8, v String) ENGINE = KeeperMap('/log') PRIMARY KEY n");
    await client.exec('CREATE TABLE default.own (n UInt8) ENGINE = MergeTree ORDER BY n');
    await client.exec("CREATE TABLE default.whole AS default.own ENGINE = Distributed('cluster', 'default', 'own', n)");
  }
  const [a, b] = clients;
  await a!.exec("INSERT INTO default.log VALUES (1, 'x')");
  t.deepEqual(await b!.rows('SELECT v FROM default.log'), [['x']]);
  await a!.exec('INSERT INTO default.whole SETTINGS distributed_foreground_insert = 1 SELECT number FROM numbers(10)');
  t.deepEqual(await b!.rows('SELECT count() FROM default.own'), [[5]]);
  await cluster.nodes[1]!.kill();
  await t.throwsAsync(a!.rows('SELECT count() FROM default.whole'));
  await cluster.nodes[1]!.start();
  t.deepEqual(await a!.rows('SELECT count() FROM default.whole'), [[10]]);
});

test('a node takes the tables of both kinds of copies', async (t) => {
  const missing = missingCluster(true);
  if (missing !== undefined) return skipped(t, missing);
  const cluster = await startCluster(scope, { shards: 1, replicas: 1, keeper: true });
  const client = cluster.client(cluster.nodes[0]!);
  const engines: string[] = [];
  for (const replication of ['replicated', 'distributed'] as const) {
    const layout = { cluster: cluster.name, replication };
    const database = `d_${replication}`;
    const table = `${database}.t`;
    const columns = ['id UInt64', 'ts Int64'];
    const kind = { order: 'id, ts', deduplicates: true };
    const changes: TableChange[] = [
      { change: 'make-database', database },
      { change: 'make-table', table, columns, kind },
    ];
    // A node of a test does not open the port by which tables copy each other: they are there, and cannot be changed.
    if (replication === 'distributed') changes.push({ change: 'add-columns', table, columns: ['c Nullable(Float64)'] });
    for (const change of changes) {
      for (const { statement, effect } of nodeStatements(change, layout, 1)) await client.exec(statement, effect);
    }
    const named = `database IN ('${database}', 'local_${database}') ORDER BY database DESC`;
    const tables = await client.rows(`SELECT engine, engine_full FROM system.tables WHERE ${named}`);
    engines.push(...tables.map(([engine]) => String(engine)));
    t.regex(String(tables[0]?.[1]), replication === 'replicated' ? /'\{replica\}', received\)/ : /\(received\)/);
    t.deepEqual(await client.rows(`SELECT id FROM ${table}`), []);
  }
  t.deepEqual(engines, ['ReplicatedReplacingMergeTree', 'Distributed', 'ReplacingMergeTree', 'Distributed']);
});
