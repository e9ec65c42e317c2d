import test from 'ava';
import { entryOffsets, PoolReader } from '../../src/bytes/pool-reader.js';
import { ColumnBuilder } from '../../src/model/column-block.js';
import { dataType } from '../../src/model/schema.js';

/** Texts whose lengths take one, two and three bytes, an empty one and a NULL. */
const texts = ['a', '', undefined, 'b'.repeat(127), 'c'.repeat(128), 'd'.repeat(20_000), 'e'];

function pool(): Uint8Array {
  const column = new ColumnBuilder('c', dataType('VARCHAR', 30_000));
  for (const [row, text] of texts.entries()) {
    column.reserve(row);
    if (text === undefined) continue;
    const bytes = Buffer.from(text);
    column.putBytes(row, bytes, 0, bytes.length);
  }
  return column.finish(texts.length).pool ?? new Uint8Array(0);
}

test('entries of any length are read one after the other', (t) => {
  const entries = new PoolReader(pool());
  const read = texts.map(() => {
    entries.next();
    return Buffer.from(entries.bytes.subarray(entries.start, entries.end)).toString();
  });
  t.deepEqual(
    read,
    texts.map((text) => text ?? ''),
  );
  t.is(entries.end, entries.bytes.length);
});

test('entries are passed, and offsets tell where each begins', (t) => {
  const bytes = pool();
  t.deepEqual([...entryOffsets(bytes, 4)], [0, 2, 3, 4, 132]);
  const entries = new PoolReader(bytes);
  entries.skip(4);
  t.is(entries.end, 132);
  entries.next();
  t.is(entries.end - entries.start, 128);
});
