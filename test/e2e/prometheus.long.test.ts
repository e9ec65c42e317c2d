import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { freePort } from '../support/service/free-ports.js';
import { root, startService } from '../support/service/service.js';
import { skipped } from '../support/skipped.js';
import { comesTrue } from '../support/until.js';

const isInstalled = spawnSync('prometheus', ['--version']).status === 0;
const reason = 'the program `prometheus` is not installed (see .ci/install-agents).';

/** A page of metrics that Prometheus scrapes. */
const page = `# TYPE shop_orders_total counter
shop_orders_total{country="de",pay="card"} 41
shop_orders_total{country="fr",pay="cash \\"x\\"\\\\n"} 7
# TYPE shop_temperature gauge
shop_temperature{room="a"} -3.25
shop_temperature{room="nan"} NaN
`;

interface Prometheus {
  readonly port: number;
  readonly output: string[];
  /** The result of an instant query, by labels. */
  query(
    text: string,
  ): Promise<readonly { readonly metric: Record<string, string>; readonly value: readonly [number, string] }[]>;
  stop(): Promise<void>;
}

function addressOf(server: http.Server): AddressInfo {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server does not listen.');
  return address;
}

/** Runs Prometheus on a directory of its own, which is empty at first. */
async function startPrometheus(config: string): Promise<Prometheus> {
  const directory = mkdtempSync(join(tmpdir(), 'sluice-prometheus-'));
  const file = join(directory, 'prometheus.yml');
  writeFileSync(file, config);
  const port = await freePort();
  const flags = [
    `--config.file=${file}`,
    `--storage.tsdb.path=${join(directory, 'data')}`,
    `--web.listen-address=127.0.0.1:${port}`,
  ];
  const child: ChildProcess = spawn('prometheus', flags, { stdio: ['ignore', 'pipe', 'pipe'] });
  process.once('exit', () => child.kill('SIGKILL'));
  const output: string[] = [];
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (said: string) => output.push(said));
  return {
    port,
    output,
    async query(text) {
      const response = await fetch(`http://127.0.0.1:${port}/api/v1/query?query=${encodeURIComponent(text)}`);
      const body = JSON.parse(await response.text());
      if (body.status !== 'success' || body.warnings !== undefined) throw new Error(JSON.stringify(body));
      return body.data.result;
    },
    async stop() {
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** Asks again until the answer is what is wanted, or the time is up. */
async function eventually<T>(query: () => Promise<T>, isWanted: (answer: T) => boolean): Promise<T> {
  let last: unknown;
  let accepted: T | undefined;
  const came = await comesTrue(async () => {
    try {
      const answer = await query();
      last = answer;
      if (isWanted(answer)) accepted = answer;
    } catch (error) {
      last = error;
    }
    return accepted !== undefined;
  }, 40_000);
  if (came && accepted !== undefined) return accepted;
  throw new Error(`Waited in vain; at last: ${last instanceof Error ? last.message : JSON.stringify(last)}`);
}

test('Prometheus writes what it scrapes, and another one without data answers PromQL from here', async (t) => {
  if (!isInstalled) {
    skipped(t, reason);
    return;
  }
  const { service, end } = await startService('--smlAutoCreateDB=true');
  t.teardown(end);
  const target = http
    .createServer((_, response) => response.setHeader('content-type', 'text/plain').end(page))
    .listen(0, '127.0.0.1');
  t.teardown(() => target.close());
  await once(target, 'listening');
  const base = `http://127.0.0.1:${service.port}/metricsdb/v1`;
  const auth = `basic_auth: { username: ${root.user}, password: ${root.password} }`;
  const writer = await startPrometheus(`
global: { scrape_interval: 1s, external_labels: { cluster: c1 } }
scrape_configs:
  - { job_name: shop, static_configs: [ { targets: [ '127.0.0.1:${addressOf(target).port}' ] } ] }
remote_write:
  - { url: '${base}/remote_write/prom', ${auth}, queue_config: { batch_send_deadline: 200ms }, metadata_config: { send_interval: 1s } }
`);
  let stopped = false;
  t.teardown(async () => {
    if (!stopped) await writer.stop();
  });
  const rows = await eventually(
    () =>
      service.rows(
        "SELECT v, labels->'country' FROM prom.metrics WHERE labels->'__name__' = 'shop_orders_total' AND labels->'country' = 'de'",
      ),
    (rows) => rows.length >= 3,
  );
  t.deepEqual(rows[0], [41, 'de']);
  t.deepEqual(await service.rows(`SELECT v FROM prom.metrics WHERE labels->'room' = 'nan' LIMIT 1`), [[null]]);
  const [[pay] = []] = await service.rows(
    `SELECT DISTINCT labels->'pay' FROM prom.metrics WHERE labels->'country' = 'fr'`,
  );
  t.is(pay, 'cash "x"\\n');
  const health = await writer.query('sum(prometheus_remote_storage_samples_failed_total) or vector(0)');
  t.is(health[0]?.value[1], '0');
  await writer.stop();
  stopped = true;

  const reader = await startPrometheus(`
global: { external_labels: { cluster: c1 } }
remote_read:
  - { url: '${base}/remote_read/prom', ${auth}, read_recent: true }
`);
  t.teardown(() => reader.stop());
  const sum = await eventually(
    () => reader.query('sum(last_over_time(shop_orders_total[10m]))'),
    (rows) => rows.length > 0,
  );
  t.is(sum[0]?.value[1], '48');
  const values = async (text: string) =>
    (await reader.query(text)).map(({ metric, value }) => [metric.country ?? metric.room, value[1]]);
  t.deepEqual(await values('last_over_time(shop_orders_total{country=~"d.|x"}[10m])'), [['de', '41']]);
  t.deepEqual(await values('last_over_time(shop_orders_total{country!="de",pay=~"cash.*"}[10m])'), [['fr', '7']]);
  t.deepEqual(await values('last_over_time({__name__=~"shop_.+",country=""}[10m])'), [['a', '-3.25']]);
  t.deepEqual(await values('last_over_time(shop_temperature{room!~"nan"}[10m])'), [['a', '-3.25']]);
  t.deepEqual(await values('last_over_time(shop_orders_total{country=~"d"}[10m])'), []);
  const count = await reader.query('count_over_time(up[10m])');
  t.true(Number(count[0]?.value[1]) >= 3);
  const labels = await fetch(`http://127.0.0.1:${reader.port}/api/v1/series?match[]=shop_temperature`);
  t.is(labels.status, 200);
});

test('an engine that dies costs a sender nothing: it tries again', async (t) => {
  if (!isInstalled) {
    skipped(t, reason);
    return;
  }
  const { service, end } = await startService('--smlAutoCreateDB=true');
  t.teardown(end);
  const target = http.createServer((_, response) => response.end('steady 5\n')).listen(0, '127.0.0.1');
  t.teardown(() => target.close());
  await once(target, 'listening');
  const writer = await startPrometheus(`
global: { scrape_interval: 1s }
scrape_configs:
  - { job_name: steady, static_configs: [ { targets: [ '127.0.0.1:${addressOf(target).port}' ] } ] }
remote_write:
  - url: 'http://127.0.0.1:${service.port}/metricsdb/v1/remote_write/kept'
    basic_auth: { username: ${root.user}, password: ${root.password} }
    queue_config: { batch_send_deadline: 100ms, max_shards: 1, max_backoff: 300ms }
`);
  t.teardown(() => writer.stop());
  const stored = async (): Promise<number> => {
    const [row] = await service.rows("SELECT COUNT(*) FROM kept.metrics WHERE labels->'__name__' = 'steady'");
    return Number(row?.[0]);
  };
  const scraped = async (): Promise<number> =>
    Number((await writer.query('count_over_time(steady[10m])'))[0]?.value[1]);
  await eventually(stored, (count) => count >= 2);
  process.kill(service.enginePid(), 'SIGKILL');
  const before = await scraped();
  const after = await eventually(scraped, (count) => count >= before + 4);
  t.true((await eventually(stored, (count) => count >= after)) >= after);
  const [failed] = await writer.query('prometheus_remote_storage_samples_failed_total or vector(0)');
  t.is(failed?.value[1], '0');
});
