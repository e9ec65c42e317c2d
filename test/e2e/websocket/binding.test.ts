import test from 'ava';
import { boundFields, boundTables, type TestColumn, type TestTable } from '../../support/inputs/bound-rows.js';
import { SocketClient, type SocketReply } from '../../support/inputs/socket-client.js';
import { fetchRows, queryRows } from '../../support/inputs/socket-rows.js';
import { sharedService } from '../../support/service/shared-service.js';

const { service, end } = await sharedService();
test.after.always(end);
test.before(async () => {
  await service.run('CREATE DATABASE bound');
});

const start = 1_700_000_000_000;

function open(members = {}): Promise<SocketClient> {
  return SocketClient.logIn(service.port, { user: 'root', password: 'taosdata', db: 'bound', ...members });
}

/** Prepares a statement; gives its id and the answer. */
async function prepare(client: SocketClient, sql: string): Promise<{ id: bigint; reply: SocketReply }> {
  const { stmt_id } = await client.request('stmt2_init', { single_stb_insert: true });
  const id = BigInt(String(stmt_id));
  return { id, reply: await client.request('stmt2_prepare', { stmt_id: id, sql, get_fields: true }) };
}

async function write(client: SocketClient, id: bigint, tables: readonly TestTable[]): Promise<SocketReply> {
  const bound = await client.reply(client.send(9, id, boundTables(tables)));
  return bound.code === 0 ? client.request('stmt2_exec', { stmt_id: id }) : bound;
}

function column(type: number, ...values: TestColumn['values']): TestColumn {
  return { type, values };
}

const times = (rows: number): TestColumn => column(9, ...Array.from({ length: rows }, (_, at) => start + at));

test('rows of every type are bound as they are, with NULLs', async (t) => {
  await service.run(`CREATE STABLE bound.typed (ts TIMESTAMP, b BOOL, i1 TINYINT, i2 SMALLINT, i4 INT, i8 BIGINT,
    u1 TINYINT UNSIGNED, u2 SMALLINT UNSIGNED, u4 INT UNSIGNED, u8 BIGINT UNSIGNED, f FLOAT, d DOUBLE, v VARCHAR(20), n NCHAR(5),
    bin VARBINARY(10), g GEOMETRY(64), at TIMESTAMP, exact DECIMAL(10,2), wide DECIMAL(30,5)) TAGS (place NCHAR(10), floor INT)`);
  const client = await open();
  const names = 'ts, b, i1, i2, i4, i8, u1, u2, u4, u8, f, d, v, n, bin, g, at, exact, wide';
  const { id, reply } = await prepare(
    client,
    `INSERT INTO ? USING typed (place, floor) TAGS (?, ?) (${names}) VALUES (${names.replace(/\w+/g, '?')})`,
  );
  t.like(reply, { code: 0, is_insert: true, fields_count: 22 });
  const fields = reply.fields as unknown as { name: string; bind_type: number; field_type: number; bytes: number }[];
  t.deepEqual(
    fields.slice(0, 4).map(({ name, bind_type, field_type }) => [name, bind_type, field_type]),
    [
      ['tbname', 4, 8],
      ['place', 2, 10],
      ['floor', 2, 4],
      ['ts', 1, 9],
    ],
  );
  t.is(fields.find(({ name }) => name === 'v')?.bytes, 22);
  const point = Buffer.from('0101000000000000000000f03f0000000000000040', 'hex');
  const answer = await write(client, id, [
    {
      name: 't1',
      tags: [column(10, "o'ben \\ ü"), column(4, -7)],
      columns: [
        times(3),
        column(1, true, null, false),
        column(2, -128, null, 127),
        column(3, -32768, null, 32767),
        column(4, -2147483648, null, 2147483647),
        column(5, -9223372036854775808n, null, 9223372036854775807n),
        column(11, 255, null, 0),
        column(12, 65535, null, 0),
        column(13, 4294967295, null, 0),
        column(14, 18446744073709551615n, null, 0),
        column(6, 1.5, null, -0.25),
        column(7, 1.1, null, -1e300),
        column(8, "a'b\\", null, ''),
        column(10, 'ü€😀', null, ''),
        column(16, Buffer.from([0, 255]), null, Buffer.alloc(0)),
        column(20, point, null, point),
        column(9, start, null, 0),
        column(21, '12345678.99', null, '-0.01'),
        column(17, '1234567890123456789012345.54321', null, '-1'),
      ],
    },
  ]);
  t.like(answer, { code: 0, affected: 3, action: 'stmt2_exec' });
  const { data } = (await service.sql('SELECT *, place, floor FROM bound.t1 ORDER BY ts')).body;
  t.deepEqual(data[0]?.slice(1), [
    true,
    -128,
    -32768,
    -2147483648,
    '-9223372036854775808',
    255,
    65535,
    4294967295,
    '18446744073709551615',
    1.5,
    1.1,
    "a'b\\",
    'ü€😀',
    '00ff',
    point.toString('hex'),
    '2023-11-14T22:13:20.000Z',
    '12345678.99',
    '1234567890123456789012345.54321',
    "o'ben \\ ü",
    -7,
  ] as unknown[]);
  t.deepEqual(
    data[1]?.slice(1, -2),
    Array.from({ length: 18 }, () => null),
  );
  t.deepEqual(data[2]?.slice(10, 15), [-0.25, -1e300, '', '', '']);
  const read = await queryRows(client, 'SELECT i8, u8 FROM t1 ORDER BY ts LIMIT 1');
  t.deepEqual(read.rows, [[-9223372036854775808n, 18446744073709551615n]]);
  client.socket.close();
});

test('rows of many tables are bound together, in both forms, and tables are made', async (t) => {
  await service.run('CREATE STABLE bound.many (ts TIMESTAMP, v INT) TAGS (g INT, s VARCHAR(10))');
  const client = await open();
  const { id } = await prepare(client, 'INSERT INTO ? USING many TAGS (?, ?) VALUES (?, ?)');
  const tables = Array.from({ length: 100 }, (_, at) => ({
    name: `m${at}`,
    tags: [column(4, at), column(8, at % 2 === 0 ? `s${at}` : null)],
    columns: [times(5), column(4, at, at + 1, at + 2, null, at + 4)],
  }));
  t.like(await write(client, id, tables), { code: 0, affected: 500 });
  t.deepEqual(await service.rows('SELECT count(*), sum(v) FROM bound.many'), [[500, 20_500]]);
  t.deepEqual(
    await service.rows("SELECT DISTINCT tbname, g, s FROM bound.many WHERE tbname IN ('m1', 'm2') ORDER BY g"),
    [
      ['m1', 1, null],
      ['m2', 2, 's2'],
    ],
  );
  const fields = [
    column(8, 'n1', 'n1', 'n2', 'm1'),
    column(4, 1, 1, 2, 9),
    column(8, 'a', 'a', 'b', 'c'),
    column(9, start, start + 1, start, start + 9),
    column(4, 10, 11, null, 12),
  ];
  t.like(await client.reply(client.send(11, id, boundFields(4, 3, fields))), {
    code: 0,
    affected: 4,
    action: 'stmt2_bind_exec',
  });
  t.deepEqual(
    await service.rows(
      "SELECT tbname, g, s, v FROM bound.many WHERE g < 3 AND tbname IN ('n1', 'n2') ORDER BY tbname, ts",
    ),
    [
      ['n1', 1, 'a', 10],
      ['n1', 1, 'a', 11],
      ['n2', 2, 'b', null],
    ],
  );
  t.deepEqual(await service.rows('SELECT v FROM bound.m1 ORDER BY ts DESC LIMIT 1'), [[12]]);
  t.like(await client.request('stmt2_close', { stmt_id: id }), { code: 0 });
  t.like(await client.request('stmt2_exec', { stmt_id: id }), { code: 0xffff, message: 'stmt is nil' });
  client.socket.close();
});

test('a super table with tbname among its columns, a fixed table, a table of another database, and its own names', async (t) => {
  await service.run('CREATE DATABASE other_bound');
  await service.run('CREATE TABLE other_bound.`Fixed 1` (ts TIMESTAMP, v INT, w VARCHAR(10))');
  await service.run('CREATE STABLE bound.named (ts TIMESTAMP, v INT) TAGS (g INT)');
  const client = await open();
  const named = await prepare(client, 'INSERT INTO named (tbname, ts, v, g) VALUES (?, ?, ?, ?)');
  const fields = named.reply.fields as unknown as { name: string; bind_type: number }[];
  t.deepEqual(
    fields.map(({ name, bind_type }) => [name, bind_type]),
    [
      ['tbname', 4],
      ['ts', 1],
      ['v', 1],
      ['g', 2],
    ],
  );
  const table = { name: 'Wild-name.1', tags: [column(4, 5)], columns: [times(1), column(4, 1)] };
  t.like(await write(client, named.id, [table]), { code: 0x2617 });
  t.like(await write(client, named.id, [{ ...table, name: 'Wild-name' }]), { code: 0, affected: 1 });
  t.deepEqual(await service.rows('SELECT tbname, g, v FROM bound.named'), [['Wild-name', 5, 1]]);
  const fixed = await prepare(client, 'INSERT INTO other_bound.`Fixed 1` (w, ts) VALUES (?, ?)');
  t.like(await write(client, fixed.id, [{ columns: [column(8, 'x', null), times(2)] }]), { code: 0, affected: 2 });
  t.deepEqual(await service.rows('SELECT v, w FROM other_bound.`Fixed 1` ORDER BY ts'), [
    [null, 'x'],
    [null, null],
  ]);
  client.socket.close();
});

test('queries take parameters', async (t) => {
  await service.run('CREATE TABLE bound.asked (ts TIMESTAMP, v INT, w NCHAR(10), d DOUBLE)');
  await service.run(`INSERT INTO bound.asked VALUES (${start}, 1, "o'ben", 0.5) (${start + 1}, 2, '?', 1.5)`);
  const client = await open();
  const { id, reply } = await prepare(client, "SELECT v, '?' FROM asked WHERE ts >= ? AND w = ? AND d < ? -- ?");
  t.like(reply, { code: 0, is_insert: false, fields_count: 3, fields: null });
  for (const [text, value] of [
    ["o'ben", 1],
    ['?', 2],
  ] as const) {
    const bind = await write(client, id, [{ columns: [column(9, start), column(8, text), column(7, 2.5)] }]);
    t.like(bind, { code: 0, affected: 0 });
    const result = await client.request('stmt2_result', { stmt_id: id });
    t.deepEqual((await fetchRows(client, result)).rows, [[value, '?']]);
  }
  t.like(await client.request('stmt2_result', { stmt_id: id }), {
    code: 0xffff,
    message: 'the statement has no result',
  });
  client.socket.close();
});

test('the older form binds JSON and raw blocks, table by table', async (t) => {
  await service.run(
    'CREATE STABLE bound.older (ts TIMESTAMP, v BIGINT, n NCHAR(10), bin VARBINARY(4)) TAGS (g INT, s NCHAR(10))',
  );
  const client = await open();
  const { stmt_id } = await client.request('init');
  t.like(
    await client.request('prepare', { stmt_id, sql: 'INSERT INTO ? USING older TAGS (?, ?) VALUES (?, ?, ?, ?)' }),
    { code: 0, is_insert: true },
  );
  for (const name of ['o1', 'o2']) {
    t.like(await client.request('set_table_name', { stmt_id, name }), { code: 0, stmt_id });
    const tagFields = await client.request('get_tag_fields', { stmt_id });
    t.deepEqual(
      (tagFields.fields as unknown as { name: string }[]).map((field) => field.name),
      ['g', 's'],
    );
    t.like(await client.request('set_tags', { stmt_id, tags: [7, null] }), { code: 0 });
    t.like(
      await client.request('bind', {
        stmt_id,
        columns: [
          [start, '2023-11-14T22:13:20.001Z'],
          [9223372036854775807n, null],
          ['ü', null],
          ['00ff', null],
        ],
      }),
      { code: 0 },
    );
    t.like(await client.request('add_batch', { stmt_id }), { code: 0 });
  }
  t.like(await client.request('exec', { stmt_id }), { code: 0, affected: 4 });
  t.deepEqual(
    await service.rows('SELECT tbname, v, n, bin, g, s FROM bound.older ORDER BY tbname, ts'),
    ['o1', 'o2'].flatMap((name) => [
      [name, '9223372036854775807', 'ü', '00ff', 7, null],
      [name, null, null, null, 7, null],
    ]) as unknown[][],
  );
  t.like(await client.request('stmt_num_params', { stmt_id }), { num_params: 4 });
  t.like(await client.request('stmt_get_param', { stmt_id, index: 1 }), { data_type: 5, length: 8 });
  client.tell('close', { stmt_id: Number(stmt_id) });
  t.like(await client.request('exec', { stmt_id }), { code: 0xffff, stmt_id });
  client.socket.close();
});

test('the older form binds parameters of a query without a batch', async (t) => {
  await service.run('CREATE TABLE bound.older_query (ts TIMESTAMP, v INT)');
  await service.run('INSERT INTO bound.older_query VALUES (1700000000000, 5) (1700000000001, 50)');
  const client = await open();
  const { stmt_id } = await client.request('init');
  await client.request('prepare', { stmt_id, sql: 'SELECT v FROM older_query WHERE v < ?' });
  t.like(await client.request('stmt_num_params', { stmt_id }), { num_params: 1 });
  const { id } = await client.request('query', { sql: 'SELECT CAST(10 AS INT)' });
  await client.request('fetch', { id });
  const block = await client.nextBinary(() => client.tell('fetch_block', { id }));
  t.like(await client.reply(client.send(2, BigInt(String(stmt_id)), block.subarray(16))), { code: 0 });
  t.like(await client.request('exec', { stmt_id }), { code: 0, affected: 0 });
  const { result_id } = await client.request('use_result', { stmt_id });
  t.like(await client.request('fetch', { id: result_id }), { code: 0, rows: 1 });
  client.socket.close();
});

test('a raw block is written to a table, with all columns of it or those that are named', async (t) => {
  await service.run('CREATE TABLE bound.raw_from (ts TIMESTAMP, v INT, s NCHAR(8), b VARCHAR(8))');
  await service.run('CREATE TABLE bound.raw_to (ts TIMESTAMP, v INT, s NCHAR(8), b VARCHAR(8))');
  await service.run(`INSERT INTO bound.raw_from VALUES (${start}, 5, 'é', NULL) (${start + 1}, NULL, NULL, 'b')`);
  const client = await open();
  const blockOf = async (sql: string): Promise<Buffer> => {
    const { id } = await client.request('query', { sql });
    await client.request('fetch', { id });
    return (await client.nextBinary(() => client.tell('fetch_block', { id }))).subarray(16);
  };
  const head = Buffer.from([2, 0, 0, 0, 6, 0, ...Buffer.from('raw_to')]);
  const block = await blockOf('SELECT * FROM raw_from ORDER BY ts');
  t.like(await client.reply(client.send(4, 7n, Buffer.concat([head, block]))), { code: 0, action: 'write_raw_block' });
  t.deepEqual(await service.rows('SELECT v, s, b FROM bound.raw_to ORDER BY ts'), [
    [5, 'é', null],
    [null, null, 'b'],
  ]);
  const field = (name: string): Buffer => Buffer.concat([Buffer.from(name), Buffer.alloc(72 - name.length)]);
  const part = await blockOf('SELECT b, ts + 1s FROM raw_from ORDER BY ts');
  const named = Buffer.concat([head, part, field('b'), field('ts')]);
  t.like(await client.reply(client.send(5, 7n, named)), { code: 0, action: 'write_raw_block_with_fields' });
  t.deepEqual(await service.rows(`SELECT v, s, b FROM bound.raw_to WHERE ts > ${start + 1} ORDER BY ts`), [
    [null, null, null],
    [null, null, 'b'],
  ]);
  for (const broken of [
    named.subarray(0, 9),
    named.subarray(0, 60),
    Buffer.concat([named, field('x')]),
    named.subarray(0, -1),
  ]) {
    t.not((await client.reply(client.send(5, 7n, broken))).code, 0);
  }
  t.deepEqual(await service.rows('SELECT COUNT(*) FROM bound.raw_to'), [[4]]);
  client.socket.close();
});

test('what is bound wrongly gets an error that says why, and writes nothing', async (t) => {
  await service.run('CREATE STABLE bound.strict (ts TIMESTAMP, v INT, w VARCHAR(3), n NCHAR(2)) TAGS (g INT)');
  const client = await open();
  const { id } = await prepare(client, 'INSERT INTO ? USING strict TAGS (?) VALUES (?, ?, ?, ?)');
  const good = [times(1), column(4, 1), column(8, 'abc'), column(10, 'äö')];
  const put = (at: number, value: TestColumn) => good.map((each, index) => (index === at ? value : each));
  for (const [columns, message] of [
    [put(1, column(5, 1)), /column v has the type INT, and BIGINT is bound/],
    [put(2, column(8, 'abcd')), /Value too long.*w/],
    [put(3, column(10, 'äöü')), /Value too long.*n/],
    [put(2, column(8, Buffer.from([0xff]))), /column w, row 1: the text is not UTF-8/],
    [put(0, column(9, null)), /primary timestamp/],
    [put(0, column(9, -1_000_000_000_000_000n)), /Timestamp data out of range/],
    [good.slice(0, 3), /4 parameters for columns, and 3 are bound/],
    [put(1, column(4, 1, 2)), /has 2 rows/],
  ] as const) {
    const answer = await write(client, id, [{ name: 's1', tags: [column(4, 1)], columns }]);
    t.not(answer.code, 0);
    t.regex(answer.message, message);
  }
  const halved = boundTables([
    { name: 's1', tags: [column(4, 1)], columns: [times(2), column(8, 'ä', 'b'), column(4, 1, 1), column(4, 1, 1)] },
  ]);
  // The length of the first text ends within a character.
  const at = halved.indexOf(Buffer.from('äb')) - 12;
  halved.writeUInt32LE(1, at);
  halved.writeUInt32LE(2, at + 4);
  t.like(await client.reply(client.send(9, id, halved)), { code: 0 });
  t.not((await client.request('stmt2_exec', { stmt_id: id })).code, 0);
  t.like(await write(client, id, [{ tags: [column(4, 1)], columns: good }]), {
    message: 'Invalid parameters: the name of the table is not bound',
  });
  t.deepEqual(await service.rows('SELECT count(*) FROM bound.strict'), [[0]]);
  for (const [sql, message] of [
    ['INSERT INTO ? USING strict TAGS (?) VALUES (?, 1, ?, ?)', /must be a parameter/],
    ['INSERT INTO ? USING ? TAGS (?) VALUES (?, ?, ?, ?)', /super table cannot be a parameter/],
    ['INSERT INTO ? USING strict TAGS (?) VALUES (?, ?)', /Illegal number of columns/],
    ['INSERT INTO missing VALUES (?, ?)', /not exist/],
  ] as const) {
    t.regex((await prepare(client, sql)).reply.message, message, sql);
  }
  client.socket.close();
});

test('a user without the right to write neither prepares nor writes', async (t) => {
  await service.run('CREATE TABLE bound.locked (ts TIMESTAMP, v INT)');
  await service.run("CREATE USER bea PASS 'Secret-12345'");
  await service.run('GRANT WRITE ON bound.* TO bea');
  const client = await open({ user: 'bea', password: 'Secret-12345' });
  const { id, reply } = await prepare(client, 'INSERT INTO locked VALUES (?, ?)');
  t.is(reply.code, 0);
  await service.run('REVOKE WRITE ON bound.* FROM bea');
  t.not((await write(client, id, [{ columns: [times(1), column(4, 1)] }])).code, 0);
  t.not((await prepare(client, 'INSERT INTO locked VALUES (?, ?)')).reply.code, 0);
  t.deepEqual(await service.rows('SELECT count(*) FROM bound.locked'), [[0]]);
  client.socket.close();
});
