import test, { type ExecutionContext } from 'ava';
import {
  directoryFor,
  enginePid,
  type Listening,
  rowsOf,
  sql,
  startAdapter,
  startEngineHost,
} from '../support/service/processes.js';
import { comesTrue, until } from '../support/until.js';

/** 2023-11-14T22:13:20Z. */
const base = 1_700_000_000_000;
const secret = 'secret-of-the-engine';
const soonMs = 90_000;

const streams: Readonly<Record<string, readonly [options: string, columns: string, rest: string]>> = {
  windows: ['', '_wstart, count(*), sum(v)', 'FROM d.m PARTITION BY tbname INTERVAL(10s)'],
  closed: [
    'TRIGGER WINDOW_CLOSE WATERMARK 10s',
    '_wstart, count(*), sum(v)',
    `FROM d.m WHERE ts < ${base + 400_000} INTERVAL(10s) SLIDING(5s)`,
  ],
  sessions: ['', '_wstart, _wend, count(*), sum(v)', 'FROM d.m PARTITION BY tbname SESSION(ts, 3s)'],
};

async function run(adapter: Listening, statement: string): Promise<void> {
  const done = await comesTrue(async () => (await sql(adapter, statement)).code === 0, soonMs);
  if (!done) throw new Error(`${statement.slice(0, 200)}: ${(await sql(adapter, statement)).desc}`);
}

async function prepare(adapter: Listening): Promise<void> {
  await run(adapter, 'CREATE DATABASE d');
  await run(adapter, 'CREATE STABLE d.m (ts TIMESTAMP, v INT) TAGS (g INT)');
  for (const name of ['a', 'b']) await run(adapter, `CREATE TABLE d.${name} USING d.m TAGS (1)`);
  for (const [name, [options, columns, rest]] of Object.entries(streams)) {
    await run(adapter, `CREATE STREAM s_${name} ${options} INTO d.o_${name} AS SELECT ${columns} ${rest}`);
  }
}

/** Writes rows of seconds `from` to `to` in pieces, most of them in order, some late. */
async function write(adapter: Listening, from: number, to: number): Promise<void> {
  for (let second = from; second < to; second += 5) {
    const rows = Array.from({ length: 5 }, (_, i) => `(${base + (second + i) * 1000}, ${second + i})`);
    const late = `(${base + Math.max(0, second - 7) * 1000 + 500}, ${second})`;
    await run(adapter, `INSERT INTO d.a VALUES ${rows.join(' ')} ${late} d.b VALUES ${rows[second % 5]}`);
  }
}

/** Every stream's table becomes what its query gives; the last row closes all windows that are looked at. */
async function becomeEqual(t: ExecutionContext, adapter: Listening): Promise<void> {
  await run(adapter, `INSERT INTO d.a VALUES (${base + 1_000_000}, 0)`);
  for (const [name, [, columns, rest]] of Object.entries(streams)) {
    const own = columns.split(', ').map((column) => `\`${column}\``);
    const order = own.map((_, place) => place + 1).join(', ');
    const stored = () => rowsOf(adapter, `SELECT ${own.join(', ')} FROM d.o_${name} ORDER BY ${order}`);
    const computed = () => rowsOf(adapter, `SELECT ${columns} ${rest} ORDER BY ${order}`);
    await until(async () => JSON.stringify(await stored()) === JSON.stringify(await computed()), soonMs);
    t.deepEqual(await stored(), await computed(), name);
    t.true((await computed()).length > 10, name);
  }
}

test('streams lose nothing when their process and the engine are killed in the middle', async (t) => {
  const path = directoryFor(t);
  const first = await startAdapter(t, [`--database.path=${path}`]);
  await prepare(first);
  await write(first, 0, 60);
  process.kill(enginePid(first), 'SIGKILL');
  await write(first, 60, 120);
  process.kill(first.pid, 'SIGKILL');
  await first.ended;
  const second = await startAdapter(t, [`--database.path=${path}`]);
  await write(second, 120, 150);
  await becomeEqual(t, second);
});

test('of two adapters one runs the streams, and the other goes on when it is killed', async (t) => {
  const engine = await startEngineHost(t, [`--path=${directoryFor(t)}`, `--password=${secret}`]);
  const args = ['--database.mode=cluster', `--database.urls=${engine.engineUrl}`, `--database.password=${secret}`];
  const [a, b] = await Promise.all([startAdapter(t, args), startAdapter(t, args)]);
  await prepare(a);
  await Promise.all([write(a, 0, 50), write(b, 50, 100)]);
  process.kill(a.pid, 'SIGKILL');
  await write(b, 100, 150);
  await becomeEqual(t, b);
});
