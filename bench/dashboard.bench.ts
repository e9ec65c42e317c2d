import { pathToFileURL } from 'node:url';
import { EngineClient } from '../src/database/engine/client.js';
import { type EngineAlone, startEngineAlone } from './support/engine-alone.js';
import { quantiles, spentMs } from './support/measure.js';
import { bodiesOf, load, type MetersScale, start, stepMs } from './support/meters.js';
import { type BenchService, startBenchService } from './support/service.js';

const shortScale: MetersScale = { devices: 1_000, points: 480, batchSize: 40_000 };
/** Each question is asked for so long in each state, in turns with all others. */
const [roundMs, rounds] = [250, 4];
const hourMs = 3_600_000;

export interface Question {
  readonly name: string;
  /** What is asked the nth time. */
  readonly sql: string | ((run: number) => string);
  /** The same for the engine alone. */
  readonly alone?: string;
}

/** What dashboards ask of meters; tables are named by the tags of their rows. */
export function questions({ points }: MetersScale, device: string): readonly Question[] {
  const end = start + points * stepMs;
  const middle = start + Math.floor((end - start) / 2 / hourMs) * hourMs;
  const hour = `_ts >= ${middle} AND _ts < ${middle + hourMs}`;
  const all = `_ts >= ${start} AND _ts < ${end}`;
  const time = (ms: number): string => `fromUnixTimestamp64Milli(toInt64(${ms}))`;
  const [hourAlone, allAlone] = [
    [middle, middle + hourMs],
    [start, end],
  ].map(([from = 0, until = 0]) => `ts >= ${time(from)} AND ts < ${time(until)}`);
  return [
    { name: 'nothing', sql: 'SELECT 1', alone: 'SELECT 1' },
    {
      name: 'last point of every device',
      sql: 'SELECT tbname, LAST(`current`), LAST(voltage), LAST(phase) FROM meters PARTITION BY tbname',
      alone: 'SELECT tid, argMax(current, ts), argMax(voltage, ts), argMax(phase, ts) FROM t GROUP BY tid',
    },
    {
      name: 'average per minute of an hour by group',
      sql: `SELECT _wstart, groupid, AVG(\`current\`) FROM meters WHERE ${hour} PARTITION BY groupid INTERVAL(1m)`,
      alone: `SELECT toStartOfMinute(ts) AS w, groupid, avg(current) FROM t INNER JOIN tags USING tid WHERE ${hourAlone} GROUP BY w, groupid ORDER BY groupid, w`,
    },
    {
      name: 'maximum of everything of one device',
      sql: `SELECT MAX(\`current\`) FROM ${device} WHERE ${all}`,
      alone: `SELECT max(current) FROM t WHERE tid = 123 AND ${allAlone}`,
    },
    {
      name: 'the same with times that move',
      sql: (run) => `SELECT MAX(\`current\`) FROM ${device} WHERE _ts >= ${start + run} AND _ts < ${end + run}`,
    },
    { name: 'last values of one device', sql: `SELECT LAST(\`current\`), LAST(voltage) FROM ${device}` },
    { name: 'maximum of one device by its tag', sql: "SELECT MAX(`current`) FROM meters WHERE device = '123'" },
    {
      name: 'one device to 10 s, filled, an hour',
      sql: `SELECT _wstart, AVG(\`current\`) FROM ${device} WHERE ${hour} INTERVAL(10s) FILL(PREV)`,
      alone: `SELECT toStartOfInterval(ts, INTERVAL 10 SECOND) AS w, avg(current) AS c FROM t WHERE tid = 123 AND ${hourAlone} GROUP BY w ORDER BY w WITH FILL TO toDateTime(${(middle + hourMs) / 1000}) STEP INTERVAL 10 SECOND INTERPOLATE (c)`,
    },
    { name: 'count of everything', sql: 'SELECT COUNT(*) FROM meters', alone: 'SELECT count() FROM t' },
    {
      name: 'points above a value, an hour',
      sql: `SELECT _ts, groupid, location, \`current\` FROM meters WHERE \`current\` > 13 AND ${hour}`,
      alone: `SELECT ts, groupid, location, current FROM t INNER JOIN tags USING tid WHERE current > 13 AND ${hourAlone}`,
    },
    {
      name: 'ten devices with the highest average',
      sql: 'SELECT tbname, AVG(`current`) AS a FROM meters GROUP BY tbname ORDER BY a DESC LIMIT 10',
      alone: 'SELECT tid, avg(current) AS a FROM t GROUP BY tid ORDER BY a DESC LIMIT 10',
    },
    {
      name: 'average and maximum by location',
      sql: 'SELECT location, AVG(`current`), MAX(voltage) FROM meters GROUP BY location',
      alone: `SELECT location, sum(s) / sum(n), max(v) FROM (SELECT tid, sum(current) AS s, count() AS n, max(voltage) AS v FROM t GROUP BY tid) AS x
        INNER JOIN tags USING tid GROUP BY location`,
    },
  ];
}

interface Measured {
  readonly times: number[];
  runs: number;
  adapterMs: number;
  engineMs: number;
}

/** The median of how long the engine alone takes for each question, ms: undefined where it is not asked. */
async function measureAlone(alone: EngineAlone, asked: readonly Question[]): Promise<readonly (number | undefined)[]> {
  const medians: (number | undefined)[] = [];
  for (const { alone: statement } of asked) {
    const times: number[] = [];
    for (let warm = 0; warm < 5 && statement !== undefined; warm++) await alone.query(statement);
    for (const begun = performance.now(); statement !== undefined && performance.now() - begun < roundMs; ) {
      const start = performance.now();
      await alone.query(statement);
      times.push(performance.now() - start);
    }
    times.sort((a, b) => a - b);
    medians.push(times[Math.floor(times.length / 2)]);
  }
  return medians;
}

/**
 * Asks all questions in turns, until the bytes of the answer are here, as the engine alone gives bytes, too. The processor time is of both processes,
 * with what they do beside answering. `forget` is done before each question, which counts for the processor time alone.
 */
async function measure(
  service: BenchService,
  asked: readonly Question[],
  aloneMs: readonly (number | undefined)[] = [],
  forget?: () => Promise<void>,
): Promise<void> {
  const all = asked.map((): Measured => ({ times: [], runs: 0, adapterMs: 0, engineMs: 0 }));
  for (let round = 0; round < rounds; round++) {
    for (const [at, { sql }] of asked.entries()) {
      const measured = all[at]!;
      const query = () => service.answer(typeof sql === 'string' ? sql : sql(measured.runs), 'bench');
      if (round === 0) for (let warm = 0; warm < 5; warm++) await query();
      const [adapter, engine] = spentMs(service);
      for (const begun = performance.now(); performance.now() - begun < roundMs; measured.runs++) {
        await forget?.();
        const start = performance.now();
        await query();
        measured.times.push(performance.now() - start);
      }
      const [adapterNow, engineNow] = spentMs(service);
      measured.adapterMs += adapterNow - adapter;
      measured.engineMs += engineNow - engine;
    }
  }
  for (const [at, { name }] of asked.entries()) {
    const { times, runs, adapterMs, engineMs } = all[at]!;
    const processor = `adapter ${(adapterMs / runs).toFixed(2)} ms, engine ${(engineMs / runs).toFixed(2)} ms`;
    const summary = quantiles(times);
    const ms = aloneMs[at];
    const ratio =
      ms === undefined ? '' : `; ${((times[Math.floor(times.length / 2)] ?? 0) / ms).toFixed(1)} x the engine alone`;
    console.log(`${name}: ${summary}${ratio}; processor: ${processor}; ${runs} runs`);
  }
}

/**
 * Questions of dashboards on data that has just come, beside what the engine alone takes for the same rows in this process; and while more of it comes,
 * and once its parts are merged.
 */
export async function run(scale: MetersScale = shortScale): Promise<void> {
  const alone = await startEngineAlone(scale);
  const service = await startBenchService([`--write.batchSize=${scale.batchSize}`]);
  const url = `http://127.0.0.1:${service.enginePort}`;
  const engine = new EngineClient({ url, user: 'default', password: service.secret });
  try {
    console.log(`${scale.devices} devices by ${scale.points} points`);
    await service.sql('CREATE DATABASE bench');
    await load(service, bodiesOf(scale, 0, 1));
    // So that parts stay as they came, of the tables that there are by now.
    await engine.exec('SYSTEM STOP MERGES');
    await load(service, bodiesOf(scale, 1, scale.points));
    const [[count] = []] = await service.sql('SELECT COUNT(*) FROM meters', 'bench');
    if (Number(count) !== scale.devices * scale.points) throw new Error(`${count} points are stored.`);
    const [[device] = []] = await service.sql('SELECT LAST(tbname) FROM meters WHERE device = 123', 'bench');
    const asked = questions(scale, `\`${device}\``);
    const parts = async (): Promise<string> =>
      `${(await engine.rows(partsOfRows)).map(([rows]) => Number(rows) / 1000).join(', ')} thousand rows a part`;
    const aloneMs = await measureAlone(alone, asked);
    console.log(`## fresh, for the first time: ${await parts()}`);
    // As if rows had come: answers that read the table are not kept across it.
    const [[table] = []] = await engine.rows(`SELECT DISTINCT concat(database, '.', table) ${ofRows}`);
    const comesNothing = () => engine.exec(`INSERT INTO ${table} SELECT * FROM ${table} WHERE 0`);
    await measure(service, asked, aloneMs, comesNothing);
    console.log('## fresh, asked again');
    await measure(service, asked, aloneMs);
    await engine.exec('SYSTEM START MERGES');
    let isOver = false;
    const growing = (async () => {
      for (let point = scale.points; !isOver; point += 20) {
        await load(service, bodiesOf(scale, point, point + 20));
        await new Promise((resolve) => setTimeout(resolve, 200));
      }
    })();
    console.log('## growing');
    await measure(service, asked);
    isOver = true;
    await growing;
    const tables = await engine.rows(`SELECT DISTINCT concat(database, '.', table) ${ofRows}`);
    for (const [table] of tables) await engine.exec(`OPTIMIZE TABLE ${table} FINAL`);
    console.log(`## merged: ${await parts()}`);
    await measure(service, asked);
  } finally {
    alone.close();
    await engine.close();
    await service.stop();
  }
}

const ofRows = "FROM system.parts WHERE active AND database LIKE 'd%\\_%' AND table LIKE 't%'";
const partsOfRows = `SELECT rows ${ofRows} ORDER BY name`;

/** Devices, points and rows of a batch may be given: `node build/bench/dashboard.bench.js 100 1000`. */
if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const { devices, points, batchSize } = shortScale;
  const [ofDevices = devices, ofPoints = points, ofBatch = batchSize] = process.argv.slice(2).map(Number);
  await run({ devices: ofDevices, points: ofPoints, batchSize: ofBatch });
}
