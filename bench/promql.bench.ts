import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { Agent } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deflateSnappy } from '../src/transforms/wire/deflate-snappy.js';
import { double, field, text, varint } from './support/protobuf.js';
import { post, sendAll, startBenchService } from './support/service.js';

/** Samples of each series, 15 s apart, and numbers of series. */
const points = 240;
const stepMs = 15_000;
const counts = [1, 100, 10_000, 30_000] as const;
/** The first sample: two hours ago, so that all programs take it. */
const start = Math.floor(Date.now() / stepMs) * stepMs - 2 * 3_600_000;
/** Runs of a query; the first warms up. */
const runs = 5;

const queries = (metric: string) => [
  `rate(${metric}[5m])`,
  `sum by (g) (rate(${metric}[5m]))`,
  `sum by (g) (${metric})`,
  `avg by (g) (avg_over_time(${metric}[5m]))`,
  `topk(5, max_over_time(${metric}[5m]))`,
  `quantile by (g) (0.9, ${metric})`,
];
const histogram = (count: number) => `histogram_quantile(0.9, sum by (le) (rate(h${count}_bucket[5m])))`;
const bounds = ['0.1', '0.5', '1', '5', '+Inf'];

/** A program that takes remote write and answers PromQL, with its paths. */
interface Candidate {
  readonly name: string;
  readonly port: number;
  readonly write: string;
  readonly api: string;
  stop(): Promise<void>;
}

/** A series as a field of a message, its counter rising by some steps. */
function seriesOf(labels: Readonly<Record<string, string>>, seed: number): Buffer {
  let value = seed;
  const samples = Array.from({ length: points }, (_, i) => {
    value += (seed * 7 + i * 13) % 11;
    return field(2, double(1, value), varint(2, start + i * stepMs));
  });
  const sorted = Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1));
  return field(1, ...sorted.map(([name, each]) => field(1, text(1, name), text(2, each))), ...samples);
}

function bodiesOf(count: number): Buffer[] {
  const bodies: Buffer[] = [];
  let list: Buffer[] = [];
  const send = (): void => {
    const message = Buffer.concat(list);
    bodies.push(Buffer.concat([...deflateSnappy([message], message.length)]));
    list = [];
  };
  for (let i = 0; i < count; i++) {
    const labels = { g: String(i % 10), instance: `host-${Math.floor(i / 5)}`, job: 'node' };
    list.push(seriesOf({ __name__: `m${count}`, ...labels, i: String(i) }, i));
    const le = bounds[i % bounds.length]!;
    list.push(seriesOf({ __name__: `h${count}_bucket`, ...labels, le }, (i % bounds.length) * 100 + 1));
    if (list.length >= 400) send();
  }
  if (list.length > 0) send();
  return bodies;
}

const headers = {
  'content-type': 'application/x-protobuf',
  'content-encoding': 'snappy',
  'x-prometheus-remote-write-version': '0.1.0',
};

async function median(candidate: Candidate, agent: Agent, query: string): Promise<number> {
  const parameters = { query, start: String(start / 1000 + 600), end: String(start / 1000 + 3_600), step: '15' };
  const times: number[] = [];
  for (let run = 0; run < runs; run++) {
    const begun = performance.now();
    const body = Buffer.from(new URLSearchParams({ ...parameters, nocache: '1' }).toString());
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    const answer = await post(agent, candidate.port, `${candidate.api}/query_range`, body, form);
    if (answer.status !== 200) throw new Error(`${candidate.name}: ${query}: ${answer.body.subarray(0, 300)}`);
    if (run > 0) times.push(performance.now() - begun);
  }
  return times.sort((a, b) => a - b)[Math.floor(times.length / 2)]!;
}

async function sluice(): Promise<Candidate> {
  const service = await startBenchService(['--smlAutoCreateDB=true']);
  await service.sql("CREATE DATABASE bench PRECISION 'ms'");
  return {
    name: 'sluice',
    port: service.port,
    write: '/metricsdb/v1/remote_write/bench',
    api: '/prometheus/bench/api/v1',
    stop: () => service.stop(),
  };
}

/** Another program that is installed, on a directory of its own; undefined where it is not. */
async function other(
  name: string,
  port: number,
  flags: (directory: string) => readonly string[],
): Promise<Candidate | undefined> {
  if (spawnSync(name, ['--version']).error !== undefined) return undefined;
  const directory = mkdtempSync(join(tmpdir(), `sluice-bench-${name}-`));
  const child: ChildProcess = spawn(name, [...flags(directory)], { stdio: 'ignore' });
  for (let attempt = 0; attempt < 100; attempt++) {
    try {
      if ((await fetch(`http://127.0.0.1:${port}/api/v1/query?query=1`)).ok) break;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
  return {
    name,
    port,
    write: '/api/v1/write',
    api: '/api/v1',
    async stop() {
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

async function candidates(): Promise<readonly Candidate[]> {
  const prometheus = await other('prometheus', 9_391, (directory) => {
    writeFileSync(join(directory, 'p.yml'), 'storage: { tsdb: { out_of_order_time_window: 1d } }\n');
    return [
      `--config.file=${directory}/p.yml`,
      `--storage.tsdb.path=${directory}/data`,
      '--web.listen-address=127.0.0.1:9391',
      '--web.enable-remote-write-receiver',
    ];
  });
  const victoria = await other('victoria-metrics', 9_392, (directory) => [
    `-storageDataPath=${directory}`,
    '-httpListenAddr=127.0.0.1:9392',
  ]);
  return [await sluice(), prometheus, victoria].filter((each) => each !== undefined);
}

/** Range queries of fifty minutes by 15 s, also of other programs that are installed, over the same samples; medians. */
export async function run(): Promise<void> {
  const all = await candidates();
  const agent = new Agent({ keepAlive: true });
  try {
    for (const count of counts) {
      const bodies = bodiesOf(count);
      for (const { port, write } of all) await sendAll(port, write, bodies, 2, 204, headers);
      for (const query of [...queries(`m${count}`), histogram(count)]) {
        const times: string[] = [];
        for (const candidate of all) {
          times.push(`${candidate.name} ${(await median(candidate, agent, query)).toFixed(1)} ms`);
        }
        console.log(`${query}, ${count} series: ${times.join(', ')}`);
      }
    }
  } finally {
    agent.destroy();
    for (const candidate of all) await candidate.stop();
  }
}
