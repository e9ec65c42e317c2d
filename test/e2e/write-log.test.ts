import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import type { RuleTrial } from '../../src/model/rule-list.js';
import { moreCases, whenBrief, whenLong } from '../support/cases.js';
import {
  type AcknowledgingInput,
  acknowledgingInputs,
  tablesOfStatements,
} from '../support/inputs/acknowledging-inputs.js';
import { type OwnRows, ownReads, prepareReads, writerOf } from '../support/inputs/own-reads.js';
import { type Killed, killOne } from '../support/service/kills.js';
import {
  directoryFor,
  enginePid,
  fileScope,
  isAlive,
  type Listening,
  post,
  rowsOf,
  type Scope,
  sql,
  startAdapter,
  writeLines,
} from '../support/service/processes.js';
import { basic } from '../support/service/service.js';
import { comesTrue, until } from '../support/until.js';

const brief = whenBrief(test.serial);
const long = whenLong(test.serial);
const startMs = Date.UTC(2026, 0, 1);
/**
 * Kills of a run, by turns of adapter, engine and both. More of them:
 * `WRITE_LOG_KILLS=200 npm run test:long -- --all write-log.long --match='*kills*'`.
 */
const kills = Number(process.env.WRITE_LOG_KILLS ?? moreCases(6, 30));
/** No test waits for so long: a reader who sees rows has asked for them. */
const lazy = '--write.flushInterval=10m';

/** What one writer was told. */
interface Writer {
  readonly writer: string;
  /** Numbers of the rows that were answered. */
  readonly answered: number[];
  next: number;
}

interface World extends Killed {
  readonly stopped: AbortController;
}

/** Rows of a body, by turns. */
const bodySizes = [1, 20] as const;

/** Writes rows through one input until it is stopped; what is not answered is sent again as it was. */
async function write(world: World, { name, send }: AcknowledgingInput, size: number, state: Writer): Promise<void> {
  const { writer } = state;
  while (!world.stopped.signal.aborted) {
    const numbers = Array.from({ length: size }, (_, i) => state.next + i);
    const rows = numbers.map((number) => ({ name, writer, ms: startMs + number, number }));
    // One row is written again and again: the last answer wins.
    const newest = { name: newestOf(name), writer, ms: startMs, number: numbers.at(-1)! };
    if (await send(world.adapter, 'kept', [...rows, newest]).catch(() => false)) {
      state.answered.push(...numbers);
      state.next += size;
    } else await comesTrue(() => isAlive(world.adapter.pid), 100);
  }
}

const newestOf = (name: string): string => `${name}_newest`;

async function countOf(adapter: Listening, table: string, database = 'kept'): Promise<number> {
  return Number((await rowsOf(adapter, `SELECT COUNT(*) FROM ${database}.${table}`))[0]?.[0]);
}

async function figure({ port }: Listening, name: string): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1]);
}

async function prepare(adapter: Listening, database: string): Promise<void> {
  for (const statement of [
    `CREATE DATABASE ${database} PRECISION 'ms'`,
    ...tablesOfStatements(database, ['statements', newestOf('statements')]),
  ]) {
    const { code, desc } = await sql(adapter, statement);
    if (code !== 0) throw new Error(`${statement}: ${desc}`);
  }
}

async function prepared(t: Scope, path: string, ...settings: readonly string[]): Promise<Listening> {
  const adapter = await startAdapter(t, [`--database.path=${path}`, ...settings]);
  await prepare(adapter, 'kept');
  return adapter;
}

const { scope, end } = fileScope();
test.after.always(end);
const lazyPath = directoryFor(scope);
let lazyAdapter: Promise<Listening> | undefined;

/** A service for several tests, in which rows wait for long. */
function waiting(): Promise<Listening> {
  lazyAdapter ??= prepared(scope, lazyPath, lazy);
  return lazyAdapter;
}

long(`${kills} kills of adapter, engine and both lose and double nothing that was answered`, async (t) => {
  t.timeout(60_000 + kills * 30_000);
  const path = directoryFor(t);
  const world: World = { adapter: await prepared(t, path), stopped: new AbortController() };
  const writers = acknowledgingInputs.flatMap((input) =>
    bodySizes.map((size) => {
      const state: Writer = { writer: `w${size}`, answered: [], next: 0 };
      return { input, size, state };
    }),
  );
  const states = writers.map(({ state }) => state);
  const running = writers.map(({ input, size, state }) => write(world, input, size, state));
  for (let kill = 0; kill < kills; kill++) {
    const before = states.map(({ answered }) => answered.length);
    const areWriting = () => states.every(({ answered }, i) => answered.length > before[i]! + 20);
    t.true(await until(areWriting, 60_000), `${before} and then ${states.map(({ answered }) => answered.length)}`);
    await killOne(t, world, path, kill % 3);
  }
  world.stopped.abort();
  await Promise.all(running);
  const { adapter } = world;
  t.true(await until(async () => (await sql(adapter, 'SELECT 1')).code === 0, 30_000), 'the engine is back');
  for (const { input, state } of writers) {
    const { writer, answered } = state;
    const { column } = input;
    const from = input.from('kept', input.name, writer);
    const stored = new Set((await rowsOf(adapter, `SELECT ${column} FROM ${from}`)).map(([n]) => Number(n)));
    t.deepEqual(
      answered.filter((n) => !stored.has(n)),
      [],
      `${input.name}: all that was answered is there`,
    );
    const [[count] = []] = await rowsOf(adapter, `SELECT COUNT(*) FROM ${from}`);
    t.is(Number(count), stored.size, `${input.name}: nothing is double`);
    const newest = input.from('kept', newestOf(input.name), writer);
    const [[last] = []] = await rowsOf(adapter, `SELECT ${column} FROM ${newest}`);
    t.true(Number(last) >= (answered.at(-1) ?? 0), `${input.name}: the last answer wins`);
  }
  const rows = states.reduce((sum, { answered }) => sum + answered.length, 0);
  t.log(
    `${rows} rows through ${acknowledgingInputs.length} inputs were answered in ${kills} kills; none is lost or double`,
  );
  adapter.child.kill('SIGTERM');
  t.deepEqual(await adapter.ended, { code: 0, signal: null });
  t.false(existsSync(join(path, 'wal')), 'a log without rows leaves no file behind');
});

/** Of the kinds of reads the first clients take the first ones, the others those behind. */
const readsOfClient = 4;

/** A row for a series of its own. */
async function writeOwn(t: ExecutionContext, own: OwnRows): Promise<void> {
  const { adapter, database, input, name, number, ms } = own;
  t.true(await input.send(adapter, database, [{ name, writer: writerOf(number), ms, number }]), input.name);
}

brief('who writes and then reads sees every own row, through every input and kind of read', async (t) => {
  const adapter = await waiting();
  const clients = Array.from({ length: 16 }, (_, id) => {
    const input = acknowledgingInputs[id % acknowledgingInputs.length]!;
    const first = Math.floor(id / acknowledgingInputs.length) * readsOfClient;
    const reads = ownReads.filter((read) => (read.input ?? input.name) === input.name);
    const own: OwnRows = { adapter, database: 'kept', input, name: `own${id}`, number: 1, ms: startMs };
    return { own, reads: reads.slice(first, first + readsOfClient) };
  });
  const tables = clients.flatMap(({ own }) => (own.input.name === 'statements' ? [own.name] : []));
  for (const statement of tablesOfStatements('kept', tables)) t.is((await sql(adapter, statement)).code, 0);
  for (const { own } of clients) {
    await writeOwn(t, own);
    await prepareReads(own);
  }
  const running = clients.map(async ({ own: { number, ...fixed }, reads }) => {
    for (const [place, read] of reads.entries()) {
      const own = { ...fixed, number: number + 1 + place, ms: startMs + 1 + place };
      await writeOwn(t, own);
      t.is(Number(await read.newest(own)), own.number, `${own.input.name}: ${read.name}`);
    }
  });
  await Promise.all(running);
});

brief('streams, topics and rules of absence see rows that wait', async (t) => {
  const adapter = await waiting();
  await prepare(adapter, 'derived');
  const run = async (text: string) => t.is((await sql(adapter, text)).code, 0, text);
  const insert = (number: number) =>
    run(`INSERT INTO derived.a USING derived.statements TAGS (1) VALUES (${startMs + number}, ${number})`);
  const sum = async () => Number((await rowsOf(adapter, 'SELECT n FROM derived.sums'))[0]?.[0]);
  await insert(1);
  const query = 'SELECT _wstart, SUM(n) AS n FROM derived.statements INTERVAL(1h)';
  await run(`CREATE STREAM sums FILL_HISTORY 1 INTO derived.sums AS ${query}`);
  t.true(await until(async () => (await sum()) === 1), 'a stream begins with rows that were answered before it');
  await insert(2);
  t.true(await until(async () => (await sum()) === 3), 'and goes on with those that are answered later');
  await run('DROP STREAM sums');

  await insert(3);
  t.true((await figure(adapter, 'adapter_wal_open_texts')) > 0);
  await run('CREATE TOPIC later AS SELECT ts, n FROM derived.statements');
  t.is(
    await figure(adapter, 'adapter_wal_open_texts'),
    0,
    'what was answered before a topic is stored when it is there',
  );

  const hourMs = 3_600_000;
  t.is((await writeLines(adapter, 'derived', `beats v=1 ${Date.now() - 2 * hourMs}`)).status, 204);
  const rule = 'name = "silent"\ndatabase = "derived"\ntable = "beats"\nabsence = "1h"';
  const silent = async () => {
    const trial: RuleTrial = JSON.parse((await post(adapter.port, '/api/v1/rules/try', rule)).text);
    return trial.total;
  };
  t.is(await silent(), 1);
  t.is((await writeLines(adapter, 'derived', `beats v=2 ${Date.now()}`)).status, 204);
  t.is(await silent(), 0, 'a series whose rows wait is not silent');
});

brief('definitions and deletions keep their order with rows that wait', async (t) => {
  const adapter = await waiting();
  await prepare(adapter, 'defined');
  const run = async (text: string) => t.is((await sql(adapter, text)).code, 0, text);
  await run(`INSERT INTO defined.a USING defined.statements TAGS (1) VALUES (${startMs}, 1) (${startMs + 1}, 2)`);
  await run(`DELETE FROM defined.statements WHERE ts = ${startMs}`);
  t.is(await countOf(adapter, 'statements', 'defined'), 1);
  await run(`INSERT INTO defined.a VALUES (${startMs + 2}, 3)`);
  await run('ALTER STABLE defined.statements ADD COLUMN m INT');
  await run(`INSERT INTO defined.a VALUES (${startMs + 3}, 4, 5)`);
  t.deepEqual(await rowsOf(adapter, 'SELECT n, m FROM defined.statements ORDER BY ts'), [
    [2, null],
    [3, null],
    [4, 5],
  ]);
  await run('DROP TABLE defined.a');
  await run(`INSERT INTO defined.a USING defined.statements TAGS (2) VALUES (${startMs}, 9, 9)`);
  t.deepEqual(await rowsOf(adapter, 'SELECT n, w FROM defined.statements'), [[9, '2']]);
  t.is((await writeLines(adapter, 'defined', `m v=1 ${startMs}`)).status, 204);
  await run('DROP STABLE defined.m');
  t.is((await writeLines(adapter, 'defined', `m v="text" ${startMs}`)).status, 204);
  t.deepEqual(await rowsOf(adapter, 'SELECT v FROM defined.m'), [['text']]);
});

long('while the engine hangs lines are answered, readers are told, and all is there afterwards', async (t) => {
  const adapter = await prepared(t, directoryFor(t), '--database.hangTimeout=5s');
  t.is((await writeLines(adapter, 'kept', `m v=0 ${startMs}`)).status, 204);
  t.is(await countOf(adapter, 'm'), 1);
  process.kill(enginePid(adapter), 'SIGSTOP');
  for (let n = 1; n <= 200; n++) {
    t.is((await writeLines(adapter, 'kept', `m v=${n} ${startMs + n}`)).status, 204);
  }
  const reply = await sql(adapter, 'SELECT COUNT(*) FROM kept.m');
  if (reply.code === 0) t.is(Number(reply.data?.[0]?.[0]), 201, 'who reads waits until all is there, or gets an error');
  const isThere = async () => {
    const { code } = await sql(adapter, 'SELECT 1');
    return code === 0 && (await countOf(adapter, 'm')) === 201;
  };
  t.true(await until(isThere, 90_000));
});

brief('rows that turn out not to fit are kept in a file, and cost nobody else', async (t) => {
  const adapter = await waiting();
  t.is((await writeLines(adapter, 'kept', `good v=1 ${startMs}`)).status, 204);
  t.is(await countOf(adapter, 'good'), 1);
  process.kill(enginePid(adapter), 'SIGSTOP');
  // Two types of one column that nobody could ask the database about.
  const [first, second] = await Promise.all([
    writeLines(adapter, 'kept', `new v=1 ${startMs}`),
    writeLines(adapter, 'kept', `new v="text" ${startMs + 1}`),
  ]);
  t.deepEqual([first.status, second.status], [204, 204]);
  t.is((await writeLines(adapter, 'kept', `good v=2 ${startMs + 1}`)).status, 204);
  process.kill(enginePid(adapter), 'SIGCONT');
  t.true(await until(async () => (await sql(adapter, 'SELECT 1')).code === 0, 30_000));
  t.is(await countOf(adapter, 'good'), 2);
  t.is(await countOf(adapter, 'new'), 1);
  const file = join(lazyPath, 'wal', 'rejected.jsonl');
  t.true(await until(() => existsSync(file) && readFileSync(file, 'utf8').endsWith('\n'), 30_000));
  const [rejected] = readFileSync(file, 'utf8').trim().split('\n');
  const { door, table, rows, reason, text } = JSON.parse(rejected ?? '{}');
  t.deepEqual({ door, table, rows }, { door: 'lineproto', table: 'new', rows: 1 });
  t.regex(reason, /v/);
  t.regex(text, /^new v=/);
  const events = async () => {
    const url = `http://127.0.0.1:${adapter.port}/api/v1/events?status=active`;
    const headers = { authorization: basic };
    return (await fetch(url, { headers })).text();
  };
  t.true(await until(async () => /Answered rows could not be stored: kept\.new/.test(await events()), 30_000));
});

brief('rows that leave little room do not wait for more of them', async (t) => {
  const adapter = await prepared(t, directoryFor(t), '--limits.creditBytes=200KB', '--write.flushInterval=5m');
  // Making the table takes a busy machine longer than the second after which the database counts as stuck.
  t.is((await writeLines(adapter, 'kept', `wide,w=w v=-1 ${startMs - 1}`)).status, 204);
  t.is(await countOf(adapter, 'wide'), 1);
  for (let body = 0; body < 5; body++) {
    const lines = Array.from({ length: 3_000 }, (_, i) => `wide,w=w v=${i} ${startMs + body * 3_000 + i}`);
    t.is((await writeLines(adapter, 'kept', lines.join('\n'))).status, 204);
  }
  t.is(await countOf(adapter, 'wide'), 15_001);
  t.is(await figure(adapter, 'adapter_wal_replayed_texts'), 0, 'the database was never taken for stuck');
});

brief('a write may ask to be stored before it is answered, and no other word', async (t) => {
  const adapter = await waiting();
  process.kill(enginePid(adapter), 'SIGKILL');
  const path = '/lineproto/v1/write?db=kept&ack=';
  const write = (ack: string) =>
    fetch(`http://127.0.0.1:${adapter.port}${path}${ack}`, {
      method: 'POST',
      body: `m v=1 ${startMs}000000`,
      headers: { authorization: basic },
    });
  t.is((await write('stored')).status, 503);
  t.is((await write('soon')).status, 400);
  t.true(await until(async () => (await write('stored')).status === 204, 30_000));
});

brief('rows are forced to the disk in the database as they are in the log', async (t) => {
  const command = (adapter: Listening): string[] =>
    readFileSync(`/proc/${enginePid(adapter)}/cmdline`, 'utf8').split('\0');
  const interval = await startAdapter(t, [`--database.path=${directoryFor(t)}`, '--wal.sync=interval']);
  t.true(command(interval).includes('--sync=1'));
  // As every service of these tests: its log is not forced to the disk either.
  t.true(command(await waiting()).includes('--sync=0'));
});
