import { createServer } from 'node:http';
import { availableParallelism } from 'node:os';
import { text } from 'node:stream/consumers';
import test from 'ava';
import { EngineClient } from '../../../src/database/engine/client.js';
import { engineCodeOf } from '../../../src/database/engine/engine-faults.js';
import { isWhole } from '../../../src/model/exchange.js';
import { type Fault, FaultError } from '../../../src/model/fault.js';
import { startEngine } from '../../support/engine/engine.js';
import { formattedQuery } from '../../support/engine/formatted-query.js';
import { until } from '../../support/until.js';

const { supervisor, endpoint, end } = await startEngine();
const client = new EngineClient(endpoint);

test.after.always(async () => {
  await client.close();
  await end();
});

async function faultOf(work: Promise<unknown>): Promise<Fault | undefined> {
  try {
    await work;
  } catch (error) {
    return error instanceof FaultError ? error.fault : undefined;
  }
  return undefined;
}

/** A server that answers every statement with one exception. */
async function refusing(status: number, code: number, text: string) {
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(status, code === 0 ? {} : { 'X-ClickHouse-Exception-Code': String(code) }).end(text);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return { url: `http://127.0.0.1:${port}`, close: () => server.close() };
}

test.serial('statements, text, rows and bytes', async (t) => {
  t.true(await client.ping());
  await client.exec('CREATE TABLE t (a UInt32, b Nullable(String)) ENGINE = MergeTree ORDER BY a');
  await client.insert({ table: 't', format: 'CSV' }, Buffer.from('1,x\n2,\\N\n'));
  await client.insert({ table: 't', format: 'CSV' }, Buffer.from('3,y\n'));
  t.deepEqual(await client.rows('SELECT * FROM t ORDER BY a'), [
    [1, 'x'],
    [2, null],
    [3, 'y'],
  ]);
  t.is((await client.bytes(formattedQuery('SELECT a FROM t ORDER BY a FORMAT TSV'))).toString(), '1\n2\n3\n');
});

test.serial('results without a reader do not block other statements', async (t) => {
  const narrow = new EngineClient({ ...endpoint, maxConnect: 2 });
  const endless = await narrow.result(formattedQuery('SELECT number FROM numbers(100000000000) FORMAT TSV'));
  if (isWhole(endless)) return t.fail();
  const unread = endless[Symbol.asyncIterator]();
  t.false((await unread.next()).done);
  t.deepEqual(await narrow.rows('SELECT 1'), [[1]]);
  const waiting = narrow.result(formattedQuery('SELECT 2 FORMAT TSV'));
  await narrow.exec('CREATE TABLE beside (a UInt8) ENGINE = Memory');
  await unread.return?.();
  t.is(String(await waiting), '2\n');
  await narrow.close();
});

test.serial('a result of up to a megabyte comes whole', async (t) => {
  t.deepEqual(await client.result({ statement: 'SELECT 1', format: 'TSV' }), [Buffer.from('1\n')]);
  t.deepEqual(await client.result({ statement: 'SELECT 1 WHERE 0', format: 'TSV' }), []);
  const rows = (count: number) => ({ statement: `SELECT repeat('x', 999) FROM numbers(${count})`, format: 'TSV' });
  t.is(String(await client.result(rows(1_000))), `${'x'.repeat(999)}\n`.repeat(1_000));
  t.false(isWhole(await client.result(rows(2_000))));
  await t.throwsAsync(client.result({ statement: 'SELECT nothing', format: 'TSV' }), { message: /nothing/ });
});

test.serial('queries of few series do not wait for long ones of the same user, and waits are reported', async (t) => {
  const shared = new EngineClient({ ...endpoint });
  const leaving = new AbortController();
  const { signal } = leaving;
  const heavy = (mark: string) => ({
    statement: `SELECT count() /* ${mark} */ FROM numbers(1000000000000) WHERE cityHash64(number) % 3 = 4`,
    format: 'TSV',
  });
  const count = availableParallelism() * 4;
  // More than there are connections: some run, also on connections for short results, and the others wait.
  const requests = Array.from({ length: count }, () =>
    shared.result(heavy('busy'), { owner: 'ann', signal }).catch(() => undefined),
  );
  const running =
    "SELECT toUInt32(count()) > 1 FROM system.processes WHERE query LIKE '%busy%' AND query NOT LIKE '%processes%'";
  t.true(await until(async () => Number((await client.rows(running))[0]?.[0]) === 1));
  const waits: number[] = [];
  const light = { underSeriesLimit: true, owner: 'ann', onWaited: (ms: number) => waits.push(ms) };
  const answers = await Promise.all(
    [1, 2, 3].map(async (n) => String(await shared.result(formattedQuery(`SELECT ${n} FORMAT TSV`), light))),
  );
  t.deepEqual(answers, ['1\n', '2\n', '3\n']);
  t.is(waits.length, 3);
  t.true(waits.every((ms) => ms >= 0));
  leaving.abort();
  await Promise.all(requests);
  await shared.close();
});

test.serial('a large result comes in pieces, and returning early cancels the statement', async (t) => {
  let bytes = 0;
  for await (const piece of await client.result(formattedQuery('SELECT number FROM numbers(1000000) FORMAT RowBinary')))
    bytes += piece.length;
  t.is(bytes, 8_000_000);
  for await (const piece of await client.result(
    formattedQuery('SELECT number /* early */ FROM numbers(100000000000) FORMAT TSV'),
  )) {
    t.true(piece.length > 0);
    break;
  }
  const running =
    "SELECT toUInt32(count()) FROM system.processes WHERE query LIKE '%early%' AND query NOT LIKE '%processes%'";
  t.true(await until(async () => JSON.stringify(await client.rows(running)) === '[[0]]'));
  t.deepEqual(await client.rows(running), [[0]]);
});

test.serial('faults carry the code of the engine', async (t) => {
  const unknown = await faultOf(client.exec('SELECT * FROM nowhere'));
  t.is(unknown?.kind, 'database');
  t.is(unknown && engineCodeOf(unknown), 60);
  const late = await faultOf(
    client.bytes(formattedQuery('SELECT throwIf(number = 3000000) FROM numbers(10000000) FORMAT TSV')),
  );
  t.is(late?.kind, 'database');
  t.is(late && engineCodeOf(late), 395);
  const memory = await faultOf(
    client.bytes({
      statement: 'SELECT groupArray(number) FROM numbers(10000000) SETTINGS max_memory_usage = 1000000',
      format: 'TSV',
    }),
  );
  t.is(memory?.kind, 'database');
  const wrongKey = new EngineClient({ url: endpoint.url, user: endpoint.user, password: 'wrong' });
  const refused = await faultOf(wrongKey.exec('SELECT 1'));
  t.is(refused && engineCodeOf(refused), 516);
  await wrongKey.close();
});

test.serial('a full disk and too many parts are faults of kind resource', async (t) => {
  const cases = [
    [500, 243, 'Code: 243. DB::Exception: Cannot reserve 1.00 MiB, not enough space. (NOT_ENOUGH_SPACE)', 'resource'],
    [
      500,
      75,
      'Code: 75. DB::Exception: Cannot write to file, errno: 28, strerror: No space left on device. (CANNOT_WRITE_TO_FILE_DESCRIPTOR)',
      'resource',
    ],
    [500, 252, 'Code: 252. DB::Exception: Too many parts (3000). (TOO_MANY_PARTS)', 'resource'],
    [500, 210, 'Code: 210. DB::Exception: Connection refused. (NETWORK_ERROR)', 'network'],
    [500, 236, 'Code: 236. DB::Exception: The server is shutting down. (ABORTED)', 'network'],
    [500, 242, 'Code: 242. DB::Exception: Table is in readonly mode. (TABLE_IS_READ_ONLY)', 'network'],
    [502, 0, 'Bad gateway', 'network'],
  ] as const;
  for (const [status, code, text, kind] of cases) {
    const server = await refusing(status, code, text);
    const full = new EngineClient({ url: server.url, user: 'default', password: '' });
    t.is((await faultOf(full.exec('SELECT 1')))?.kind, kind, text);
    await full.close();
    server.close();
  }
});

test.serial('an unreachable engine is a fault of kind network, and its successor is used again', async (t) => {
  await client.bytes(formattedQuery('SELECT 1 FORMAT TSV'));
  const killed = supervisor.pid ?? 0;
  process.kill(killed, 'SIGKILL');
  const fault = await faultOf(client.insert({ table: 't', format: 'CSV' }, Buffer.from('9,z\n')));
  t.is(fault?.kind, 'network');
  t.true(await until(() => supervisor.pid !== killed && supervisor.state === 'up'));
  t.is((await client.bytes(formattedQuery('SELECT 1 FORMAT TSV'))).toString(), '1\n');
});

test.serial('an aborted signal ends a statement as a fault of kind network', async (t) => {
  const requests = new AbortController();
  setTimeout(() => requests.abort(), 100);
  const slow = client.bytes(formattedQuery('SELECT sleep(3) FORMAT TSV'), { signal: requests.signal });
  t.is((await faultOf(slow))?.kind, 'network');
});

test('a query whose reader returns early or aborts is killed by its id on a server, which would continue it', async (t) => {
  const seen: { readonly id: string; readonly sql: string; readonly nulls: string | null }[] = [];
  const server = createServer(async (request, response) => {
    const parameters = new URL(request.url ?? '', 'http://x').searchParams;
    const id = parameters.get('query_id') ?? '';
    seen.push({ id, sql: await text(request), nulls: parameters.get('join_use_nulls') });
    if (parameters.has('query_id')) response.write('1\n');
    else response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const remote = new EngineClient({ url: `http://127.0.0.1:${port}`, user: 'x', password: '' });
  for await (const _ of await remote.result(formattedQuery('SELECT 1 FORMAT TSV'))) break;
  t.true(await until(() => seen.length >= 2));
  t.is(seen[1]?.sql.trim(), `KILL QUERY WHERE query_id = '${seen[0]?.id}' ASYNC`);
  // What an administrator may have set otherwise goes with every query.
  t.is(seen[0]?.nulls, '0');
  const leaving = new AbortController();
  const left = await remote.result(formattedQuery('SELECT 2 FORMAT TSV'), { signal: leaving.signal });
  if (isWhole(left)) return t.fail();
  await left[Symbol.asyncIterator]().next();
  leaving.abort();
  t.true(await until(() => seen.length >= 4));
  t.is(seen[3]?.sql.trim(), `KILL QUERY WHERE query_id = '${seen[2]?.id}' ASYNC`);
  await remote.close();
  server.closeAllConnections();
  server.close();
});
