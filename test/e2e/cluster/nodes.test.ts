import test from 'ava';
import { missingCluster, startCluster } from '../../support/cluster/nodes.js';
import { fileScope } from '../../support/processes.js';
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
