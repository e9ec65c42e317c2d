import test from 'ava';
import { ClusterEngine } from '../../../src/database/cluster/engine.js';
import { ClusterNode } from '../../../src/database/cluster/node.js';
import { ClusterNodes } from '../../../src/database/cluster/nodes.js';
import { EngineClient } from '../../../src/database/engine/client.js';
import { missingCluster, startCluster } from '../../support/cluster/nodes.js';
import { silentLog } from '../../support/engine/engine.js';
import { fileScope, rowsOf, sql, startAdapter, writeLines } from '../../support/service/processes.js';
import { skipped } from '../../support/skipped.js';
import { until } from '../../support/until.js';

const startMs = Date.UTC(2026, 0, 1);
const { scope, end } = fileScope();
test.after.always(end);

test('without a keeper the first node has the catalogue for all adapters', async (t) => {
  const missing = missingCluster(false);
  if (missing !== undefined) return skipped(t, missing);
  const cluster = await startCluster(scope, { shards: 1, replicas: 2, keeper: false });
  const settings = [...cluster.settings, '--write.ack=stored'];
  const forced = [...settings, '--wal.sync=interval'];
  const [a, b] = await Promise.all([startAdapter(scope, settings), startAdapter(scope, forced)]);
  // What was answered by way of a log that is forced to the disk is to be on a disk once it has left the log.
  const lossy = /"fsync_after_insert","fsync_part_directory","min_rows_to_fsync_after_merge"/g;
  t.true(await until(() => b.stdout().match(lossy)?.length === cluster.nodes.length), 'each node is named');
  t.notRegex(a.stdout(), lossy, 'not where nothing is forced');
  const bodies = 5;
  const writeAll = async (adapter: typeof a, side: number): Promise<void> => {
    for (let body = 0; body < bodies; body++) {
      const lines = `m${body},k=k c${side}=1,d=${body} ${startMs + side}\nshared,k=k${body} v=${body} ${startMs}`;
      const { status, text } = await writeLines(adapter, 'd', lines);
      t.is(status, 204, text);
    }
  };
  await Promise.all([writeAll(a, 0), writeAll(b, 1)]);
  for (const adapter of [a, b]) {
    t.deepEqual(await rowsOf(adapter, 'SELECT count(*), sum(v) FROM d.shared'), [[bodies, 10]]);
    t.deepEqual(await rowsOf(adapter, 'SELECT count(c0), count(c1), sum(d) FROM d.m3'), [[1, 1, 6]]);
  }
  const catalogues = cluster.nodes.map((node) =>
    cluster.client(node).rows("SELECT count() FROM system.tables WHERE database = 'sluice' AND name = 'catalogue'"),
  );
  t.deepEqual(await Promise.all(catalogues), [[[1]], [[0]]], 'it lies on the first node alone');
  const [first, second] = cluster.nodes;
  const keepers = await rowsOf(a, 'SELECT endpoint, status FROM information_schema.ins_mnodes');
  t.deepEqual(keepers, [[new URL(first!.url).host, 'ready']]);
  await second!.kill();
  t.is((await sql(a, 'CREATE TABLE d.n (ts TIMESTAMP, v INT)')).code, 0, 'definitions go on without another node');
  await second!.start();
  t.true(await until(async () => (await sql(b, `INSERT INTO d.n VALUES (${startMs}000000, 1)`)).code === 0));
  t.deepEqual(await rowsOf(a, 'SELECT v FROM d.n'), [[1]], 'the node was given what it missed');
  await first!.kill();
  t.not((await sql(a, 'CREATE TABLE d.o (ts TIMESTAMP, v INT)')).code, 0);
  await first!.start();
  t.true(await until(async () => (await sql(b, 'CREATE TABLE d.o (ts TIMESTAMP, v INT)')).code === 0));

  // A node that is back gets tables whose database it has not got yet later, and stands in nobody's way.
  const access = { user: cluster.user, password: cluster.password, ca: undefined };
  const known = cluster.nodes.map(({ url }) => {
    return new ClusterNode(url, new EngineClient({ ...access, url }), access);
  });
  const layout = { cluster: cluster.name, replication: 'distributed' } as const;
  const nodes = new ClusterNodes(known, layout, silentLog);
  const engine = new ClusterEngine(nodes, layout);
  scope.teardown(() => engine.close());
  await engine.start();
  t.true(await until(() => nodes.isWhole));
  await engine.define({ change: 'make-database', database: 'd9_9' });
  const back = known[1]!;
  for (const database of ['d9_9', 'local_d9_9']) await back.client.exec(`DROP DATABASE ${database} SYNC`);
  back.state = 'behind';
  await engine.define({ change: 'make-table', table: 'd9_9.t', columns: ['id UInt64'], kind: { order: 'id' } });
  t.true(await until(() => nodes.isWhole));
  t.deepEqual(await back.client.rows('SELECT id FROM d9_9.t'), []);
});
