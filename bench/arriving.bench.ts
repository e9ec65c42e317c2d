import { Agent } from 'node:http';
import { quantiles, spentMs } from './support/measure.js';
import { bodiesOf, load, start, stepMs } from './support/meters.js';
import { type BenchService, post, startBenchService } from './support/service.js';

const scale = { devices: 1_000, points: 480 };
const [rowsPerSecond, seconds] = [100_000, 12];
/** Between two questions: a few dashboards. */
const questionMs = 20;

/** Writes points of all devices at an even pace; resolves with the share of them that was there in time, and with the processor time of both processes. */
async function write(service: BenchService, from: number, isAsked: () => Promise<void>): Promise<void> {
  const points = (rowsPerSecond * seconds) / scale.devices;
  const bodies = bodiesOf(scale, from, from + points).flat();
  const agent = new Agent({ keepAlive: true, maxSockets: 4 });
  const begun = performance.now();
  const before = spentMs(service);
  const sent: Promise<unknown>[] = [];
  const asked = isAsked();
  // Bodies of all connections in the order of time.
  const each = bodies.length / 4;
  for (let at = 0; at < bodies.length; at++) {
    const wait = begun + (at * seconds * 1000) / bodies.length - performance.now();
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
    const body = bodies[(at % 4) * each + Math.floor(at / 4)]!;
    sent.push(post(agent, service.port, '/lineproto/v1/write?db=bench&precision=ms', body));
  }
  await Promise.all(sent);
  const took = (performance.now() - begun) / 1000;
  await asked;
  const [adapter = 0, engine = 0] = spentMs(service).map((ms, at) => (ms - before[at]!) / 1000 / took);
  console.log(
    `${((points * scale.devices) / took).toFixed(0)} rows/s; processors: adapter ${adapter.toFixed(2)}, engine ${engine.toFixed(2)}`,
  );
  agent.destroy();
}

/** Asks at an even pace; the time of an answer counts from when it should have been asked. */
async function query(service: BenchService, statement: (at: number) => string): Promise<number[]> {
  const times: number[] = [];
  const waiting: Promise<unknown>[] = [];
  const begun = performance.now();
  for (let at = 0; at < (seconds * 1000) / questionMs; at++) {
    const due = begun + at * questionMs;
    const wait = due - performance.now();
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
    waiting.push(service.answer(statement(at), 'bench').then(() => times.push(performance.now() - due)));
  }
  await Promise.all(waiting);
  return times;
}

/** Questions about one device each, while rows of all devices arrive, and while none do. */
export async function run(): Promise<void> {
  const service = await startBenchService();
  try {
    await service.sql('CREATE DATABASE bench');
    await load(service, bodiesOf(scale, 0, scale.points));
    const named = await service.sql('SELECT DISTINCT tbname FROM meters', 'bench');
    const devices = named.map(([name]) => `\`${name}\``);
    const device = (at: number): string | undefined => devices[(at * 7919) % devices.length];
    const end = start + scale.points * stepMs;
    const questions: readonly (readonly [name: string, statement: (at: number) => string])[] = [
      ['maximum', (at) => `SELECT MAX(\`current\`) FROM ${device(at)} WHERE _ts >= ${start} AND _ts < ${end + at}`],
      ['last values', (at) => `SELECT LAST(\`current\`), LAST(voltage) FROM ${device(at)}`],
      ['by its tag', (at) => `SELECT MAX(\`current\`) FROM meters WHERE device = '${(at * 7919) % scale.devices}'`],
    ];
    let point = scale.points;
    for (const [name, statement] of questions) {
      console.log(`one device, ${name}, at rest: ${quantiles(await query(service, statement))}`);
      await write(service, point, async () => {
        const times = await query(service, statement);
        console.log(`one device, ${name}, while rows arrive: ${quantiles(times)}, max ${times.at(-1)?.toFixed(1)} ms`);
      });
      point += (rowsPerSecond * seconds) / scale.devices;
    }
  } finally {
    await service.stop();
  }
}
