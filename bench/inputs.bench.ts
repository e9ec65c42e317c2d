import { pathToFileURL } from 'node:url';
import { deflateSnappy } from '../src/transforms/wire/deflate-snappy.js';
import { double, field, fixed64, text, varint } from './support/protobuf.js';
import { type BenchService, sendAll, startBenchService, usage } from './support/service.js';

const seriesCount = 10_000;
const metricCount = 10;
/** Rounds of each input in turn. The one that took least counts: what else the machine does only ever adds to it. */
const rounds = 8;
const connections = 4;
const firstMillis = 1_760_000_000_000;

/** One input of several that get the same points. */
interface Input {
  readonly name: string;
  readonly path: string;
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  bodyOf(request: number): Buffer;
}

/** Inputs whose speed is compared with that of the first. */
interface Comparison {
  readonly title: string;
  readonly database: string;
  readonly rowsPerRequest: number;
  readonly requests: number;
  readonly inputs: readonly Input[];
}

const metricOf = (series: number): string => `node_network_receive_bytes_total_${series % metricCount}`;
const labelsOf = (series: number): Record<string, string> => ({
  device: `eth${series % 7}`,
  instance: `host-${Math.floor(series / metricCount)}.example.com:9100`,
  zone: `zone-${series % 3}`,
});
const shared = { cluster: 'production', job: 'node' };
const valueAt = (row: number): number => (row * 7919) % 100_003;
const millisAt = (row: number): number => firstMillis + Math.floor(row / seriesCount) * 15_000;

/** The number of each row of a request, with that of its series. */
function* rowsOf(request: number, rows: number): Generator<readonly [row: number, series: number]> {
  for (let row = request * rows; row < (request + 1) * rows; row++) yield [row, row % seriesCount];
}

/** What is the same in every request, by the number of the series. */
const labelledSeries = once(() =>
  eachSeries((series) => {
    const labels = { __name__: metricOf(series), ...shared, ...labelsOf(series) };
    const sorted = Object.entries(labels).toSorted(([a], [b]) => (a < b ? -1 : 1));
    return Buffer.concat(sorted.map(([name, value]) => field(1, text(1, name), text(2, value))));
  }),
);
const attributedSeries = once(() => eachSeries((series) => attributes(7, labelsOf(series))));

function eachSeries(make: (series: number) => Buffer): Buffer[] {
  return Array.from({ length: seriesCount }, (_, series) => make(series));
}

function once<T>(make: () => T): () => T {
  let value: T | undefined;
  return () => {
    value ??= make();
    return value;
  };
}

function attributes(number: number, values: Readonly<Record<string, string>>): Buffer {
  return Buffer.concat(
    Object.entries(values).map(([name, value]) => field(number, text(1, name), field(2, text(1, value)))),
  );
}

function remoteWriteBody(request: number, rows: number): Buffer {
  const series = [...rowsOf(request, rows)].map(([row, number]) =>
    field(1, labelledSeries()[number]!, field(2, double(1, valueAt(row)), varint(2, millisAt(row)))),
  );
  const message = Buffer.concat(series);
  return Buffer.concat([...deflateSnappy([message], message.length)]);
}

/** A request as a collector sends it: one resource, and the points of a metric together. */
function otlpBody(request: number, rows: number): Buffer {
  const start = fixed64(2, BigInt(firstMillis) * 1_000_000n);
  const byMetric: Buffer[][] = Array.from({ length: metricCount }, () => []);
  for (const [row, series] of rowsOf(request, rows)) {
    const time = fixed64(3, BigInt(millisAt(row)) * 1_000_000n);
    byMetric[series % metricCount]!.push(field(1, attributedSeries()[series]!, start, time, double(4, valueAt(row))));
  }
  const metrics = byMetric.map((points, metric) => {
    const about = [text(1, metricOf(metric)), text(2, 'Bytes that a network device has received.'), text(3, 'By')];
    return field(2, ...about, field(7, ...points, varint(2, 2), varint(3, 1)));
  });
  return field(1, field(1, attributes(1, shared)), field(2, ...metrics));
}

function linesBody(request: number, rows: number): Buffer {
  const lines: string[] = [];
  for (const [row, series] of rowsOf(request, rows)) {
    const tags = Object.entries(labelsOf(series)).map(([name, value]) => `${name}=${value}`);
    const fields = `a=${valueAt(row)},b=${valueAt(row + 1) / 8},c=${valueAt(row + 2) / 1000}`;
    lines.push(`network,${tags.join(',')} ${fields} ${BigInt(millisAt(row)) * 1_000_000n}`);
  }
  return Buffer.from(lines.join('\n'));
}

const points = 2_000;
const lines = 5_000;
const comparisons: readonly Comparison[] = [
  {
    title: `OTLP and remote write, ${points} points a request`,
    database: 'points',
    rowsPerRequest: points,
    requests: 250,
    inputs: [
      {
        name: 'remote write',
        path: '/metricsdb/v1/remote_write/points',
        status: 204,
        bodyOf: (request) => remoteWriteBody(request, points),
      },
      {
        name: 'OTLP protobuf',
        path: '/v1/metrics',
        status: 200,
        headers: { 'content-type': 'application/x-protobuf', 'x-sluice-db': 'points' },
        bodyOf: (request) => otlpBody(request, points),
      },
    ],
  },
  {
    title: `InfluxDB's paths and the line protocol's own, ${lines} lines a request`,
    database: 'lines',
    rowsPerRequest: lines,
    requests: 100,
    inputs: ['/lineproto/v1/write?db=lines', '/write?db=lines', '/api/v2/write?bucket=lines'].map((path) => ({
      name: path,
      path,
      status: 204,
      bodyOf: (request) => linesBody(request, lines),
    })),
  },
];

/** Sends the same rows by each input in turn, and prints how many of them a second of the adapter's processor takes. */
async function compare(service: BenchService, comparison: Comparison): Promise<void> {
  const { title, database, rowsPerRequest, requests, inputs } = comparison;
  await service.sql(`CREATE DATABASE ${database} PRECISION 'ns'`);
  const bodies = inputs.map(({ bodyOf }) => Array.from({ length: requests }, (_, request) => bodyOf(request)));
  const cpu = inputs.map(() => Number.POSITIVE_INFINITY);
  const wall = inputs.map(() => Number.POSITIVE_INFINITY);
  for (let round = 0; round < rounds; round++) {
    for (const [at, { path, status, headers }] of inputs.entries()) {
      const before = usage(service.process.pid!).cpuSeconds;
      const seconds = await sendAll(service.port, path, bodies[at]!, connections, status, headers);
      await service.sql('SHOW DATABASES');
      wall[at] = Math.min(wall[at]!, seconds);
      cpu[at] = Math.min(cpu[at]!, usage(service.process.pid!).cpuSeconds - before);
    }
  }
  const rows = rowsPerRequest * requests;
  for (const [at, { name }] of inputs.entries()) {
    const perSecond = (seconds: number): string => (rows / seconds / 1e6).toFixed(2);
    console.log(
      `${title}: ${name} ${perSecond(cpu[at]!)} M rows per CPU second of the adapter ` +
        `(${(cpu[0]! / cpu[at]!).toFixed(2)} x ${inputs[0]!.name}), ${perSecond(wall[at]!)} M rows/s`,
    );
  }
}

/** The inputs that take the same rows in different words, one against the other. */
export async function run(): Promise<void> {
  const service = await startBenchService();
  try {
    for (const comparison of comparisons) await compare(service, comparison);
  } finally {
    await service.stop();
  }
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) await run();
