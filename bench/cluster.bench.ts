import { pathToFileURL } from 'node:url';
import { EngineClient } from '../src/database/engine/client.js';
import { missingCluster, startCluster, type TestCluster } from '../test/support/cluster/nodes.js';
import { fileScope, type Scope } from '../test/support/service/processes.js';
import { until } from '../test/support/until.js';
import { questions } from './dashboard.bench.js';
import { engineOf } from './support/measure.js';
import { bodiesOf, load, type MetersScale } from './support/meters.js';
import { type BenchService, startBenchService, usage } from './support/service.js';

const scale: MetersScale = { devices: 1_000, points: 480, batchSize: 40_000 };
/** Each question is asked so many times in a row, after some that are not counted. */
const [times, warming] = [10, 2];

/** Nodes of one run: none is the embedded engine. */
interface Size {
  readonly shards: number;
  readonly replicas: number;
}

const sizes: readonly Size[] = [
  { shards: 0, replicas: 0 },
  { shards: 1, replicas: 1 },
  { shards: 2, replicas: 1 },
  { shards: 4, replicas: 1 },
  { shards: 2, replicas: 2 },
];

/** Processor seconds of the adapter and of each node. */
type Spent = readonly number[];

/**
 * What rows and the questions of dashboards cost on clusters of 1, 2 and 4 nodes, and on the embedded engine: in processor time, as
 * all nodes share the processors of this machine.
 */
export async function run(): Promise<void> {
  const missing = missingCluster(true);
  if (missing !== undefined) {
    console.log(`not run: ${missing}`);
    return;
  }
  for (const size of sizes) {
    const { scope, end } = fileScope();
    try {
      const cluster = size.shards === 0 ? undefined : await startCluster(scope, { ...size, keeper: true });
      const service = await startBenchService([`--write.batchSize=${scale.batchSize}`, ...(cluster?.settings ?? [])]);
      try {
        console.log(cluster === undefined ? '## embedded' : `## ${size.shards} shards x ${size.replicas} replicas`);
        await measure(service, cluster, cluster === undefined ? forgetting(service, scope) : async () => {});
      } finally {
        await service.stop();
      }
    } finally {
      await end();
    }
  }
}

/** Lets the embedded engine forget the answers that it keeps, by a change of anything. */
function forgetting({ enginePort, secret }: BenchService, scope: Scope): () => Promise<void> {
  const engine = new EngineClient({ url: `http://127.0.0.1:${enginePort}`, user: 'default', password: secret });
  scope.teardown(() => engine.close());
  return () => engine.exec('SYSTEM START MERGES');
}

/** Each question is asked for the first time: `forget` is done before it, and counts for the processor time alone, as the line `forgetting` says. */
async function measure(
  service: BenchService,
  cluster: TestCluster | undefined,
  forget: () => Promise<void>,
): Promise<void> {
  const engines = cluster === undefined ? [engineOf(service)] : cluster.nodes.map(({ pid }) => pid);
  const spent = (): Spent => [service.process.pid ?? 0, ...engines].map((pid) => usage(pid).cpuSeconds);
  await service.sql('CREATE DATABASE bench');
  const before = spent();
  await load(service, bodiesOf(scale, 0, scale.points));
  const rows = scale.devices * scale.points;
  const [[count] = []] = await service.sql('SELECT COUNT(*) FROM meters', 'bench');
  if (Number(count) !== rows) throw new Error(`${count} rows are stored.`);
  console.log(`rows: ${shares(before, spent(), rows, 'us')} per row`);
  if (cluster !== undefined) await until(() => areMerged(cluster));
  console.log(`rows with merges: ${shares(before, spent(), rows, 'us')} per row`);
  const [[device] = []] = await service.sql('SELECT LAST(tbname) FROM meters WHERE device = 123', 'bench');
  const nothing = spent();
  for (let i = 0; i < times; i++) await forget();
  console.log(`forgetting: ${shares(nothing, spent(), times, 'ms')}`);
  for (const { name, sql } of questions(scale, `\`${device}\``)) {
    const query = async (run: number): Promise<number> => {
      await forget();
      const begun = performance.now();
      await service.sql(typeof sql === 'string' ? sql : sql(run), 'bench');
      return performance.now() - begun;
    };
    for (let i = 0; i < warming; i++) await query(i);
    const asked = spent();
    let took = 0;
    for (let i = 0; i < times; i++) took += await query(warming + i);
    console.log(`${name}: ${shares(asked, spent(), times, 'ms')}; ${(took / times).toFixed(1)} ms by the clock`);
  }
}

const units = { us: 1e6, ms: 1e3 } as const;

/** Processor time per piece of work: of the adapter, of all nodes, and of the one that did most. */
function shares(before: Spent, after: Spent, pieces: number, unit: keyof typeof units): string {
  const [adapter = 0, ...nodes] = after.map((seconds, at) => ((seconds - before[at]!) / pieces) * units[unit]);
  const all = nodes.reduce((sum, one) => sum + one, 0);
  return `adapter ${adapter.toFixed(2)} ${unit}, nodes ${all.toFixed(2)} ${unit}, busiest ${Math.max(...nodes).toFixed(2)} ${unit}`;
}

async function areMerged(cluster: TestCluster): Promise<boolean> {
  const merges = cluster.nodes.map((node) => cluster.client(node).rows('SELECT count() FROM system.merges'));
  return (await Promise.all(merges)).every(([row]) => Number(row?.[0]) === 0);
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) await run();
