import { createHash } from 'node:crypto';
import test from 'ava';
import { lineTests } from '../support/inputs/line-tests.js';
import { root } from '../support/service/service.js';
import { sharedService } from '../support/service/shared-service.js';

const { service, neighbour, end } = await sharedService();
test.after.always(end);
const instant = '1700000000000000000';
const { columns, freshDatabase, refusal } = lineTests(service);

test('a line makes its super table, its sub-table and typed columns', async (t) => {
  const db = await freshDatabase();
  const line = `room.temp,site=north,floor=2 celsius=21.5,ok=t,n=3i ${instant}`;
  const reply = await service.write(line, { db });
  t.deepEqual([reply.status, reply.text], [204, '']);
  t.is(reply.headers['content-type'], undefined);
  t.deepEqual(await service.rows(`SHOW ${db}.STABLES`), [['room_temp']]);
  t.deepEqual(await service.rows(`SHOW ${db}.TABLES`), [['t_8ef06d0f5370118f010aad1fe20bd698']]);
  t.deepEqual(await columns(`${db}.room_temp`), [
    '_ts TIMESTAMP',
    'celsius DOUBLE',
    'ok BOOL',
    'n BIGINT',
    'floor NCHAR(2) *',
    'site NCHAR(8) *',
  ]);
  t.deepEqual(await service.rows(`SELECT tbname, _ts, celsius, ok, n, floor, site FROM ${db}.room_temp`), [
    ['t_8ef06d0f5370118f010aad1fe20bd698', '2023-11-14T22:13:20.000000000Z', 21.5, true, 3, '2', 'north'],
  ]);
});

test('a line without tags lands in a sub-table named after the table alone', async (t) => {
  const db = await freshDatabase();
  t.is((await service.write(`cpu v=1 ${instant}`, { db })).status, 204);
  t.deepEqual(await service.rows(`SELECT tbname, v, _tag_null FROM ${db}.cpu`), [
    ['t_d9747e2da342bdb995f6389533ad1a3d', 1, null],
  ]);
  t.deepEqual(await columns(`${db}.cpu`), ['_ts TIMESTAMP', 'v DOUBLE', '_tag_null NCHAR(1) *']);
});

test('every kind of field value has its type', async (t) => {
  const db = await freshDatabase();
  const fields = [
    'f=1.5',
    'f64=2.5f64',
    'f32=0.1f32',
    'i=-9223372036854775808i',
    'i64=9223372036854775807i64',
    'i8=-128i8',
    'i16=-32768i16',
    'i32=2147483647i32',
    'u=18446744073709551615u',
    'u8=255u8',
    'u16=65535u16',
    'u32=4294967295u32',
    'b1=TRUE',
    'b2=F',
    's="a \\"b\\" \\\\ c"',
    'n=L"über"',
    'x=B"\\xDEAD01"',
    'g=G"POINT(1 2)"',
    'nan=nan',
  ];
  t.is((await service.write(`kinds ${fields.join(',')} ${instant}`, { db })).text, '');
  const { text, body } = await service.sql(`SELECT * FROM ${db}.kinds`);
  t.deepEqual(
    body.column_meta.map(([name, type]) => `${name} ${type}`),
    [
      '_ts TIMESTAMP',
      'f DOUBLE',
      'f64 DOUBLE',
      'f32 FLOAT',
      'i BIGINT',
      'i64 BIGINT',
      'i8 TINYINT',
      'i16 SMALLINT',
      'i32 INT',
      'u BIGINT UNSIGNED',
      'u8 TINYINT UNSIGNED',
      'u16 SMALLINT UNSIGNED',
      'u32 INT UNSIGNED',
      'b1 BOOL',
      'b2 BOOL',
      's VARCHAR',
      'n NCHAR',
      'x VARBINARY',
      'g GEOMETRY',
      'nan DOUBLE',
      '_tag_null NCHAR',
    ],
  );
  t.deepEqual(body.data[0]?.slice(1), [
    1.5,
    2.5,
    0.1,
    '-9223372036854775808',
    '9223372036854775807',
    -128,
    -32768,
    2147483647,
    '18446744073709551615',
    255,
    65535,
    4294967295,
    true,
    false,
    'a "b" \\ c',
    'über',
    'dead01',
    '0101000000000000000000f03f0000000000000040',
    null,
    null,
  ]);
  t.regex(text, /[ ,]18446744073709551615,/);
});

test('credentials may come as u and p, and must come somehow', async (t) => {
  const db = await freshDatabase();
  const line = `c v=1 ${instant}`;
  const without = { auth: false } as const;
  t.is((await service.write(line, { db, u: root.user, p: root.password }, without)).status, 204);
  const nobody = await service.write(line, { db }, without);
  t.deepEqual(
    [nobody.status, nobody.text],
    [401, '{"code":"forbidden","message":"no auth info found","desc":"no auth info found"}'],
  );
  const wrong = await service.write(line, { db, u: root.user, p: 'wrong' }, without);
  t.is(wrong.status, 401);
  t.regex(wrong.text, /"code":"forbidden".*\[0x357\]/);
});

test('wrong parameters are named and nothing is written', async (t) => {
  const db = await freshDatabase();
  const cases = [
    [{}, 'not found', 'get db query'],
    [{ db, ttl: 'soon' }, 'illegal param', 'parse ttl'],
    [{ db, req_id: '-1' }, 'illegal param', 'parse req_id'],
    [{ db, precision: 'furlong' }, 'illegal param', 'parse precision'],
  ] as const;
  for (const [query, code, op] of cases) {
    const refused = await refusal(`p v=1 ${instant}`, { ...query });
    t.deepEqual([refused.status, refused.code, refused.op, refused.line], [400, code, op, 0]);
  }
  t.deepEqual(await service.rows(`SHOW ${db}.STABLES`), []);
});

test('good lines of a request are kept when others are bad, and the first bad one is named', async (t) => {
  const db = await freshDatabase();
  const lines = [
    `mix,h=a v=1i ${instant}`,
    '# a remark',
    '',
    `mix,h=b v=abc ${instant}`,
    'mix,h=c',
    `mix,h=d v=4i,s="x" ${instant}`,
    `mix,h=e v=1.5i ${instant}`,
    `other v=1 ${instant}`,
  ].join('\n');
  const refused = await refusal(lines, { db });
  t.deepEqual([refused.status, refused.code, refused.op, refused.line], [400, 'invalid', 'parse line', 4]);
  t.regex(refused.message, /^line 4: \[0x3002\] .*"abc".* \(3 rejected, 3 written\)$/);
  t.deepEqual(await service.rows(`SELECT h, v, s FROM ${db}.mix ORDER BY h`), [
    ['a', 1, null],
    ['d', 4, 'x'],
  ]);
  t.deepEqual(await service.rows(`SELECT v FROM ${db}.other`), [[1]]);
});

test('a text of InfluxDB 3 is written whole or not at all where its sender asks for that', async (t) => {
  const db = await freshDatabase();
  const send = (body: string) => service.request({ path: `/api/v3/write_lp?db=${db}&accept_partial=false`, body });
  t.is((await send('whole v=1i 1700000000\nwhole v=2i 1700000001')).status, 204);
  for (const second of ['whole', 'whole v="x" 1700000003', 'whole,_ts=1 v=4i 1700000003']) {
    const refused = await send(`whole v=3i 1700000002\nnew v=1 1700000002\n${second}`);
    t.is(refused.status, 400, second);
    const { desc, data } = JSON.parse(refused.text);
    t.regex(desc, /no line is written, because accept_partial is false: line 3: /);
    t.like(data, { original_line: second, line_number: 3 });
  }
  t.deepEqual(await service.rows(`SELECT _ts, v FROM ${db}.whole`), [
    ['2023-11-14T22:13:20.000000000Z', 1],
    ['2023-11-14T22:13:21.000000000Z', 2],
  ]);
  t.deepEqual(await service.rows(`SHOW ${db}.STABLES`), [['whole']]);
});

test('series whose tags look alike when they are written one behind the other stay apart', async (t) => {
  const db = await freshDatabase();
  const lines = `m,a=1\\,b\\=2 v=1 ${instant}\nm,a=1,b=2 v=2 ${instant}\nm\\,a=1,b=2 v=3 ${instant}`;
  t.is((await service.write(lines, { db })).status, 204);
  t.deepEqual(await service.rows(`SELECT a, b, v FROM ${db}.m ORDER BY v`), [
    ['1,b=2', null, 1],
    ['1', '2', 2],
  ]);
  t.deepEqual(await service.rows(`SELECT b, v FROM ${db}.\`m,a=1\``), [['2', 3]]);
});

test('a request of bad lines only writes nothing', async (t) => {
  const db = await freshDatabase();
  const refused = await refusal('x v=abc', { db });
  t.deepEqual([refused.status, refused.line], [400, 1]);
  t.deepEqual(await service.rows(`SHOW ${db}.STABLES`), []);
});

test('a field keeps its type', async (t) => {
  const db = await freshDatabase();
  t.is((await service.write(`a v=1i ${instant}`, { db })).status, 204);
  const refused = await refusal(`a v=1.5 1700000001000000000\na v=2i 1700000002000000000`, { db });
  t.deepEqual([refused.status, refused.line], [400, 1]);
  t.regex(refused.message, /\[0x3004\]/);
  t.deepEqual(await service.rows(`SELECT v FROM ${db}.a`), [[1], [2]]);
});

test('requests at the same time that disagree about the type of a new field: one type wins, no value is distorted', async (t) => {
  const db = await freshDatabase();
  const replies = await Promise.all(
    Array.from({ length: 40 }, (_, i) =>
      service.write(`race,n=${i} v=${i}${i % 2 === 0 ? '.5' : 'i'} ${instant}`, { db }),
    ),
  );
  const [, [, type] = []] = await service.rows(`DESCRIBE ${db}.race`);
  const winner = type === 'DOUBLE' ? 0 : 1;
  const expected = replies.map((_, i) => (i % 2 === winner ? 204 : 400));
  t.deepEqual(
    replies.map(({ status }) => status),
    expected,
  );
  const rows = await service.rows(`SELECT v FROM ${db}.race ORDER BY v`);
  const kept = Array.from({ length: 20 }, (_, i) => 2 * i + winner);
  t.deepEqual(
    rows,
    kept.map((n) => [winner === 0 ? n + 0.5 : n]),
  );
});

test('timestamps are read in the unit of the request and stored in that of the database', async (t) => {
  const micros = '1700000000123456';
  const cases = [
    ['h', '472222', '2023-11-14T22:00:00.000000000Z'],
    ['m', '28333333', '2023-11-14T22:13:00.000000000Z'],
    ['s', '1700000000', '2023-11-14T22:13:20.000000000Z'],
    ['ms', '1700000000123', '2023-11-14T22:13:20.123000000Z'],
    ['u', micros, '2023-11-14T22:13:20.123456000Z'],
    ['us', micros, '2023-11-14T22:13:20.123456000Z'],
    ['\u00b5', micros, '2023-11-14T22:13:20.123456000Z'],
    ['n', '1700000000123456789', '2023-11-14T22:13:20.123456789Z'],
    ['ns', '1700000000123456789', '2023-11-14T22:13:20.123456789Z'],
    ['', '1700000000123456789', '2023-11-14T22:13:20.123456789Z'],
  ] as const;
  const db = await freshDatabase();
  const coarse = await freshDatabase('ms');
  for (const [i, [precision, time]] of cases.entries()) {
    for (const name of [db, coarse])
      t.is((await service.write(`p,case=${i} v=1 ${time}`, { db: name, precision })).text, '', precision);
  }
  const times = (name: string) => service.rows(`SELECT _ts FROM ${name}.p ORDER BY \`case\``);
  t.deepEqual(
    await times(db),
    cases.map(([, , expected]) => [expected]),
  );
  t.deepEqual(
    await times(coarse),
    cases.map(([, , expected]) => [`${expected.slice(0, 23)}Z`]),
  );
});

test('a line without a time, or with 0, is of now', async (t) => {
  const db = await freshDatabase();
  const before = Date.now();
  t.is((await service.write('now,k=a v=1\nnow,k=b v=2 0', { db })).status, 204);
  const rows = await service.rows(`SELECT _ts FROM ${db}.now`);
  t.is(rows.length, 2);
  for (const [time] of rows) {
    const at = Date.parse(String(time));
    t.true(at >= before - 1 && at <= Date.now() + 1, String(time));
  }
});

test('times before 1970 and older than the database keeps are refused', async (t) => {
  const db = await freshDatabase();
  for (const time of ['-5', '1']) {
    const refused = await refusal(`old v=1 ${time}`, { db });
    t.deepEqual([refused.status, refused.line], [400, 1]);
    t.regex(refused.message, /\[0x60b\]/);
  }
});

test('escapes and remarks are understood', async (t) => {
  const db = await freshDatabase();
  const lines = `# hi\nh,host=a\\,b\\ c x="q\\"z" ${instant}\n`;
  t.is((await service.write(lines, { db })).status, 204);
  t.deepEqual(await service.rows(`SELECT host, x FROM ${db}.h`), [['a,b c', 'q"z']]);
});

test('names keep their case, and quoted ones reach them', async (t) => {
  const db = await freshDatabase();
  t.is((await service.write(`Case,Tag=x Field=1,field=2 ${instant}`, { db })).status, 204);
  t.deepEqual(await service.rows(`SELECT \`Field\`, field, \`Tag\` FROM ${db}.\`Case\``), [[1, 2, 'x']]);
});

test('an empty body is nothing to do', async (t) => {
  const db = await freshDatabase();
  t.is((await service.write('', { db })).status, 204);
  t.is((await service.write('\n\n# only a remark\n', { db })).status, 204);
});

test('a missing database is made on the first write only where that is allowed', async (t) => {
  t.is((await service.write(`m v=1 ${instant}`, { db: 'made_by_write', ack: 'stored' })).status, 204);
  t.deepEqual(await service.rows('SELECT _ts FROM made_by_write.m'), [['2023-11-14T22:13:20.000000000Z']]);
  const strict = await neighbour();
  const reply = await strict.write(`m v=1 ${instant}`, { db: 'never_made' });
  t.is(reply.status, 404);
  t.regex(reply.text, /"code":"not found".*\[0x388\]/);
  t.is(await service.code('DROP DATABASE never_made'), 0x388);
  t.is((await strict.write(`m v=2 ${instant}`, { db: 'made_by_write' })).status, 204);
  t.deepEqual(await service.rows('SELECT v FROM made_by_write.m'), [[2]]);
});

test('a time to live is given to the sub-tables that the request makes', async (t) => {
  const db = await freshDatabase();
  t.is((await service.write(`ttl,k=a v=1 ${instant}`, { db, ttl: '30' })).status, 204);
  t.is((await service.write(`ttl,k=b v=1 ${instant}`, { db })).status, 204);
  t.deepEqual(await service.rows(`SELECT k FROM ${db}.ttl ORDER BY k`), [['a'], ['b']]);
});

test('sub-table names follow from the sorted tags', async (t) => {
  const db = await freshDatabase();
  const hash = createHash('md5').update('weather,city=oslo').digest('hex');
  t.is(hash, 'ddbc9663d0b038b5fc1479d4c92fe0d5');
  t.is((await service.write(`weather,city=oslo v=1 ${instant}`, { db })).status, 204);
  const again = `weather,b=2,a=1 v=1 ${instant}\nweather,a=1,b=2 v=2 1700000001000000000`;
  t.is((await service.write(again, { db })).status, 204);
  t.deepEqual(
    await service.rows(`SHOW ${db}.TABLES`),
    [[`t_${hash}`], [`t_${createHash('md5').update('weather,a=1,b=2').digest('hex')}`]].sort(),
  );
});

test('lines reach a super table that a statement made, and what does not fit is refused', async (t) => {
  const db = await freshDatabase('ms');
  await service.run(`CREATE STABLE ${db}.made (_ts TIMESTAMP, v INT, s VARCHAR(4)) TAGS (k NCHAR(4))`);
  t.is((await service.write('made,k=a v=1i32,s="ab" 1700000000000', { db, precision: 'ms' })).text, '');
  t.is((await service.write('made,k=a v=2i 1700000000001', { db, precision: 'ms' })).status, 400);
  t.deepEqual(await service.rows(`SELECT v, s, k FROM ${db}.made`), [[1, 'ab', 'a']]);
});

test('what one service has stored, another on the same engine reads at once', async (t) => {
  const db = await freshDatabase();
  const other = await neighbour();
  for (let i = 0; i < 5; i++) {
    const writer = i % 2 === 0 ? service : other;
    t.is((await writer.write(`both,k=${i} f${i}=1 ${instant}`, { db, ack: 'stored' })).text, '');
    for (const reader of [service, other])
      t.deepEqual(await reader.rows(`SELECT count(*), sum(f${i}) FROM ${db}.\`both\``), [[i + 1, 1]]);
  }
});
