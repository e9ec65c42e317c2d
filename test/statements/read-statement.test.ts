import test from 'ava';
import { StatementReader } from '../../src/statements/read-statement.js';

const maxBytes = 100_000;

test('a repeated query has the cached tree until others evict it', (t) => {
  const reader = new StatementReader(maxBytes);
  const read = (text: string) => reader.read(Buffer.from(text));
  const first = read('SELECT 1');
  t.is(read('SELECT 1'), first);
  const long = 'x'.repeat(1000);
  for (let other = 0; other < 200; other++) read(`SELECT ${other}, '${long}'`);
  t.is(read('SELECT 1'), first);
  for (let other = 0; other < 300; other++) read(`SELECT ${other}, 2, '${long}'`);
  t.not(read('SELECT 1'), first);
  t.deepEqual(read('SELECT 1'), first);
});

test('long queries and other statements are read each time', (t) => {
  const reader = new StatementReader(maxBytes);
  for (const text of [`SELECT '${'x'.repeat(5000)}'`, 'SHOW TABLES', 'INSERT INTO t VALUES (1, 2)']) {
    const first = reader.read(Buffer.from(text));
    t.not(reader.read(Buffer.from(text)), first);
    t.deepEqual(reader.read(Buffer.from(text)), first);
  }
});

test('a statement beyond the limit is refused, but for an INSERT of rows', (t) => {
  const reader = new StatementReader(100);
  t.throws(() => reader.read(Buffer.from(`SELECT '${'x'.repeat(5000)}'`)), { message: /too long/ });
  t.is(reader.read(Buffer.from(`INSERT INTO t VALUES ${'(1, 2) '.repeat(1000)}`)).kind, 'insert');
});
