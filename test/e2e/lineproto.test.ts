import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import test from 'ava';
import { root } from '../support/service.js';
import { sharedService } from '../support/shared-service.js';

const { service, neighbour, end } = await sharedService();
test.after.always(end);

const instant = '1700000000000000000';
let databases = 0;

/** A database of its own for a test; nanoseconds unless told otherwise. */
async function freshDatabase(precision = 'ns'): Promise<string> {
  databases++;
  const name = `lines_${databases}`;
  await service.run(`CREATE DATABASE ${name} PRECISION '${precision}'`);
  return name;
}

interface Refusal {
  readonly code: string;
  readonly message: string;
  readonly op?: string;
  readonly line?: number;
}

async function refusal(
  lines: string,
  query: Readonly<Record<string, string>>,
): Promise<{ readonly status: number } & Refusal> {
  const reply = await service.write(lines, query);
  const body: Refusal = reply.text === '' ? { code: '', message: '' } : JSON.parse(reply.text);
  return { status: reply.status, ...body };
}

/** Columns of a table as `name TYPE(length)`, tags with a star. */
async function columns(table: string): Promise<string[]> {
  const rows = await service.rows(`DESCRIBE ${table}`);
  return rows.map(([name, type, length, note]) => {
    const width = type === 'VARCHAR' || type === 'NCHAR' || type === 'VARBINARY' || type === 'GEOMETRY';
    return `${name} ${type}${width ? `(${length})` : ''}${note === 'TAG' ? ' *' : ''}`;
  });
}

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
  t.deepEqual([nobody.status, nobody.text], [401, '{"code":"forbidden","message":"no auth info found"}']);
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
  const strict = await service.attach();
  t.teardown(() => strict.stop());
  const reply = await strict.write(`m v=1 ${instant}`, { db: 'never_made' });
  t.is(reply.status, 404);
  t.regex(reply.text, /"code":"not found".*\[0x388\]/);
  t.is(await service.code('DROP DATABASE never_made'), 0x388);
  t.is((await strict.write(`m v=2 ${instant}`, { db: 'made_by_write' })).status, 204);
  t.deepEqual(await service.rows('SELECT v FROM made_by_write.m'), [[2]]);
});

test('tables grow with what arrives: fields, tags, wider strings', async (t) => {
  const db = await freshDatabase();
  const steps = [
    [`g,a=x s="12345",i=1i 1700000000000000000`, ['_ts TIMESTAMP', 's VARCHAR(8)', 'i BIGINT', 'a NCHAR(2) *']],
    [`g,a=x f=1.5 1700000001000000000`, ['_ts TIMESTAMP', 's VARCHAR(8)', 'i BIGINT', 'f DOUBLE', 'a NCHAR(2) *']],
    [
      `g,a=x,b=longer s="123456789012345678" 1700000002000000000`,
      ['_ts TIMESTAMP', 's VARCHAR(32)', 'i BIGINT', 'f DOUBLE', 'a NCHAR(2) *', 'b NCHAR(8) *'],
    ],
    [
      `g,a=a\\ much\\ wider\\ tag,b=y s="${'ü'.repeat(600)}" 1700000003000000000`,
      ['_ts TIMESTAMP', 's VARCHAR(1200)', 'i BIGINT', 'f DOUBLE', 'a NCHAR(32) *', 'b NCHAR(8) *'],
    ],
  ] as const;
  for (const [line, expected] of steps) {
    t.is((await service.write(line, { db })).text, '');
    t.deepEqual(await columns(`${db}.g`), [...expected]);
  }
  t.deepEqual(await service.rows(`SELECT s, i, f, a, b FROM ${db}.g ORDER BY _ts`), [
    ['12345', 1, null, 'x', null],
    [null, null, 1.5, 'x', null],
    ['123456789012345678', null, null, 'x', 'longer'],
    ['ü'.repeat(600), null, null, 'a much wider tag', 'y'],
  ]);
});

test('many requests that grow one table at once lose no row', async (t) => {
  const db = await freshDatabase();
  const writers = 60;
  const replies = await Promise.all(
    Array.from({ length: writers }, (_, i) => {
      const lines = Array.from(
        { length: 20 },
        (_, k) =>
          `grow,w=${i % 7},t${i % 11}=x f${i % 13}=${i},s="${'y'.repeat(1 + i * 3)}" ${1700000000000 + i * 100 + k}`,
      );
      return service.write(lines.join('\n'), { db, precision: 'ms' });
    }),
  );
  t.deepEqual([...new Set(replies.map(({ status, text }) => `${status} ${text}`))], ['204 ']);
  t.deepEqual(await service.rows(`SELECT count(*) FROM ${db}.\`grow\``), [[writers * 20]]);
  const names = (await columns(`${db}.\`grow\``)).map((column) => column.split(' ')[0]);
  t.is(names.length, 1 + 13 + 1 + 1 + 11);
  t.is(new Set(names).size, names.length);
  const sums = Array.from({ length: 13 }, (_, f) =>
    Array.from({ length: writers }, (_, i) => (i % 13 === f ? i * 20 : 0)).reduce((sum, n) => sum + n, 0),
  );
  const list = sums.map((_, f) => `sum(f${f})`).join(', ');
  t.deepEqual(await service.rows(`SELECT ${list} FROM ${db}.\`grow\``), [sums]);
  t.deepEqual(await service.rows(`SELECT s FROM ${db}.\`grow\` ORDER BY _ts DESC LIMIT 1`), [
    ['y'.repeat(1 + (writers - 1) * 3)],
  ]);
});

test('rows of one time that come in pieces are joined column by column', async (t) => {
  const db = await freshDatabase();
  const pieces = ['a=1i', 'b=2i', 'c="x"', 'a=5i', 'd=t,b=7i'];
  for (const piece of pieces) t.is((await service.write(`merge,h=1 ${piece} ${instant}`, { db })).status, 204);
  t.deepEqual(await service.rows(`SELECT a, b, c, d FROM ${db}.\`merge\``), [[5, 7, 'x', true]]);
  const together = Array.from({ length: 30 }, (_, i) => `merge,h=2 f${i}=${i}i ${instant}`);
  const replies = await Promise.all(together.map((line) => service.write(line, { db })));
  t.true(replies.every(({ status }) => status === 204));
  const list = together.map((_, i) => `f${i}`).join(', ');
  t.deepEqual(await service.rows(`SELECT ${list} FROM ${db}.\`merge\` WHERE h = '2'`), [together.map((_, i) => i)]);
  t.deepEqual(await service.rows(`SELECT count(*) FROM ${db}.\`merge\``), [[2]]);
});

test('pieces of one row within one request are joined too, the later value wins', async (t) => {
  const db = await freshDatabase();
  const lines = [`m,h=1 a=1i,b=1i ${instant}`, `m,h=1 b=2i ${instant}`, `m,h=1 c=3i ${instant}`];
  t.is((await service.write(lines.join('\n'), { db })).status, 204);
  t.deepEqual(await service.rows(`SELECT a, b, c FROM ${db}.m`), [[1, 2, 3]]);
});

test('gzip and chunked bodies are read', async (t) => {
  const db = await freshDatabase();
  const gzip = { headers: { 'content-encoding': 'gzip' } };
  t.is((await service.write(gzipSync(`z,k=1 v=1 ${instant}`), { db }, gzip)).status, 204);
  const halves = [`z,k=2 v=2 ${instant}\nz,k=`, `3 v=3 ${instant}`];
  t.is((await service.write(halves, { db })).status, 204);
  const packed = gzipSync(`z,k=4 v=4 ${instant}\nz,k=5 v=5 ${instant}`);
  t.is((await service.write([packed.subarray(0, 5), packed.subarray(5)], { db }, gzip)).status, 204);
  t.deepEqual(await service.rows(`SELECT k, v FROM ${db}.z ORDER BY k`), [
    ['1', 1],
    ['2', 2],
    ['3', 3],
    ['4', 4],
    ['5', 5],
  ]);
  const plain = await service.write(`z,k=6 v=6 ${instant}`, { db }, gzip);
  t.is(plain.status, 400);
  t.is((await service.write('x', { db }, { headers: { 'content-encoding': 'gzip, br' } })).status, 415);
  t.deepEqual(await service.rows(`SELECT count(*) FROM ${db}.z`), [[5]]);
});

test('a body of megabytes is cut into blocks, and its bad line is still numbered', async (t) => {
  const db = await freshDatabase();
  const lines = Array.from({ length: 12_000 }, (_, i) => {
    const text = `a text that makes the line longer ${'.'.repeat(60)} ${i}`;
    return `big,host=h${i % 50} v=${i}i,s="${text}" ${1700000000000 + i}`;
  });
  lines[11_000] = 'big,host=h1 v=nothing 1700000000000';
  const body = lines.join('\n');
  t.true(body.length > 1_500_000);
  const refused = await refusal(body, { db, precision: 'ms' });
  t.deepEqual([refused.status, refused.line], [400, 11_001], refused.message);
  t.regex(refused.message, /\(1 rejected, 11999 written\)$/);
  const expected = (11_999 * 12_000) / 2 - 11_000;
  t.deepEqual(await service.rows(`SELECT count(*), sum(v), min(v), max(v) FROM ${db}.big`), [
    [11_999, expected, 0, 11_999],
  ]);
});

test('20,000 lines in one body are all stored', async (t) => {
  const db = await freshDatabase();
  const lines = Array.from({ length: 20_000 }, (_, i) => `many,host=h${i % 300} v=${i}i,f=0.5 ${1700000000000 + i}`);
  const reply = await service.write(lines.join('\n'), { db, precision: 'ms' });
  t.is(reply.text, '');
  t.deepEqual(await service.rows(`SELECT count(*), sum(v), count(f) FROM ${db}.many`), [[20_000, 199_990_000, 20_000]]);
  t.deepEqual(await service.rows(`SELECT count(*) FROM (SELECT DISTINCT tbname FROM ${db}.many)`), [[300]]);
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
