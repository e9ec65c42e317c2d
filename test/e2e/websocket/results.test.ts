import test from 'ava';
import { type ExactJson, parseExactJson } from '../../../src/text/exact-json.js';
import { SocketClient } from '../../support/inputs/socket-client.js';
import { queryRows } from '../../support/inputs/socket-rows.js';
import { sharedService } from '../../support/service/shared-service.js';
import { everything, everythingAsked } from '../../support/sql/everything.js';
import { until } from '../../support/until.js';

const { service, end } = await sharedService();
test.after.always(end);
test.before(async () => {
  for (const statement of everything) await service.run(statement);
  await service.run('CREATE DATABASE fine PRECISION "ns"');
  await service.run('CREATE TABLE fine.t (ts TIMESTAMP, v INT)');
  await service.run('INSERT INTO fine.t VALUES (1700000000123456789, 1)');
});

const root = { user: 'root', password: 'taosdata' };

function open(members = {}): Promise<SocketClient> {
  return SocketClient.logIn(service.port, { ...root, ...members });
}

/** A value as text, as REST and blocks both have it. */
function shown(value: unknown, [, type]: readonly unknown[], precision: number): string {
  if (value === null || value === undefined) return 'NULL';
  if (type === 'TIMESTAMP') {
    if (typeof value === 'bigint') return String(value * 10n ** BigInt(9 - 3 * (1 + precision)));
    const [, seconds = '', fraction = ''] = /^(.*:\d\d)(?:\.(\d+))?Z$/.exec(String(value)) ?? [];
    return String(BigInt(Date.parse(`${seconds}Z`)) * 1_000_000n + BigInt(fraction.padEnd(9, '0')));
  }
  if (type === 'FLOAT') return String(Math.fround(Number(value)));
  if (type === 'JSON') return JSON.stringify(typeof value === 'string' ? (parseExactJson(value) ?? value) : value);
  return String(value);
}

async function compare(client: SocketClient, sql: string): Promise<[rest: unknown[][], blocks: unknown[][]]> {
  const body = parseExactJson((await service.sql(sql)).text) as unknown as {
    column_meta: ExactJson[][];
    data: ExactJson[][];
  };
  const { rows, reply } = await queryRows(client, sql);
  const shownRows = (all: readonly (readonly unknown[])[], isBlock: boolean) =>
    all.map((row) =>
      row.map((value, at) => shown(value, body.column_meta[at] ?? [], isBlock ? Number(reply.precision) : 2)),
    );
  const names = body.column_meta.map(([name]) => name);
  return [
    [names, ...shownRows(body.data, false)],
    [reply.fields_names as unknown[], ...shownRows(rows, true)],
  ];
}

test('all that a database may hold comes in blocks as over REST', async (t) => {
  const client = await open();
  for (const sql of [
    ...everythingAsked,
    'SELECT 1, NULL, true, 1.5, "text", 18446744073709551615, -9223372036854775808',
    'SELECT ts, v FROM fine.t',
    'SELECT count(*), avg(d), sum(i), first(ts), last(v) FROM every.s',
    'SELECT _wstart, _wend, count(*) FROM every.s INTERVAL(1a)',
    'SELECT tbname, count(*) FROM every.s PARTITION BY tbname ORDER BY tbname',
    'SHOW DATABASES',
    'SHOW every.TABLES',
    'SHOW CREATE TABLE every.keyed',
    'EXPLAIN SELECT * FROM every.s',
    'SELECT * FROM every.s WHERE ts < 0',
    'SELECT * FROM information_schema.ins_columns WHERE db_name = "every" ORDER BY table_name, col_name',
    'SELECT a.ts, b.ts FROM (SELECT ts FROM fine.t) a, (SELECT ts FROM fine.t) b WHERE a.ts = b.ts',
  ]) {
    const [rest, blocks] = await compare(client, sql);
    t.deepEqual(blocks, rest, sql);
  }
  client.socket.close();
});

test('both ways to fetch give the same rows, and a result that was read is gone', async (t) => {
  const client = await open({ db: 'every' });
  const { rows } = await queryRows(client, 'SELECT * FROM typed ORDER BY ts');
  const steps = await queryRows(client, 'SELECT * FROM typed ORDER BY ts', 'steps');
  t.deepEqual(steps.rows, rows);
  t.like(await client.request('fetch', { id: steps.reply.id }), { code: 0xffff, message: 'result is nil' });
  await t.throwsAsync(queryRows(client, 'SELECT * FROM missing'), { message: /Table does not exist: missing/ });
  client.socket.close();
});

test('a connection has a database, which USE changes, and a zone', async (t) => {
  await t.throwsAsync(open({ db: 'none' }), { message: /Database not exist/ });
  const client = await open({ db: 'every', tz: 'Asia/Tokyo' });
  t.is((await client.request('get_current_db')).db, 'every');
  t.is((await queryRows(client, 'SELECT * FROM t1')).rows.length, 1);
  t.like(await client.request('query', { sql: 'USE missing' }), { code: 0x0388 });
  t.is((await client.request('get_current_db')).db, 'every');
  t.like(await client.request('query', { sql: 'use fine;' }), { code: 0, is_update: true, affected_rows: 0 });
  t.is((await client.request('get_current_db')).db, 'fine');
  t.is((await queryRows(client, 'SELECT * FROM t')).rows.length, 1);
  const tokyo = await queryRows(client, "SELECT to_unixtimestamp('2026-01-01 09:00:00')");
  t.is(String(tokyo.rows[0]?.[0]), String(Date.UTC(2026, 0, 1)));
  t.like(await client.request('query', { sql: 'INSERT INTO t VALUES (1700000000123456790, 2)' }), {
    is_update: true,
    affected_rows: 1,
  });
  client.socket.close();
});

test('a result of many rows is read as it is fetched, and its slot is free once it is freed', async (t) => {
  await service.run('CREATE TABLE fine.many (ts TIMESTAMP, v INT, w VARCHAR(20), n NCHAR(10))');
  const values = Array.from(
    { length: 10_000 },
    (_, at) => `(${1_700_000_000_000_000_000n + BigInt(at)}, ${at}, 'w${at}', 'ä€😀')`,
  );
  for (let part = 0; part < 10; part++) {
    await service.run(`INSERT INTO fine.many VALUES ${values.join(' ').replaceAll('(17000', `(17${part}00`)}`);
  }
  const client = await open({ db: 'fine' });
  const { rows, blocks } = await queryRows(client, 'SELECT * FROM many');
  t.is(rows.length, 100_000);
  t.true(blocks > 1);
  t.deepEqual(rows[77]?.slice(1), [77, 'w77', 'ä€😀']);
  // Too long to be buffered.
  const long = Array.from({ length: 6 }, () => 'SELECT * FROM many').join(' UNION ALL ');
  const running = async (): Promise<number> =>
    (await service.rows('SHOW QUERIES')).filter((row) => JSON.stringify(row).includes('FROM many UNION ALL')).length;
  const ids: unknown[] = [];
  for (let at = 0; at < 5; at++) {
    const { code, id } = await client.request('query', { sql: long });
    t.is(code, 0);
    ids.push(id);
  }
  t.is(await running(), 5);
  for (const id of ids) client.tell('free_result', { id: Number(id) });
  t.true(await until(async () => (await running()) === 0));
  await client.request('query', { sql: long });
  client.socket.terminate();
  t.true(await until(async () => (await running()) === 0));
});

test('queries in binary messages, and lengths that lie', async (t) => {
  const client = await open();
  const message = (length: number, text: string) => {
    const head = Buffer.alloc(6);
    head.writeUInt16LE(1);
    head.writeUInt32LE(length, 2);
    return Buffer.concat([head, Buffer.from(text)]);
  };
  t.like(await client.reply(client.send(6, 0n, message(8, 'select 1'))), { code: 0, fields_count: 1 });
  t.like(await client.reply(client.send(6, 0n, message(2 ** 31, 'select 1'))), { code: 0xffff });
  t.like(await client.reply(client.send(6, 0n, message(0, 'select 1'))), { code: 0x1107 });
  t.like(await client.reply(client.send(6, 0n, Buffer.from([2, 0, 1, 0, 0, 0, 65]))), {
    message: 'unknown binary query version: 2',
  });
  const answer = await client.fetch(7, 99n, Buffer.from([1, 0]));
  t.is(answer.readUInt32LE(34), 0xffff);
  client.socket.close();
});

test('statements are validated without running, and blocks of rows are not written', async (t) => {
  const client = await open({ db: 'every' });
  const text = (sql: string) => {
    const head = Buffer.alloc(6);
    head.writeUInt16LE(1);
    head.writeUInt32LE(Buffer.byteLength(sql), 2);
    return Buffer.concat([head, Buffer.from(sql)]);
  };
  for (const [sql, code] of [
    ['DROP DATABASE every', 0],
    ['SELECT * FROM', 0x2601],
    ['INSERT INTO t1 VALUES (?, ?)', 0],
    ['INSERT INTO missing VALUES (?, ?)', 0x2603],
  ] as const) {
    const answer = await client.reply(client.send(10, 0n, text(sql)));
    t.like(answer, { code: 0, action: 'validate_sql', result_code: code }, sql);
  }
  t.like(await client.reply(client.send(3, 0n, Buffer.alloc(40))), { code: 0x0100, action: 'write_raw' });
  t.is((await queryRows(client, 'SELECT * FROM t1')).rows.length, 1);
  client.socket.close();
});

test('a changed password counts at the next request, and a dropped user loses the connection', async (t) => {
  await service.run("CREATE USER eve PASS 'Secret-12345'");
  await service.run('GRANT READ ON every.* TO eve');
  const client = await SocketClient.logIn(service.port, { user: 'eve', password: 'Secret-12345' });
  t.is((await queryRows(client, 'SELECT * FROM every.t1')).rows.length, 1);
  await service.run('REVOKE READ ON every.* FROM eve');
  await t.throwsAsync(queryRows(client, 'SELECT * FROM every.t1'));
  await service.run("ALTER USER eve PASS 'Other-12345'");
  t.like(await client.request('query', { sql: 'SELECT 1' }), { code: 0x0357 });
  await service.run('DROP USER eve');
  const begun = performance.now();
  t.is(await client.closed(), 1008);
  t.true(performance.now() - begun < 3_000);
});

test('connections are listed for their users and administrators, who may close them', async (t) => {
  await service.run("CREATE USER kim PASS 'Secret-12345'");
  const client = await SocketClient.logIn(service.port, {
    user: 'kim',
    password: 'Secret-12345',
    app: 'an app',
    connector: 'test-1',
  });
  const other = await open({ app: 'root app' });
  const listed = await service.rows(
    "SELECT user, connector_info, user_app, user_ip FROM performance_schema.perf_connections WHERE app = 'websocket' ORDER BY user",
  );
  t.true(
    listed.some(
      ([user, connector, app, address]) =>
        user === 'kim' && connector === 'test-1' && app === 'an app' && address === '127.0.0.1',
    ),
  );
  const own = "SELECT conn_id, user_app FROM performance_schema.perf_connections WHERE app = 'websocket'";
  const [row, ...more] = (await queryRows(client, own)).rows;
  t.deepEqual([more, row?.[1]], [[], 'an app']);
  const [[rootId] = []] = await service.rows(`${own} AND user_app = 'root app'`);
  await queryRows(client, `KILL CONNECTION ${rootId}`);
  t.is((await queryRows(other, 'SELECT 1')).rows.length, 1);
  await service.run(`KILL CONNECTION ${row?.[0]}`);
  t.is(await client.closed(), 1001);
  t.true(await until(async () => (await service.rows(`${own} AND user_app = 'an app'`)).length === 0));
  other.socket.close();
});
