import { pathToFileURL } from 'node:url';
import { EngineClient } from '../src/database/engine/client.js';
import { sendAll, startBenchService, usage } from './support/service.js';

/** One shape of line-protocol load. */
interface Load {
  readonly name: string;
  readonly series: number;
  readonly tags: number;
  readonly fields: number;
  readonly linesPerRequest: number;
  readonly connections: number;
  readonly lines: number;
}

const usual = { series: 10_000, tags: 2, fields: 3, linesPerRequest: 5_000 } as const;
const usualName = '3 fields, 2 tags, 5,000 lines a request';

/** One to sixteen connections one after the other, as the engine's own measurements are taken: the first load meets a cold service. */
const loads: readonly Load[] = [
  { ...usual, name: `${usualName}, 1 connection`, connections: 1, lines: 3_000_000 },
  { ...usual, name: `${usualName}, 2 connections`, connections: 2, lines: 3_000_000 },
  { ...usual, name: `${usualName}, 4 connections`, connections: 4, lines: 6_000_000 },
  { ...usual, name: `${usualName}, 16 connections`, connections: 16, lines: 6_000_000 },
  {
    ...usual,
    name: '10 fields, 10 tags, 5,000 lines a request, 4 connections',
    tags: 10,
    fields: 10,
    connections: 4,
    lines: 1_000_000,
  },
  {
    ...usual,
    name: '3 fields, 2 tags, 10 lines a request, 64 connections',
    linesPerRequest: 10,
    connections: 64,
    lines: 300_000,
  },
  {
    ...usual,
    name: '3 fields, 2 tags, 1 line a request, 64 connections',
    linesPerRequest: 1,
    connections: 64,
    lines: 60_000,
  },
];

function bodiesOf(load: Load, measurement: string): Buffer[] {
  const keys = Array.from({ length: load.series }, (_, s) => {
    const tags = Array.from({ length: load.tags }, (_, k) => `tag${k}=value-${k === 0 ? s : s % (k * 7 + 3)}`);
    return `${measurement},${tags.join(',')}`;
  });
  const bodies: Buffer[] = [];
  let line = 0;
  while (line < load.lines) {
    const text: string[] = [];
    for (let i = 0; i < load.linesPerRequest && line < load.lines; i++, line++) {
      const fields = Array.from(
        { length: load.fields },
        (_, k) => `field${k}=${((line * 7919 + k * 104729) % 100_000) / 1000}`,
      );
      const time = 1_760_000_000_000_000_000n + BigInt(Math.floor(line / load.series)) * 1_000_000_000n;
      text.push(`${keys[line % load.series]} ${fields.join(',')} ${time}`);
    }
    bodies.push(Buffer.from(text.join('\n')));
  }
  return bodies;
}

/** Line protocol end to end: HTTP in, counted in the engine. */
export async function run(): Promise<void> {
  const service = await startBenchService();
  const url = `http://127.0.0.1:${service.enginePort}`;
  const client = new EngineClient({ url, user: 'default', password: service.secret });
  const inserts = async (): Promise<number> => {
    const [row] = await client.rows("SELECT value FROM system.events WHERE event = 'InsertQuery'");
    return Number(row?.[0] ?? 0);
  };
  try {
    await service.sql("CREATE DATABASE bench PRECISION 'ns'");
    for (const [i, load] of loads.entries()) {
      const measurement = `m${i}`;
      const bodies = bodiesOf(load, measurement);
      const insertsBefore = await inserts();
      const before = usage(service.process.pid!);
      const seconds = await sendAll(service.port, '/lineproto/v1/write?db=bench', bodies, load.connections);
      const after = usage(service.process.pid!);
      const insertCount = (await inserts()) - insertsBefore;
      const [[count] = []] = await service.sql(`SELECT COUNT(*) FROM ${measurement}`, 'bench');
      if (count !== load.lines) throw new Error(`${load.lines} lines were answered, ${count} are stored.`);
      const rate = (load.lines / seconds / 1e6).toFixed(3);
      const cpu = (after.cpuSeconds - before.cpuSeconds).toFixed(1);
      const size = (bodies[0]!.length / load.linesPerRequest).toFixed(0);
      console.log(
        `lineproto end to end, ${load.name} (${size}-byte lines): ${rate} M lines/s; ` +
          `${bodies.length} requests in ${seconds.toFixed(1)} s, ${insertCount} inserts; adapter ${cpu} CPU s, peak ${after.peakMegabytes.toFixed(0)} MB`,
      );
    }
  } finally {
    await client.close();
    await service.stop();
  }
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) await run();
