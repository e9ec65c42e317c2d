import { Agent } from 'node:http';
import { quantiles, spentMs } from './support/measure.js';
import { bodiesOf, load, start, stepMs } from './support/meters.js';
import { type BenchService, post, startBenchService } from './support/service.js';

const scale = { devices: 1_000, points: 480 };
const [lightClients, heavyClients] = [64, 4];
const seconds = 5;
const heavy = 'SELECT location, AVG(`current`), MAX(voltage) FROM meters GROUP BY location';

/** Queries over connections of their own until the time is over; gives the latency of each reply, in ms. */
async function query(service: BenchService, clients: number, statement: (at: number) => string): Promise<number[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: clients });
  const times: number[] = [];
  const until = performance.now() + seconds * 1000;
  let next = 0;
  const client = async (): Promise<void> => {
    while (performance.now() < until) {
      const sent = performance.now();
      const { body } = await post(agent, service.port, '/rest/sql/bench', Buffer.from(statement(next++)));
      const answer: { code: number; desc?: string } = JSON.parse(body.toString());
      if (answer.code !== 0) throw new Error(answer.desc);
      times.push(performance.now() - sent);
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
  agent.destroy();
  return times;
}

function print(name: string, times: number[]): void {
  const rate = (times.length / seconds).toFixed(0);
  console.log(`${name}: ${rate} answers per second, ${quantiles(times)}`);
}

/** Many clients that query one device each, alone and with a few that query all of them. */
export async function run(): Promise<void> {
  const service = await startBenchService();
  try {
    await service.sql('CREATE DATABASE bench');
    await load(service, bodiesOf(scale, 0, scale.points));
    const named = await service.sql('SELECT DISTINCT tbname FROM meters', 'bench');
    const devices = named.map(([name]) => `\`${name}\``);
    const end = start + scale.points * stepMs;
    const device = (at: number): string | undefined => devices[(at * 7919) % devices.length];
    const maximum = (at: number, later: number): string =>
      `SELECT MAX(\`current\`) FROM ${device(at)} WHERE _ts >= ${start + later} AND _ts < ${end + later}`;
    const light = (at: number): string => maximum(at, 0);
    const questions: readonly (readonly [name: string, statement: (at: number) => string])[] = [
      ['one device each', light],
      ['the same with times that differ', (at) => maximum(at, at)],
      ['last values of one device each', (at) => `SELECT LAST(\`current\`), LAST(voltage) FROM ${device(at)}`],
      ['average of one device each', (at) => light(at).replace('MAX', 'AVG')],
    ];
    for (const [name, statement] of questions) {
      await query(service, lightClients, statement);
      const before = spentMs(service);
      const alone = await query(service, lightClients, statement);
      const [adapter = '', engine = ''] = spentMs(service).map((ms, at) =>
        ((ms - before[at]!) / alone.length).toFixed(2),
      );
      print(`${lightClients} clients, ${name}`, alone);
      console.log(`processor time of an answer: adapter ${adapter} ms, engine ${engine} ms`);
    }
    const [some, all] = await Promise.all([
      query(service, lightClients, light),
      query(service, heavyClients, () => heavy),
    ]);
    print(`one device each beside ${heavyClients} with heavy questions`, some);
    print(`${heavyClients} clients, all devices`, all);
  } finally {
    await service.stop();
  }
}
