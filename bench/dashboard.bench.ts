import { pathToFileURL } from 'node:url';
import { EngineClient } from '../src/database/client.js';
import { type BenchService, startBenchService } from './support/service.js';

/** How much there is to read. */
export interface DashboardScale {
  readonly devices: number;
  /** Points of each device, 10 s apart. */
  readonly points: number;
}

const fullScale: DashboardScale = { devices: 1_000, points: 10_000 };
/** Each question is asked so often at least, and for so long. */
const [minRuns, minMs] = [15, 4_000];
const stepMs = 10_000;
/** 2025-10-09T09:00:00Z, a whole hour. */
const start = 1_760_000_400_000;
const sites = 20;

/** A question of a dashboard: in the dialect, and as somebody writes it who knows the engine and its tables. */
interface Question {
  readonly name: string;
  readonly own: string;
  readonly engine: string;
}

function questions({ devices, points }: DashboardScale, rows: string, tags: string, deviceId: string): Question[] {
  const end = start + points * stepMs;
  const hour = [Math.max(start, end - 3_600_000), end] as const;
  const day = [Math.max(start, end - 86_400_000), end] as const;
  const range = ([from, until]: readonly [number, number]): string => `ts >= ${from} AND ts < ${until}`;
  const live = `(SELECT id, name, c4_String AS site FROM ${tags} FINAL WHERE dropped = 0)`;
  const named = `${rows} AS r FINAL INNER JOIN ${live} AS t ON t.id = r.id`;
  const minute = "toStartOfMinute(fromUnixTimestamp64Milli(ts, 'UTC'))";
  return [
    // What every answer takes, however little is read.
    { name: 'nothing', own: 'SELECT 1', engine: 'SELECT 1' },
    {
      name: 'last point of every device',
      own: 'SELECT tbname, last_row(ts), last_row(v), last_row(n) FROM devices PARTITION BY tbname',
      engine: `SELECT name, max(ts), argMax(tuple(v), ts).1, argMax(tuple(n), ts).1 FROM ${named} GROUP BY name`,
    },
    {
      name: 'newest time of every device',
      own: 'SELECT tbname, last(ts) FROM devices PARTITION BY tbname',
      engine: `SELECT name, max(ts) FROM ${named} GROUP BY name`,
    },
    {
      name: 'average per minute of an hour by tag',
      own: `SELECT _wstart, site, avg(v) FROM devices WHERE ${range(hour)} PARTITION BY site INTERVAL(1m)`,
      engine: `SELECT ${minute} AS w, site, avg(v) FROM ${named} WHERE ${range(hour)} GROUP BY w, site ORDER BY site, w`,
    },
    {
      name: 'maximum of a day of one device',
      own: `SELECT max(v) FROM d${Math.floor(devices / 2)} WHERE ${range(day)}`,
      engine: `SELECT max(v) FROM ${rows} FINAL WHERE id = ${deviceId} AND ${range(day)}`,
    },
    {
      name: 'ten devices with the highest average',
      own: 'SELECT tbname, avg(v) AS a FROM devices GROUP BY tbname ORDER BY a DESC LIMIT 10',
      engine: `SELECT name, avg(v) AS a FROM ${named} GROUP BY name ORDER BY a DESC LIMIT 10`,
    },
    {
      name: 'count of everything',
      own: 'SELECT count(*) FROM devices',
      engine: `SELECT count() FROM ${rows} FINAL`,
    },
    {
      name: 'average per five minutes of a day, filled',
      own: `SELECT _wstart, avg(v) FROM devices WHERE ${range(day)} INTERVAL(5m) FILL(PREV)`,
      engine:
        `SELECT intDiv(ts, 300000) * 300000 AS w, avg(v) AS a FROM ${rows} FINAL WHERE ${range(day)} ` +
        `GROUP BY w ORDER BY w WITH FILL FROM ${day[0] - (day[0] % 300_000)} TO ${day[1]} STEP 300000 INTERPOLATE (a AS a)`,
    },
  ].map(({ name, own, engine }) => ({
    name,
    own,
    // Columns are known to the engine by names of its own.
    engine: engine.replaceAll(/\bv\b/g, 'c1_Float64').replaceAll(/\bn\b(?!\.)/g, 'c2_Int32'),
  }));
}

/** Writes the points in slices of time, a tenth of them twice, so that parts overlap. */
async function fill(service: BenchService, { devices, points }: DashboardScale): Promise<void> {
  await service.sql('CREATE DATABASE bench');
  const columns = 'ts TIMESTAMP, v DOUBLE, n INT, c BIGINT';
  await service.sql(`CREATE STABLE devices (${columns}) TAGS (site VARCHAR(16), model INT)`, 'bench');
  for (let device = 0; device < devices; device += 100) {
    const some = Array.from({ length: Math.min(100, devices - device) }, (_, at) => device + at);
    const tables = some.map((at) => `d${at} USING devices TAGS ('site-${at % sites}', ${at % 7})`);
    await service.sql(`CREATE TABLE ${tables.join(' ')}`, 'bench');
  }
  const slice = Math.max(10, Math.floor(points / 10));
  for (let from = 0; from < points; from += slice) {
    const first = Math.max(0, from - Math.floor(slice / 10));
    const until = Math.min(points, from + slice);
    for (let device = 0; device < devices; ) {
      const parts: string[] = [];
      for (let rows = 0; rows < 30_000 && device < devices; rows += until - first, device++) {
        parts.push(`d${device} VALUES${pointsOf(device, first, until)}`);
      }
      await service.sql(`INSERT INTO ${parts.join(' ')}`, 'bench');
    }
  }
}

function pointsOf(device: number, first: number, until: number): string {
  let text = '';
  for (let point = first; point < until; point++) {
    text += `(${start + point * stepMs},${((device * 31 + point * 7) % 1000) / 8},${point % 97},${device * point})`;
  }
  return text;
}

interface Percentiles {
  readonly p50: number;
  readonly p99: number;
}

function percentiles(values: readonly number[]): Percentiles {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (share: number): number => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  return { p50: at(0.5), p99: at(0.99) };
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await work();
  return performance.now() - begun;
}

async function compare(question: Question, service: BenchService, engine: EngineClient): Promise<string> {
  const own = (): Promise<unknown> => service.sql(question.own, 'bench');
  const direct = (): Promise<unknown> => engine.bytes(`${question.engine} FORMAT JSONCompactEachRow`);
  await own();
  await direct();
  const pairs: [own: number, engine: number][] = [];
  const begun = performance.now();
  while (pairs.length < minRuns || performance.now() - begun < minMs)
    pairs.push([await timed(own), await timed(direct)]);
  const a = percentiles(pairs.map(([own]) => own));
  const b = percentiles(pairs.map(([, engine]) => engine));
  const times = ({ p50, p99 }: Percentiles): string => `p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`;
  return `${question.name}: ${times(a)}; engine by hand ${times(b)}; ratio ${(a.p50 / b.p50).toFixed(2)}, ${(a.p99 / b.p99).toFixed(2)}`;
}

/** Questions of dashboards through the adapter and, by hand, to the engine host: while parts overlap, and merged. */
export async function run(scale: DashboardScale = fullScale): Promise<void> {
  const service = await startBenchService();
  const url = `http://127.0.0.1:${service.enginePort}`;
  const engine = new EngineClient({ url, user: 'default', password: service.secret });
  try {
    console.log(`${scale.devices} devices by ${scale.points} points`);
    await engine.exec('SYSTEM STOP MERGES');
    await fill(service, scale);
    const [[tags, rows] = []] = await engine.rows(engineTables);
    const device = `SELECT toString(id) FROM ${tags} FINAL WHERE name = 'd${Math.floor(scale.devices / 2)}'`;
    const [[id] = []] = await engine.rows(device);
    for (const state of ['overlapping parts', 'merged']) {
      if (state === 'merged') {
        await engine.exec('SYSTEM START MERGES');
        await engine.exec(`OPTIMIZE TABLE ${rows} FINAL`);
      }
      console.log(`## ${state}`);
      for (const question of questions(scale, `${rows}`, `${tags}`, `${id}`))
        console.log(await compare(question, service, engine));
    }
  } finally {
    await engine.close();
    await service.stop();
  }
}

/** Of the one super table: where its tags stand, and where its rows do. */
const engineTables =
  "SELECT minIf(concat(database, '.', name), name LIKE 'g%'), minIf(concat(database, '.', name), name LIKE 't%') " +
  "FROM system.tables WHERE database LIKE 'd%\\_%'";

/** Devices and points may be given: `node build/bench/dashboard.bench.js 100 1000`. */
if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const [devices = fullScale.devices, points = fullScale.points] = process.argv.slice(2).map(Number);
  await run({ devices, points });
}
