import { existsSync } from 'node:fs';
import { Agent } from 'node:http';
import { join } from 'node:path';
import test from 'ava';
import {
  childrenOf,
  directoryFor,
  enginePid,
  type Input,
  isAlive,
  type Listening,
  rowsOf,
  sql,
  startAdapter,
  writeLines,
} from '../support/service/processes.js';
import { comesTrue, until } from '../support/until.js';

const kills = Number(process.env.WORKER_KILLS ?? 12);
const startMs = Date.UTC(2026, 0, 1);
const linesOfWrite = 5;
/** Rows wait for so long that they are in the log alone when a service ends. */
const lazy = '--write.flushInterval=10s';

async function count(input: Input, table: string): Promise<number> {
  return Number((await rowsOf(input, `SELECT COUNT(*) FROM ${table}`))[0]?.[0]);
}

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
      else await comesTrue(() => this.isStopped, 50);
    }
    this.#agent.destroy();
  }

  /** Numbers that were answered and are not found, and how many rows there are of those that are. */
  async check(input: Input): Promise<{ missing: number; rows: number; distinct: number }> {
    const [[rows] = []] = await rowsOf(input, `SELECT COUNT(*) FROM d.kept WHERE w = '${this.#name}'`);
    const stored = await rowsOf(input, `SELECT n FROM d.kept WHERE w = '${this.#name}'`);
    const values = new Set(stored.map(([n]) => Number(n)));
    const missing = Array.from({ length: this.answered }, (_, n) => n).filter((n) => !values.has(n)).length;
    return { missing, rows: Number(rows), distinct: values.size };
  }
}

test.serial(
  `${kills} kills of any process of a service with workers lose and double nothing that was answered`,
  async (t) => {
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
      t.true(
        await until(areWriting, 120_000),
        `kill ${kill}: ${before}, and then ${writers.map((one) => one.answered)}`,
      );
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
      const { missing, rows, distinct } = await writer.check(service);
      t.is(missing, 0);
      t.is(rows, distinct, 'nothing is double');
    }
  },
);

test.serial('logs of a service that is killed are all read back, by however few processes', async (t) => {
  const own = directoryFor(t);
  const first = await startAdapter(t, [`--database.path=${own}`, '--workers=3', lazy]);
  const inputs = await Promise.all(
    Array.from({ length: 6 }, async (_, n) => {
      const input = { port: first.port, agent: new Agent({ keepAlive: true, maxSockets: 1 }) };
      t.teardown(() => input.agent.destroy());
      t.is((await writeLines(input, 'kept', `m n=${n}i64 ${startMs + n}`)).status, 204);
      return input;
    }),
  );
  t.is(await count(inputs[0]!, 'kept.m'), 6);
  await Promise.all(inputs.map((input, n) => writeLines(input, 'kept', `m n=${n}i64 ${startMs + 10 + n}`)));
  first.child.kill('SIGKILL');
  await first.ended;
  const second = await startAdapter(t, [`--database.path=${own}`, lazy]);
  t.is(await count(second, 'kept.m'), 12);
  t.true(await until(() => childrenOf(second.pid).length === 1, 30_000), 'the engine alone is left');
  second.child.kill('SIGTERM');
  t.deepEqual(await second.ended, { code: 0, signal: null });
  t.false(existsSync(join(own, 'wal')), 'logs without rows leave no file behind');
});

test.serial('a stop answers what is open, and ends all processes in order', async (t) => {
  const own = directoryFor(t);
  const stopped = await startAdapter(t, [`--database.path=${own}`, '--workers=2', lazy], true);
  const input = { port: stopped.port };
  t.is((await writeLines(input, 'kept', `m n=1i64 ${startMs}`)).status, 204);
  const processes = childrenOf(stopped.pid);
  // As a terminal does: every process of the group hears it.
  process.kill(-stopped.pid, 'SIGINT');
  t.deepEqual(await stopped.ended, { code: 0, signal: null });
  t.is(processes.length, 3);
  t.false(existsSync(join(own, 'wal')));
  const again = await startAdapter(t, [`--database.path=${own}`]);
  t.is(await count(again, 'kept.m'), 1);
});
