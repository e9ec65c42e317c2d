import { gzipSync } from 'node:zlib';
import test from 'ava';
import { lineTests } from '../support/inputs/line-tests.js';
import { sharedService } from '../support/service/shared-service.js';

const { service, end } = await sharedService();
test.after.always(end);
const instant = '1700000000000000000';
const { columns, freshDatabase, refusal } = lineTests(service);

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
