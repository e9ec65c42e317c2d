import test from 'ava';
import fc from 'fast-check';
import { KeyTable } from '../../src/transforms/key-table.js';

type Key = readonly [head: string, tail: string, mark: number];

const key: fc.Arbitrary<Key> = fc.tuple(
  fc.string({ maxLength: 9 }),
  fc.string({ maxLength: 5 }),
  fc.integer({ min: 0, max: 4 }),
);

/** The arguments that stand for a key: its pieces inside other bytes. */
function placed([head, tail, mark]: Key): [Buffer, number, number, number, number, number] {
  const bytes = Buffer.from(`<${head}|${tail}>`);
  const headEnd = 1 + Buffer.byteLength(head);
  return [bytes, 1, headEnd, headEnd + 1, headEnd + 1 + Buffer.byteLength(tail), mark];
}

test('finds exactly the keys that were added, each with its number', (t) => {
  fc.assert(
    fc.property(fc.uniqueArray(key, { selector: String, maxLength: 600 }), fc.array(key), (keys, others) => {
      const table = new KeyTable();
      for (const [i, added] of keys.entries()) t.true(table.add(...placed(added), i));
      for (const [i, added] of keys.entries()) t.is(table.find(...placed(added)), i);
      const held = new Set(keys.map(String));
      for (const other of others) if (!held.has(String(other))) t.is(table.find(...placed(other)), -1);
      t.is(table.size, keys.length);
    }),
    { numRuns: 30 },
  );
});

test('keeps the keys that are wanted under new numbers', (t) => {
  const table = new KeyTable();
  const keys = Array.from({ length: 1000 }, (_, i): Key => [`name.${i}`, `t:${i % 7}`, i % 5]);
  for (const [i, added] of keys.entries()) table.add(...placed(added), i);
  const kept = table.kept((number) => (number % 2 === 0 ? number / 2 : -1));
  t.is(kept.size, 500);
  for (const [i, wanted] of keys.entries()) t.is(kept.find(...placed(wanted)), i % 2 === 0 ? i / 2 : -1);
  t.true(kept.bytes < table.bytes);
});
