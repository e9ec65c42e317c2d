import { Agent } from 'node:http';
import test from 'ava';
import {
  childrenOf,
  type Door,
  directoryFor,
  enginePid,
  isAlive,
  type Listening,
  rowsOf,
  sql,
  startAdapter,
  writeLines,
} from '../support/processes.js';
import { until } from '../support/until.js';

const kills = Number(process.env.WORKER_KILLS ?? 12);
const startMs = Date.UTC(2026, 0, 1);
const linesOfWrite = 5;

/** Writes until it is told to stop; what is not answered is sent again as it was. */
class Writer {
  answered = 0;
  isStopped = false;
  readonly #name: string;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });

  constructor(id: number) {
    this.#name = `w${id}`;
  }

  async write(port: () => number): Promise<void> {
    while (!this.isStopped) {
      const numbers = Array.from({ length: linesOfWrite }, (_, i) => this.answered + i);
      const lines = numbers.map((n) => `kept,w=${this.#name} n=${n}i64 ${startMs + n}`).join('\n');
      const answer = await writeLines({ port: port(), agent: this.#agent }, 'd', lines).catch(() => undefined);
      if (answer?.status === 204) this.answered += linesOfWrite;
      else await until(() => this.isStopped, 50);
    }
    this.#agent.destroy();
  }

  /** Numbers that were answered and are not found, and how many rows there are of those that are. */
  async check(door: Door): Promise<{ missing: number; rows: number; found: number }> {
    const [[rows] = []] = await rowsOf(door, `SELECT COUNT(*) FROM d.kept WHERE w = '${this.#name}'`);
    const stored = await rowsOf(door, `SELECT n FROM d.kept WHERE w = '${this.#name}'`);
    const found = new Set(stored.map(([n]) => Number(n)));
    const missing = Array.from({ length: this.answered }, (_, n) => n).filter((n) => !found.has(n)).length;
    return { missing, rows: Number(rows), found: found.size };
  }
}

test(`${kills} kills of any process of a service with workers lose and double nothing that was answered`, async (t) => {
  t.timeout(60_000 + kills * 30_000);
  const path = directoryFor(t);
  const start = (): Promise<Listening> => startAdapter(t, [`--database.path=${path}`, '--workers=3']);
  let service = await start();
  const writers = Array.from({ length: 6 }, (_, id) => new Writer(id));
  const running = writers.map((writer) => writer.write(() => service.port));
  t.teardown(() => {
    for (const writer of writers) writer.isStopped = true;
  });
  for (let kill = 0; kill < kills; kill++) {
    const before = writers.map(({ answered }) => answered);
    // A connection that was being handed to a worker when that was killed waits until the client gives up, after 60 s.
    const areWriting = () => writers.every(({ answered }, i) => answered > before[i]! + 20);
    t.true(await until(areWriting, 120_000), `kill ${kill}: ${before}, and then ${writers.map((one) => one.answered)}`);
    // An engine that is starting would outlive its service for a moment.
    t.true(await until(async () => (await sql(service, 'SELECT 1').catch(() => undefined))?.code === 0, 60_000));
    const engine = enginePid(service);
    const children = childrenOf(service.pid);
    const workers = children.filter((pid) => pid !== engine);
    if (kill % 4 === 3) {
      service.child.kill('SIGKILL');
      await service.ended;
      t.true(await until(() => !children.some(isAlive), 30_000), 'the engine ends with its service');
      service = await start();
    } else process.kill(kill % 4 === 2 ? engine : workers[kill % workers.length]!, 'SIGKILL');
  }
  for (const writer of writers) writer.isStopped = true;
  await Promise.all(running);
  t.true(await until(async () => (await sql(service, 'SELECT 1')).code === 0, 30_000));
  for (const writer of writers) {
    const { missing, rows, found } = await writer.check(service);
    t.is(missing, 0);
    t.is(rows, found, 'nothing is double');
  }
});
