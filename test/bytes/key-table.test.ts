import test from 'ava';
import fc from 'fast-check';
import { hashKey, KeyTable } from '../../src/bytes/key-table.js';

/** The arguments that stand for a key inside other bytes. */
function placed(table: KeyTable, key: string): [Buffer, DataView, number, number, number] {
  const bytes = Buffer.from(`<${key}>`);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const end = bytes.length - 1;
  return [bytes, view, 1, end, hashKey(bytes, view, 1, end, table.seed)];
}

function add(table: KeyTable, key: string): number {
  const [bytes, , start, end, hash] = placed(table, key);
  return table.add(bytes, start, end, hash);
}

test('finds exactly the keys that were added, each with its words', (t) => {
  const key = fc.string({ maxLength: 14 });
  fc.assert(
    fc.property(fc.uniqueArray(key, { maxLength: 600 }), fc.array(key), (keys, others) => {
      const table = new KeyTable(2);
      for (const [i, added] of keys.entries()) {
        t.is(add(table, added), i);
        table.setWord(i, 1, -1 - i);
      }
      for (const [i, added] of keys.entries()) {
        t.is(table.find(...placed(table, added)), i);
        t.deepEqual([table.word(i, 0), table.word(i, 1)], [0, -1 - i]);
        t.is(table.keyLength(i), Buffer.byteLength(added));
      }
      for (const other of others) if (!keys.includes(other)) t.is(table.find(...placed(table, other)), -1);
      t.is(table.size, keys.length);
    }),
    { numRuns: 30 },
  );
});

test('keeps the keys that are asked for, with their words, under new numbers', (t) => {
  const table = new KeyTable(2);
  const keys = Array.from({ length: 1000 }, (_, i) => `name.${i}|t:${i % 7}`);
  for (const [i, added] of keys.entries()) {
    add(table, added);
    table.setWord(i, 0, i);
    table.setWord(i, 1, i + 7);
  }
  const before = table.keyBytes;
  table.keep(0, (number) => (number % 2 === 0 ? number / 2 : -1));
  t.is(table.size, 500);
  for (const [i, key] of keys.entries()) {
    const entry = table.find(...placed(table, key));
    if (i % 2 === 1) t.is(entry, -1);
    else t.deepEqual([table.word(entry, 0), table.word(entry, 1)], [i / 2, i + 7]);
  }
  t.true(table.keyBytes < before);
});

test('a key that collides with too many others is not taken', (t) => {
  const table = new KeyTable(0);
  const keys = Array.from({ length: 65 }, (_, i) => Buffer.from(`key ${i}`));
  const entries = keys.map((key) => table.add(key, 0, key.length, 5));
  t.is(entries.indexOf(-1), 64);
});
