import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { gunzipSync, gzipSync } from 'node:zlib';
import { ClickHouseError, createClient } from '@clickhouse/client';
import test from 'ava';
import { startEngine } from '../../../support/engine/engine.js';
import { until } from '../../../support/until.js';

const { endpoint, end } = await startEngine();
const { url, user, password } = endpoint;
const client = createClient({ url, username: user, password });

test.after.always(async () => {
  await client.close();
  await end();
});

const authorization = `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;

function send(path: string, body?: string | Buffer, headers: Record<string, string> = {}): Promise<Response> {
  const method = body === undefined ? 'GET' : 'POST';
  return fetch(url + path, { method, headers: { authorization, ...headers }, ...(body === undefined ? {} : { body }) });
}

const ask = async (sql: string, parameters = ''): Promise<string> => (await send(`/?${parameters}`, sql)).text();

test('health checks answer anyone, and unknown paths are 404', async (t) => {
  for (const path of ['/ping', '/']) t.is(await (await fetch(url + path)).text(), 'Ok.\n');
  t.is((await fetch(`${url}/nope`)).status, 404);
  t.true((await client.ping()).success);
  t.true((await client.ping({ select: true })).success);
});

test('the official client reads JSON, JSONEachRow and CSV', async (t) => {
  const query = 'SELECT number AS n, toString(number) AS s FROM numbers(2)';
  const json = await (await client.query({ query })).json<{ n: string; s: string }>();
  t.is(json.rows, 2);
  t.deepEqual(
    json.meta?.map((column) => column.name),
    ['n', 's'],
  );
  const rows = await (await client.query({ query, format: 'JSONEachRow' })).json<{ s: string }>();
  t.deepEqual(
    rows.map((row) => row.s),
    ['0', '1'],
  );
  t.is(await (await client.query({ query, format: 'CSV' })).text(), '0,"0"\n1,"1"\n');
});

test('the official client inserts arrays and streams, and reads them back', async (t) => {
  await client.command({ query: 'CREATE TABLE written (a UInt64, b String) ENGINE = MergeTree ORDER BY a' });
  const result = await client.insert({ table: 'written', values: [{ a: 1, b: 'x' }], format: 'JSONEachRow' });
  t.is(result.summary?.written_rows, '1');
  await client.insert({
    table: 'written',
    values: Readable.from(['2,"y"\n', '3,"z;"\n'], { objectMode: false }),
    format: 'CSV',
  });
  await client.insert({
    table: 'written',
    values: Readable.from([[4, 'q']]),
    format: 'JSONCompactEachRow',
    columns: ['a', 'b'],
  });
  t.is(await ask('SELECT * FROM written ORDER BY a'), '1\tx\n2\ty\n3\tz;\n4\tq\n');
});

test('a Native body is inserted as it is', async (t) => {
  await ask('CREATE TABLE blocks (a UInt64, b Int64) ENGINE = MergeTree ORDER BY a');
  const column = (name: string, type: string, ...values: bigint[]): Buffer =>
    Buffer.concat([
      Buffer.from([name.length]),
      Buffer.from(name),
      Buffer.from([type.length]),
      Buffer.from(type),
      Buffer.from(BigInt64Array.from(values).buffer),
    ]);
  const block = Buffer.concat([Buffer.from([2, 2]), column('a', 'UInt64', 1n, 2n), column('b', 'Int64', -1n, -2n)]);
  const { stream } = await client.exec({ query: 'INSERT INTO blocks FORMAT Native', values: Readable.from([block]) });
  for await (const _ of stream);
  t.is(await ask('SELECT * FROM blocks ORDER BY a'), '1\t-1\n2\t-2\n');
});

test('statement and data come together in the body, or data in the URL and in the body', async (t) => {
  await ask('CREATE TABLE mixed (a Int32) ENGINE = Memory');
  t.is(await ask('INSERT INTO mixed VALUES (1), (2)'), '');
  t.is(await ask('INSERT INTO mixed FORMAT CSV\n3\n4\n'), '');
  const inUrl = encodeURIComponent('INSERT INTO mixed FORMAT CSV 5');
  t.is((await send(`/?query=${inUrl}`, '6\n')).status, 200);
  t.is((await send(`/?query=${encodeURIComponent('SELECT sum(a)')}`, 'FROM mixed')).status, 200);
  t.is(await ask('SELECT sum(a), count() FROM mixed'), '21\t6\n');
});

test('a large statement and a large body with its statement in front arrive whole', async (t) => {
  const ids = Array.from({ length: 100_000 }, (_, i) => String(i));
  t.is(await ask(`SELECT count() FROM numbers(200000) WHERE number IN (${ids.join(',')})`), '100000\n');
  await ask('CREATE TABLE large (a UInt32) ENGINE = Memory');
  t.is(await ask(`INSERT INTO large FORMAT TSV\n${ids.join('\n')}\n`), '');
  t.is(await ask('SELECT count(), sum(a) FROM large'), '100000\t4999950000\n');
});

test('parameters are bound and forgotten', async (t) => {
  const query_params = { text: "a'b\\c\td", list: [1, 2], none: null };
  const query = 'SELECT {text:String} AS text, {list:Array(UInt8)} AS list, {none:Nullable(String)} AS none';
  const rows = await (await client.query({ query, query_params, format: 'JSONEachRow' })).json();
  t.deepEqual(rows, [query_params]);
  const form = await client.query({ query, query_params, format: 'JSONEachRow', use_multipart_params: true });
  t.deepEqual(await form.json(), [query_params]);
  for (let i = 0; i < 16; i++) t.regex(await ask('SELECT {text:String}'), /^Code: 45[67]\./);
});

test('settings and the current database last for one statement', async (t) => {
  const sql = "SELECT getSetting('max_block_size'), currentDatabase()";
  const before = await ask(sql);
  t.is(await ask(sql, 'max_block_size=777&database=system'), '777\tsystem\n');
  await ask('SELECT nonsense', 'max_block_size=777&database=system');
  await ask('SET max_block_size = 778');
  await ask('USE system');
  await ask('SELECT 1 SETTINGS max_block_size = 779');
  await ask('SELECT 1', 'readonly=2&compatibility=22.3&max_block_size=780');
  for (let i = 0; i < 16; i++) t.is(await ask(sql), before);
  t.regex(await ask('SELECT 1', 'no_such_setting=1'), /^Code: 115\./);
  t.is(await ask(sql), before);
});

test('a session_id keeps its state to itself', async (t) => {
  await ask('CREATE TEMPORARY TABLE mine (a Int8)', 'session_id=s1');
  await ask('SET max_block_size = 555', 'session_id=s1');
  t.is(await ask("SELECT getSetting('max_block_size')", 'session_id=s1&max_block_size=5'), '5\n');
  t.is(await ask("SELECT getSetting('max_block_size')", 'session_id=s1'), '555\n');
  t.is(await ask('SELECT count() FROM mine', 'session_id=s1'), '0\n');
  t.regex(await ask('SELECT count() FROM mine'), /^Code: 60\./);
  t.regex(await ask('SELECT 1', 'session_id=s2&session_check=1'), /^Code: 372\./);
});

test('gzip works both ways', async (t) => {
  await ask('CREATE TABLE packed (a Int32) ENGINE = Memory');
  const body = gzipSync('1\n2\n');
  const insert = `/?query=${encodeURIComponent('INSERT INTO packed FORMAT CSV')}`;
  t.is((await send(insert, body, { 'content-encoding': 'gzip' })).status, 200);
  t.is((await send(insert, body.subarray(0, 12), { 'content-encoding': 'gzip' })).status, 500);
  t.is(await ask('SELECT count() FROM packed'), '2\n');
  const packing = createClient({ url, username: user, password, compression: { request: true, response: true } });
  await packing.insert({ table: 'packed', values: [{ a: 3 }], format: 'JSONEachRow' });
  const query = 'SELECT number FROM numbers(100000)';
  const rows = await (await packing.query({ query, format: 'JSONEachRow' })).json();
  t.is(rows.length, 100_000);
  await packing.close();
  const raw = httpRequest(`${url}/?enable_http_compression=1&query=SELECT+1`, {
    headers: { authorization, 'accept-encoding': 'gzip' },
  }).end();
  const [response] = await once(raw, 'response');
  t.is(response.headers['content-encoding'], 'gzip');
  t.is(gunzipSync(Buffer.concat(await response.toArray())).toString(), '1\n');
});

test('a refused statement has the status, the header and the text of the engine', async (t) => {
  const cases = [
    ['SELECT * FROM nowhere', 404, 60],
    ['SELECT nothing', 404, 47],
    ['SELEC 1', 400, 62],
    ["SELECT toUInt8('x')", 400, 6],
    ['SELECT throwIf(number = 5) FROM numbers(10) FORMAT JSON', 500, 395],
    ['INSERT INTO nowhere VALUES (1)', 404, 60],
  ] as const;
  for (const [sql, status, code] of cases) {
    const response = await send('/', sql);
    t.is(response.status, status, sql);
    t.is(response.headers.get('x-clickhouse-exception-code'), String(code), sql);
    t.regex(await response.text(), new RegExp(`^Code: ${code}\\. DB::Exception: .*\\([A-Z_]+\\)`, 's'), sql);
  }
  const error = await t.throwsAsync(client.query({ query: 'SELECT * FROM nowhere' }), { instanceOf: ClickHouseError });
  t.is(error.code, '60');
});

test('a format that the engine does not know, or cannot make, is refused at once', async (t) => {
  for (let i = 0; i < 20; i++) {
    const unknown = await send('/', `SELECT 'x' FORMAT Nope${i}`);
    t.is(unknown.status, 404);
    t.is(unknown.headers.get('x-clickhouse-exception-code'), '73');
    t.regex(
      await unknown.text(),
      new RegExp(`^Code: 73\\. DB::Exception: Unknown format Nope${i}\\..*\\(UNKNOWN_FORMAT\\)\\n$`),
    );
    // A format that needs a schema, and none is given.
    t.true((await send('/?default_format=Protobuf', `SELECT ${i}`)).status >= 400);
    t.is(await ask(`SELECT ${i}`), `${i}\n`);
  }
});

test('a syntax error shows the text and the position of the statement that was sent', async (t) => {
  t.regex(await ask('selec 1'), /failed at position 1 \(selec\): selec 1\. Expected/);
  t.regex(await ask('selec 1', 'max_threads=1'), /failed at position 1 \(selec\): selec 1\. Expected/);
  t.regex(
    await ask('SELECT (1'),
    /failed at position 8 \(\(\) \(line 1, col 8\): \(1\nFORMAT TabSeparated\. Unmatched/,
  );
  t.regex(
    await ask('SELECT 1 +'),
    /failed at position 12 \(FORMAT\) \(line 2, col 1\): FORMAT TabSeparated\. Expected/,
  );
  t.regex(
    await ask('SELECT 1\nFROM a\nb c'),
    /failed at position 19 \(c\) \(line 3, col 3\): c\nFORMAT TabSeparated\. Expected/,
  );
  const long = `SELECT * FROM numbers(1) WHER ${'a'.repeat(70)} = 1`;
  const reported = await ask(long);
  t.regex(reported, /failed at position 31 /);
  t.notRegex(reported, /OUTFILE '|shm|sluice|COMPRESSION/);
});

test('an error after the first bytes aborts the body and is still named', async (t) => {
  const query = 'SELECT throwIf(number = 1000000) AS x FROM numbers(2000000)';
  const response = await send('/', `${query} FORMAT JSON`);
  t.is(response.status, 200);
  await t.throwsAsync(response.text());
  const result = await client.query({ query, format: 'JSONEachRow' });
  const error = await t.throwsAsync(result.json(), { instanceOf: ClickHouseError });
  t.is(error.code, '395');
  const waited = await send('/?wait_end_of_query=1', `${query} FORMAT JSON`);
  t.is(waited.status, 500);
});

test('GET only reads', async (t) => {
  const get = async (sql: string) => (await send(`/?query=${encodeURIComponent(sql)}`)).text();
  t.is(await get('SELECT 1'), '1\n');
  t.is(await get('EXISTS TABLE nowhere'), '0\n');
  t.regex(await get('CREATE TABLE got (a Int8) ENGINE = Memory'), /^Code: 164\./);
  t.regex(await get('INSERT INTO got VALUES (1)'), /^Code: 164\./);
  t.is(await ask('EXISTS TABLE got'), '0\n');
});

test('the reply names format, type, id and zone', async (t) => {
  const response = await send('/?query_id=my-id&default_format=JSONCompact', 'SELECT 1');
  t.is(response.headers.get('content-type'), 'application/json; charset=UTF-8');
  t.is(response.headers.get('x-clickhouse-format'), 'JSONCompact');
  t.is(response.headers.get('x-clickhouse-query-id'), 'my-id');
  t.truthy(response.headers.get('x-clickhouse-timezone'));
  t.truthy(response.headers.get('x-clickhouse-summary'));
  t.is((await send('/', 'SELECT 1', { 'x-clickhouse-format': 'XML' })).headers.get('x-clickhouse-format'), 'XML');
});

test('credentials come as Basic, as headers or in the URL, and a wrong key is refused', async (t) => {
  const headers = { 'x-clickhouse-user': user, 'x-clickhouse-key': password };
  t.is((await fetch(`${url}/?query=SELECT+1`, { headers })).status, 200);
  t.is((await fetch(`${url}/?query=SELECT+1&user=${user}&password=${password}`)).status, 200);
  const wrong = await fetch(`${url}/?query=SELECT+1`, { headers: { ...headers, 'x-clickhouse-key': `${password}x` } });
  t.is(wrong.status, 403);
  t.is(wrong.headers.get('x-clickhouse-exception-code'), '516');
  const none = await fetch(`${url}/?query=SELECT+1`);
  t.is(none.status, 401);
  t.truthy(none.headers.get('www-authenticate'));
});

test('statements run side by side, more of them than there are sessions', async (t) => {
  const answers = await Promise.all(
    Array.from({ length: 60 }, async (_, i) => {
      const rows = await (
        await client.query({ query: `SELECT ${i} AS x, count() FROM numbers(100000)`, format: 'JSONEachRow' })
      ).json<{ x: number }>();
      return rows[0]?.x;
    }),
  );
  t.deepEqual(
    answers,
    Array.from({ length: 60 }, (_, i) => i),
  );
});

const running = (mark: string): Promise<string> =>
  ask(`SELECT count() FROM system.processes WHERE query LIKE '%${mark}%' AND query NOT LIKE '%system.processes%'`);

// Alone: it takes all processors until it is seen.
test.serial('a client that goes away cancels its query, whether it computes or sends', async (t) => {
  const computing = `SELECT count() /* computing */ FROM numbers(1000000000000) WHERE NOT ignore(sipHash64(number))`;
  const sending = 'SELECT number /* sending */ FROM numbers(100000000000) FORMAT TSV';
  const leave = new AbortController();
  const requests = [computing, sending].map((body) =>
    fetch(url, { method: 'POST', headers: { authorization }, body, signal: leave.signal }).then(() =>
      once(new EventTarget(), 'never', { signal: leave.signal }),
    ),
  );
  t.true(await until(async () => (await running('computing')) === '1\n' && (await running('sending')) === '1\n'));
  leave.abort();
  for (const one of await Promise.allSettled(requests)) t.is(one.status, 'rejected');
  t.true(await until(async () => (await running('computing')) === '0\n' && (await running('sending')) === '0\n'));
});

test('an aborted upload inserts nothing', async (t) => {
  await ask('CREATE TABLE whole (a Int32) ENGINE = Memory');
  const upload = httpRequest(`${url}/?query=${encodeURIComponent('INSERT INTO whole FORMAT CSV')}`, {
    method: 'POST',
    headers: { authorization },
  });
  upload.on('error', () => {});
  upload.write('1\n2\n');
  await sleep(100);
  upload.destroy();
  await sleep(200);
  t.is(await ask('SELECT count() FROM whole'), '0\n');
});

test('the number of log entries is right, whichever process changes the log', async (t) => {
  const count = 'SELECT count() FROM sluice.catalogue\nFORMAT JSONCompactEachRow';
  t.regex(await ask(count), /^Code: (?:60|81)\./);
  await ask('CREATE DATABASE sluice');
  await ask('CREATE TABLE sluice.catalogue (entry String) ENGINE = MergeTree ORDER BY tuple()');
  t.is(await ask(count), '[0]\n');
  await ask('INSERT INTO sluice.catalogue VALUES (1), (2)');
  t.is(await ask(count), '[2]\n');
  t.is(await ask(count), '[2]\n');
  await send(
    `/?param_place=catalogue&query=${encodeURIComponent('INSERT INTO sluice.{place:Identifier} FORMAT TSV')}`,
    'x\n',
  );
  t.is(await ask(count), '[3]\n');
  await ask('DROP DATABASE sluice');
});
