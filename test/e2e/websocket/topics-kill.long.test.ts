import test, { type ExecutionContext } from 'ava';
import { TopicClient } from '../../support/inputs/topic-client.js';
import { type Killed, killOne } from '../../support/service/kills.js';
import { directoryFor, execute, startAdapter } from '../../support/service/processes.js';
import { until } from '../../support/until.js';

const members = { group_id: 'g', session_timeout_ms: '6000' };
const tables = ['a', 'b', 'c', 'd'];

/** Consumers that commit every message, and connect again when their connection or their engine is gone. */
class Consumers {
  /** How often each row came. */
  readonly seen = new Map<string, number>();
  /** The newest row of each table that its reader has had; rows before it come again only behind a new connection. */
  readonly disorder: string[] = [];
  #isDone = false;

  async run(world: Killed): Promise<void> {
    while (!this.#isDone) {
      const consumer = await TopicClient.subscribe(world.adapter.port, ['t'], members).catch(() => undefined);
      if (consumer === undefined) continue;
      await this.#consume(consumer).catch(() => undefined);
      consumer.close();
    }
  }

  end(): void {
    this.#isDone = true;
  }

  async #consume(consumer: TopicClient): Promise<void> {
    const newest = new Map<string, number>();
    while (!this.#isDone) {
      const message = await consumer.poll(300);
      if (message === undefined) continue;
      for (const [table, [, value]] of message.rows) {
        const row = `${table} ${String(value)}`;
        this.seen.set(row, (this.seen.get(row) ?? 0) + 1);
        if (Number(value) <= (newest.get(table) ?? -1)) this.disorder.push(row);
        newest.set(table, Number(value));
      }
      await consumer.request('commit', { message_id: 0 });
    }
  }
}

/** Writes rows until it is ended; gives those that were answered. */
async function write(world: Killed, answered: Set<string>, isDone: () => boolean): Promise<void> {
  for (let n = 0; !isDone(); n++) {
    const rows = tables.map((table) => `d.${table} USING d.m TAGS (1) VALUES (${1_700_000_000_000 + n}, ${n})`);
    const isAnswered = await execute(world.adapter, `INSERT INTO ${rows.join(' ')}`).then(
      () => true,
      () => false,
    );
    if (isAnswered) for (const table of tables) answered.add(`${table} ${n}`);
  }
}

test('no answered row is missing behind kills of adapter and engine, and rows come in order', async (t: ExecutionContext) => {
  t.timeout(300_000, 'processes start again');
  const path = directoryFor(t);
  const world: Killed = { adapter: await startAdapter(t, [`--database.path=${path}`]) };
  await execute(world.adapter, 'CREATE DATABASE d KEEP 36500', 'CREATE STABLE d.m (ts TIMESTAMP, v INT) TAGS (g INT)');
  await execute(world.adapter, 'CREATE TOPIC t AS SELECT ts, v FROM d.m');
  const consumers = new Consumers();
  const reading = [consumers.run(world), consumers.run(world)];
  const answered = new Set<string>();
  let isDone = false;
  const writing = write(world, answered, () => isDone);
  for (const which of [0, 1, 2]) {
    const [before, read] = [answered.size, consumers.seen.size];
    t.true(await until(() => answered.size > before + 40 && consumers.seen.size > read + 20, 60_000), `kill ${which}`);
    await killOne(t, world, path, which);
  }
  isDone = true;
  await writing;
  const missing = (): string[] => [...answered].filter((row) => !consumers.seen.has(row));
  t.true(await until(() => missing().length === 0, 60_000), `missing: ${missing().slice(0, 5).join(', ')}`);
  consumers.end();
  await Promise.all(reading);
  t.deepEqual(consumers.disorder, []);
});

test('a consumer leaves its group when the service stops, so that others need not wait for it', async (t) => {
  t.timeout(120_000, 'processes start again');
  const path = directoryFor(t);
  const first = await startAdapter(t, [`--database.path=${path}`]);
  await execute(first, 'CREATE DATABASE d KEEP 36500', 'CREATE TABLE d.n (ts TIMESTAMP, v INT)');
  await execute(first, 'CREATE TOPIC t AS SELECT ts, v FROM d.n');
  const patient = { group_id: 'g', session_timeout_ms: '600000' };
  const waiting = await TopicClient.subscribe(first.port, ['t'], patient);
  const poll = waiting.client.request('poll', { blocking_time: 600_000 });
  await waiting.client.request('version');
  first.child.kill('SIGTERM');
  t.like(await poll, { code: 0, have_message: false });
  t.deepEqual(await first.ended, { code: 0, signal: null });
  const second = await startAdapter(t, [`--database.path=${path}`]);
  await execute(second, 'INSERT INTO d.n VALUES (1700000000000, 1)');
  const consumer = await TopicClient.subscribe(second.port, ['t'], patient);
  t.deepEqual((await consumer.poll(60_000))?.rows, [['n', [1_700_000_000_000n, 1]]]);
  consumer.close();
});
