import test from 'ava';
import { missingCluster, startCluster } from '../../support/cluster/nodes.js';
import { freePorts } from '../../support/service/free-ports.js';
import {
  adapterProgram,
  fileScope,
  rowsOf,
  run,
  sql,
  startAdapter,
  writeLines,
} from '../../support/service/processes.js';
import { skipped } from '../../support/skipped.js';
import { until } from '../../support/until.js';

const startMs = Date.UTC(2026, 0, 1);
const { scope, end } = fileScope();
test.after.always(end);

for (const keeper of [false, true]) {
  test.serial(`an adapter starts while a replica is away ${keeper ? 'with' : 'without'} a keeper`, async (t) => {
    const missing = missingCluster(keeper);
    if (missing !== undefined) return skipped(t, missing);
    const cluster = await startCluster(scope, { shards: 1, replicas: 2, keeper });
    const before = await startAdapter(scope, cluster.settings);
    const lines = Array.from({ length: 20 }, (_, i) => `m,k=x${i} v=1 ${startMs}`).join('\n');
    t.is((await writeLines(before, 'd', lines)).status, 204);
    t.true(await until(async () => (await rowsOf(before, 'SELECT count(*) FROM d.m'))[0]?.[0] === 20));
    before.child.kill('SIGTERM');
    await before.ended;
    for (const [at, away] of cluster.nodes.entries()) {
      await away.kill();
      if (!keeper && at === 0) {
        const late = run(t, process.execPath, [adapterProgram, ...freePorts, ...cluster.settings]);
        t.deepEqual(await late.ended, { code: 1, signal: null });
        t.regex(late.stderr(), /^sluice: The first node of the cluster does not answer\n$/);
      } else {
        const adapter = await startAdapter(scope, cluster.settings);
        t.deepEqual(await rowsOf(adapter, 'SELECT count(*) FROM d.m'), [[20]]);
        t.is((await sql(adapter, `CREATE TABLE d.n${at} (ts TIMESTAMP, v INT)`)).code, 0);
        await sql(adapter, `DROP TABLE d.n${at}`);
        adapter.child.kill('SIGTERM');
        t.deepEqual(await adapter.ended, { code: 0, signal: null });
      }
      await away.start();
    }
  });
}
