import test from 'ava';
import { encodeTables } from '../../src/database/engine/native-block.js';
import { decodeNative } from '../../src/database/engine/native-rows.js';
import type { ColumnBlock } from '../../src/model/column-block.js';
import { mergeRows } from '../../src/sinks/merge-rows.js';
import { blockOf, int, tableOf, varchar } from '../support/blocks/blocks.js';

const columns = { a: int, b: int, s: varchar };
const table = tableOf('t', columns);

function cells(block: ColumnBlock): unknown[] {
  return Array.from({ length: block.rows }, (_, row) => [
    block.times[row],
    ...block.columns.map((column) =>
      column.nulls[row] === 1 ? null : (column.values?.[row] ?? text(column.pool!, row)),
    ),
  ]);
}

function text(pool: Uint8Array, row: number): string {
  let at = 0;
  for (let i = 0; i < row; i++) at += pool[at]! + 1;
  return Buffer.from(pool.subarray(at + 1, at + 1 + pool[at]!)).toString();
}

test('keeps omitted columns and overwrites with explicit NULL, the later row winning column by column', (t) => {
  const merged = mergeRows(
    table,
    [
      blockOf('t', columns, [[1n, 10n, { a: 1, b: 2, s: 'x' }]]),
      blockOf('t', { a: int }, [[1n, 10n, { a: 10 }]]),
      blockOf('t', { a: int, b: int }, [[1n, 10n, { a: null, b: 5 }]]),
      blockOf('t', { b: int, s: varchar }, [
        [1n, 20n, { b: 3 }],
        [1n, 10n, { b: 6, s: 'yy' }],
      ]),
    ],
    undefined,
  );
  t.deepEqual(cells(merged), [
    [10n, null, 6, 'yy'],
    [20n, null, 3, null],
  ]);
});

test('keeps what stands beside a NULL that overwrites', (t) => {
  const [old, ended] = [
    blockOf('t', { a: int }, [[1n, 10n, { a: 1 }]]),
    blockOf('t', { a: int }, [[1n, 10n, { a: null }]]),
  ];
  ended.columns[0]!.values![0] = 7;
  const merged = mergeRows(tableOf('t', { a: int }), [old, ended], undefined);
  t.deepEqual(cells(merged), [[10n, null]]);
  t.deepEqual([...(merged.columns[0]?.values ?? [])], [7]);
});

test('reads a NULL as "not said" in blocks whose NULLs keep', (t) => {
  const first = blockOf('t', columns, [[1n, 10n, { a: 1, s: 'x' }]], 'keep');
  const second = blockOf('t', columns, [[1n, 10n, { b: 2 }]], 'keep');
  t.deepEqual(cells(mergeRows(table, [first, second], undefined)), [[10n, 1, 2, 'x']]);
});

test('lays new rows over stored ones and leaves stored rows of other keys out', (t) => {
  const before = blockOf('t', columns, [
    [1n, 10n, { a: 1, b: 2, s: 'old' }],
    [2n, 10n, { a: 9 }],
    [1n, 30n, { a: 8 }],
  ]);
  const stored = decodeNative(
    Buffer.concat(encodeTables([{ blocks: [before], columns: table.columns }])),
    table.columns,
  );
  const merged = mergeRows(
    table,
    [
      blockOf('t', { b: int }, [
        [1n, 10n, { b: 7 }],
        [1n, 11n, { b: 3 }],
      ]),
    ],
    stored,
  );
  t.deepEqual(cells(merged), [
    [10n, 1, 7, 'old'],
    [11n, null, 3, null],
  ]);
});
