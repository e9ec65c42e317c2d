import { Agent } from 'node:http';
import test, { type ExecutionContext } from 'ava';
import { SocketClient } from '../support/inputs/socket-client.js';
import {
  childrenOf,
  directoryFor,
  fileScope,
  type Input,
  type Listening,
  post,
  rowsOf,
  type Scope,
  sql,
  startAdapter,
  writeLines,
} from '../support/service/processes.js';
import { basic } from '../support/service/service.js';
import { until } from '../support/until.js';

const startMs = Date.UTC(2026, 0, 1);
/** Rows wait for so long that a reader who sees them has asked for them. */
const lazy = '--write.flushInterval=10s';

const { scope, end } = fileScope();
const path = directoryFor(scope);
/** A rule that workers list and do not evaluate. */
const rules = `--events.rules=${JSON.stringify([{ name: 'never', database: 'expressions', promql: 'vector(1) > 2' }])}`;
const service = await startAdapter(scope, [`--database.path=${path}`, '--workers=2', lazy, rules]);
/** A connection to each of the two workers. */
const [a, b] = await onePerWorker(scope, service);
test.after.always(end);

/** A connection stays with its worker, and the next one goes to the next. */
async function onePerWorker(t: Scope, { port }: Listening): Promise<readonly [Input, Input]> {
  const inputs = [0, 1].map(() => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    t.teardown(() => agent.destroy());
    return { port, agent };
  });
  const pids = new Set(await Promise.all(inputs.map(workerOf)));
  if (pids.size !== 2) throw new Error('Both connections are of one worker.');
  return [inputs[0]!, inputs[1]!];
}

/** The process that a connection is with: the one in which its own statement runs. */
async function workerOf(input: Input): Promise<number> {
  const statement = `SELECT pid FROM performance_schema.perf_queries WHERE sql LIKE 'SELECT pid%'`;
  const [[pid] = []] = await rowsOf(input, statement);
  return Number(pid);
}

async function run(t: ExecutionContext, input: Input, statement: string): Promise<void> {
  const { code, desc } = await sql(input, statement);
  t.is(code, 0, `${statement}: ${desc}`);
}

async function count(input: Input, table: string): Promise<number> {
  return Number((await rowsOf(input, `SELECT COUNT(*) FROM ${table}`))[0]?.[0]);
}

async function figures({ port }: Listening): Promise<ReadonlyMap<string, number>> {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.split(' ').at(-1))]));
}

test.serial('rows that one worker has answered are seen through the other', async (t) => {
  await run(t, a, 'CREATE DATABASE seen');
  await run(t, b, 'CREATE STABLE seen.s (ts TIMESTAMP, n BIGINT) TAGS (w INT)');
  for (let n = 1; n <= 20; n++) {
    const [writer, reader] = n % 2 === 0 ? [a, b] : [b, a];
    t.is((await writeLines(writer, 'seen', `m,w=x n=${n}i64 ${startMs + n}`)).status, 204);
    t.is(await count(reader, 'seen.m'), n);
    await run(t, reader, `INSERT INTO seen.s${n % 3} USING seen.s TAGS (${n % 3}) VALUES (${startMs + n}, ${n})`);
    t.is(await count(writer, 'seen.s'), n);
  }
});

test.serial('definitions of one worker hold in the other at once', async (t) => {
  await run(t, a, 'CREATE DATABASE held');
  await run(t, b, 'CREATE TABLE held.t (ts TIMESTAMP, v INT)');
  for (let n = 0; n < 5; n++) {
    const [first, second] = n % 2 === 0 ? [a, b] : [b, a];
    await run(t, first, `ALTER TABLE held.t ADD COLUMN c${n} INT`);
    await run(t, second, `INSERT INTO held.t (ts, c${n}) VALUES (${startMs + n}, ${n})`);
    t.is((await rowsOf(first, 'SELECT * FROM held.t'))[n]?.[2 + n], n);
    await run(t, second, `DELETE FROM held.t WHERE ts > ${startMs + n}`);
    t.is(await count(first, 'held.t'), n + 1);
  }
  await run(t, a, 'DROP TABLE held.t');
  t.not((await sql(b, `INSERT INTO held.t VALUES (${startMs}, 1)`)).code, 0);
  await run(t, b, 'CREATE TABLE held.t (ts TIMESTAMP, text BINARY(10))');
  await run(t, a, `INSERT INTO held.t VALUES (${startMs}, 'new')`);
  t.deepEqual(await rowsOf(b, 'SELECT text FROM held.t'), [['new']]);

  await run(t, a, "CREATE USER guest PASS 'Secret-word-1'");
  t.is((await sql(b, 'SHOW DATABASES', 'guest', 'Secret-word-1')).code, 0);
  await run(t, b, "ALTER USER guest PASS 'Other-word-2'");
  t.not((await sql(a, 'SHOW DATABASES', 'guest', 'Secret-word-1')).code, 0);
  t.is((await sql(a, 'SHOW DATABASES', 'guest', 'Other-word-2')).code, 0);
});

test.serial('statements of all workers are listed and can be ended', async (t) => {
  await run(t, a, 'CREATE DATABASE bulk');
  await run(t, a, 'CREATE TABLE bulk.long_lines (ts TIMESTAMP, line BINARY(2000))');
  const line = 'x'.repeat(1_000);
  for (let block = 0; block < 30; block++) {
    const rows = Array.from({ length: 1_000 }, (_, i) => `(${startMs + block * 1_000 + i}, '${line}')`);
    await run(t, a, `INSERT INTO bulk.long_lines VALUES ${rows.join(' ')}`);
  }
  // A result that no buffer holds stays running while nobody reads it.
  const aborted = new AbortController();
  const headers = { authorization: basic };
  const url = `http://127.0.0.1:${service.port}/rest/sql`;
  const stuck = await fetch(url, {
    method: 'POST',
    body: 'SELECT * FROM bulk.long_lines',
    headers,
    signal: aborted.signal,
  });
  const find = "SELECT kill_id FROM performance_schema.perf_queries WHERE sql LIKE 'SELECT * FROM bulk%'";
  const listed = await Promise.all([a, b].map((input) => rowsOf(input, find)));
  t.deepEqual(listed[0], listed[1]);
  t.is(listed[0]?.length, 1);
  const [[id] = []] = listed[0] ?? [];
  for (const input of [a, b]) await run(t, input, `KILL QUERY '${id}'`);
  t.true(await until(async () => (await rowsOf(a, find)).length === 0));
  aborted.abort();
  await stuck.body?.cancel().catch(() => undefined);
});

test.serial(
  'connections of all workers are listed, each with an id of its own, and any worker closes them',
  async (t) => {
    const login = { user: 'root', password: 'taosdata' };
    const clients = await Promise.all(
      Array.from({ length: 4 }, (_, n) => SocketClient.logIn(service.port, { ...login, app: `client ${n}` })),
    );
    const find = `SELECT conn_id, user_app, pid FROM performance_schema.perf_connections WHERE app = 'websocket' ORDER BY user_app`;
    const [ofA, ofB] = await Promise.all([a, b].map((input) => rowsOf(input, find)));
    t.deepEqual(
      ofA?.map(([, app]) => app),
      clients.map((_, n) => `client ${n}`),
    );
    t.deepEqual(
      ofA?.map((row) => row.slice(0, 3)),
      ofB?.map((row) => row.slice(0, 3)),
    );
    t.is(new Set(ofA?.map(([id]) => id)).size, 4);
    t.is(new Set(ofA?.map(([, , pid]) => pid)).size, 2, 'both workers have some');
    for (const [n, [id] = []] of (ofA ?? []).entries()) {
      const closed = clients[n]?.closed();
      await run(t, a, `KILL CONNECTION ${id}`);
      t.is(await closed, 1001);
    }
    t.true(await until(async () => (await rowsOf(b, find)).length === 0));
  },
);

test.serial('columns of one row that come through both workers at once are one row', async (t) => {
  const names = Array.from({ length: 16 }, (_, n) => `c${n}`);
  const written = names.map((name, n) => writeLines(n % 2 === 0 ? a : b, 'joined', `m,w=x ${name}=${n}i64 ${startMs}`));
  for (const { status } of await Promise.all(written)) t.is(status, 204);
  t.deepEqual(await rowsOf(a, `SELECT ${names.join(', ')} FROM joined.m`), [names.map((_, n) => n)]);
});

test.serial('figures are those of all processes', async (t) => {
  const rows = 'adapter_rows_total{pipeline="lineproto",outcome="stored"}';
  const before = (await figures(service)).get(rows) ?? 0;
  for (const input of [a, b, a]) t.is((await writeLines(input, 'figures', `m v=1 ${startMs}`)).status, 204);
  t.is(await count(a, 'figures.m'), 1);
  const after = await figures(service);
  t.is(after.get(rows), before + 3);
  t.is(after.get('adapter_engine_up'), 1);
  t.deepEqual(
    [...after].flatMap(([name, value]) => (name.startsWith('adapter_build_info') ? value : [])),
    [1],
  );
  t.true((after.get('adapter_memory_limit_bytes') ?? 0) < 2 ** 50);
});

test.serial('a worker that is killed loses nothing that it answered, and another takes its place', async (t) => {
  const killed = await workerOf(b);
  for (let n = 0; n < 50; n++) t.is((await writeLines(b, 'kept', `m n=${n}i64 ${startMs + n}`)).status, 204);
  process.kill(killed, 'SIGKILL');
  // Asked of the other worker while that one is away.
  t.is(await count(a, 'kept.m'), 50);
  const workers = () => childrenOf(service.pid).filter((pid) => pid !== killed);
  t.true(await until(() => workers().length === 3, 30_000), 'two workers and the engine');
  t.true(await until(async () => (await sql(b, 'SELECT 1').catch(() => undefined))?.code === 0, 30_000));
});

test.serial('a port that is taken is told in one line, and nothing is left running', async (t) => {
  const error = await t.throwsAsync(
    startAdapter(t, [`--database.path=${directoryFor(t)}`, '--workers=2', `--port=${service.port}`]),
  );
  t.regex(error?.message ?? '', new RegExp(`TCP \\*:${service.port} is in use`));
});

test.serial('every worker answers PromQL over the rows of the others, and lists all rules', async (t) => {
  await run(t, a, 'CREATE DATABASE expressions');
  t.is((await writeLines(a, 'expressions', `oven,line=1 temp=1 ${startMs}`)).status, 204);
  const ask = async (path: string) => {
    const url = `http://127.0.0.1:${service.port}/prometheus/expressions/api/v1/${path}`;
    const response = await fetch(url, { headers: { authorization: basic, connection: 'close' } });
    return JSON.parse(await response.text()).data;
  };
  // Connections go to the workers by turns.
  for (let i = 0; i < 4; i++) {
    const { result } = await ask(`query?query=oven_temp&time=${startMs / 1000}`);
    t.is(result.length, 1);
    t.is((await ask('rules')).groups[0]?.rules[0]?.name, 'never');
  }
});

test.serial('a rule that is stored through one worker is watched by all, and silenced through the other', async (t) => {
  const toml = 'name = "hot"\ndatabase = "watched"\ntable = "ovens"\ncolumn = "v"\ncomparison = ">"\nthreshold = 80';
  const created = await post(service.port, '/api/v1/rules', toml, {}, a.agent);
  t.is(created.status, 201, created.text);
  const silence = JSON.stringify({ rule: 'hot', untilTime: Date.now() + 60_000, reason: 'repair' });
  const silenced = await post(service.port, '/api/v1/silences', silence, {}, b.agent);
  t.is(silenced.status, 201, silenced.text);
  await run(t, a, 'CREATE DATABASE watched');
  for (const [input, site] of [
    [a, 'a'],
    [b, 'b'],
  ] as const) {
    t.is((await writeLines(input, 'watched', `ovens,site=${site} v=99`)).status, 204);
  }
  const headers = { authorization: basic };
  await until(async () => {
    await rowsOf(a, 'SELECT COUNT(*) FROM watched.ovens');
    const reply = await fetch(`http://127.0.0.1:${service.port}/api/v1/events?status=active`, { headers });
    const { records } = (await reply.json()) as { records: readonly { rule: string }[] };
    return records.filter(({ rule }) => rule === 'hot').length === 2;
  });
});
