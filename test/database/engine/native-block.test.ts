import { isDeepStrictEqual } from 'node:util';
import test from 'ava';
import fc from 'fast-check';
import { type EngineColumn, encodeTables, type TableRows } from '../../../src/database/engine/native-block.js';
import { decodeNative, decodeNativeStream } from '../../../src/database/engine/native-rows.js';
import { BlockBuilder, type Column } from '../../../src/model/column-block.js';
import { type DataType, dataType } from '../../../src/model/schema.js';
import { engineType } from '../../../src/sql/engine/storage.js';

const types: readonly DataType[] = [
  dataType('BOOL'),
  dataType('TINYINT'),
  dataType('SMALLINT'),
  dataType('INT'),
  dataType('BIGINT'),
  dataType('TIMESTAMP'),
  dataType('TINYINT UNSIGNED'),
  dataType('SMALLINT UNSIGNED'),
  dataType('INT UNSIGNED'),
  dataType('BIGINT UNSIGNED'),
  dataType('FLOAT'),
  dataType('DOUBLE'),
  dataType('VARCHAR', 300),
  dataType('NCHAR', 300),
  dataType('VARBINARY', 300),
  dataType('GEOMETRY', 300),
  dataType('DECIMAL', 9, 2),
  dataType('DECIMAL', 18, 4),
  dataType('DECIMAL', 38, 10),
];

const columns: readonly EngineColumn[] = types.map((type, i) => ({ physical: `p${i}`, name: `c${i}`, type }));

const row = fc.record({
  id: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
  time: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  cells: fc.array(
    fc.option(
      fc.record({ bits: fc.integer({ min: -999_999, max: 999_999 }), bytes: fc.uint8Array({ maxLength: 300 }) }),
    ),
    {
      minLength: types.length,
      maxLength: types.length,
    },
  ),
});

type Row = typeof row extends fc.Arbitrary<infer T> ? T : never;

function build(rows: readonly Row[]): ReturnType<BlockBuilder['finish']> {
  const builder = new BlockBuilder('db', 't', 'overwrite');
  const builders = columns.map(({ name, type }) => builder.addColumn(name, type));
  for (const { id, time, cells } of rows) {
    builder.setKey(id, time);
    for (const [i, column] of builders.entries()) {
      column.reserve(builder.rows);
      const cell = cells[i];
      if (cell === null || cell === undefined) continue;
      if (column.variable) {
        column.putBytes(builder.rows, cell.bytes, 0, cell.bytes.length);
        continue;
      }
      const values = column.values!;
      const width = values.length / column.nulls.length;
      const at = builder.rows * width;
      if (values instanceof BigInt64Array) values[at] = BigInt(cell.bits);
      else if (values instanceof BigUint64Array) values[at] = BigInt.asUintN(64, BigInt(cell.bits));
      else values[at] = column.type.name === 'BOOL' ? cell.bits & 1 : cell.bits;
      column.nulls[builder.rows] = 0;
      column.filled++;
    }
    builder.rows++;
  }
  return builder.finish();
}

/** Rows as the engine gets them. */
function encoded(rows: TableRows): Buffer {
  return Buffer.concat(encodeTables([rows]));
}

function content(column: Column): unknown {
  return {
    nulls: [...column.nulls],
    values: column.values && Array.from<unknown>(column.values),
    pool: column.pool && [...column.pool],
  };
}

test('what is encoded comes back equal, for every type, over any cut into blocks', (t) => {
  fc.assert(
    fc.property(fc.array(row, { maxLength: 40 }), fc.nat(40), (rows, cut) => {
      const whole = build(rows);
      const blocks = [build(rows.slice(0, cut)), build(rows.slice(cut))];
      const back = decodeNative(encoded({ blocks, columns }), columns);
      t.is(back.rows, rows.length);
      t.deepEqual([...back.ids], [...whole.ids]);
      t.deepEqual([...back.times], [...whole.times]);
      for (const [i, column] of back.columns.entries())
        t.deepEqual(content(column), content(whole.columns[i]!), column.name);
    }),
    { numRuns: 60 },
  );
});

test('a stream of several blocks is joined', (t) => {
  const one = build([{ id: 1n, time: 2n, cells: types.map(() => ({ bits: 5, bytes: new Uint8Array([1, 2]) })) }]);
  const twice = Buffer.concat([encoded({ blocks: [one], columns }), encoded({ blocks: [one], columns })]);
  const back = decodeNative(twice, columns);
  t.is(back.rows, 2);
  for (const column of back.columns) t.true(column.full);
});

test('a stream that is cut anywhere is decoded block by block', async (t) => {
  const pieces = fc.array(fc.integer({ min: 1, max: 5000 }), { minLength: 1 });
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(row, { maxLength: 8 }), { maxLength: 4 }), pieces, async (blocks, sizes) => {
      const bytes = Buffer.concat(blocks.map((rows) => encoded({ blocks: [build(rows)], columns })));
      async function* stream(): AsyncGenerator<Uint8Array> {
        for (let start = 0, n = 0; start < bytes.length; n++) {
          const size = sizes[n % sizes.length]!;
          yield bytes.subarray(start, start + size);
          start += size;
        }
      }
      const readIds: bigint[] = [];
      for await (const { ids, rows, columns: read } of decodeNativeStream(stream(), columns)) {
        t.true(rows > 0 && read.every(({ nulls }) => nulls.length === rows));
        readIds.push(...ids);
      }
      t.deepEqual(
        readIds,
        blocks.flatMap((rows) => rows.map(({ id }) => id)),
      );
    }),
    { numRuns: 40 },
  );
});

test('a stream that ends within a block is an error', async (t) => {
  const one = build([{ id: 1n, time: 2n, cells: types.map(() => null) }]);
  const bytes = encoded({ blocks: [one], columns });
  async function* stream(): AsyncGenerator<Uint8Array> {
    yield bytes.subarray(0, -1);
  }
  await t.throwsAsync(async () => {
    for await (const _ of decodeNativeStream(stream(), columns));
  });
});

test('every type of the dialect has a type in the engine', (t) => {
  t.is(engineType(dataType('BOOL')), 'Bool');
  t.is(engineType(dataType('INT UNSIGNED')), 'UInt32');
  t.is(engineType(dataType('DECIMAL', 20, 4)), 'Decimal(20, 4)');
  t.is(engineType(dataType('JSON')), 'String');
});

test('a column that a block does not hold is NULL', (t) => {
  const builder = new BlockBuilder('db', 't', 'overwrite');
  builder.setKey(1n, 1n);
  builder.rows++;
  const back = decodeNative(encoded({ blocks: [builder.finish()], columns }), columns);
  for (const column of back.columns) t.deepEqual([...column.nulls], [1]);
});

test('long columns, also those that a block does not hold, come back equal', (t) => {
  const builder = new BlockBuilder('db', 't', 'overwrite');
  const [amount, name] = [
    builder.addColumn('amount', dataType('DECIMAL', 9, 2)),
    builder.addColumn('name', dataType('VARCHAR', 9)),
  ];
  const rows = 70_000;
  for (let number = 0; number < rows; number++) {
    builder.setKey(BigInt(number), BigInt(-number));
    for (const column of [amount, name]) column.reserve(number);
    (amount.values as BigInt64Array)[number] = BigInt(number % 1000);
    name.putBytes(number, Buffer.from(`n${number}`), 0, 2);
    for (const column of [amount, name]) column.nulls[number] = 0;
    for (const column of [amount, name]) column.filled++;
    builder.rows++;
  }
  const long: EngineColumn[] = ['amount', 'absent', 'name'].map((column) => ({
    physical: column,
    name: column,
    type: column === 'amount' ? amount.type : name.type,
  }));
  const block = builder.finish();
  const back = decodeNative(encoded({ blocks: [block, block], columns: long }), long);
  t.is(back.rows, 2 * rows);
  const twice = (values: ArrayLike<unknown>) => [...Array.from(values), ...Array.from(values)];
  const isTwice = (long: ArrayLike<unknown>, short: ArrayLike<unknown>) =>
    isDeepStrictEqual(Array.from(long), twice(short));
  t.true(isTwice(back.ids, block.ids));
  t.true(isTwice(back.columns[0]!.values!, block.columns[0]!.values!));
  t.true(back.columns[1]!.nulls.every((isNull) => isNull === 1));
  t.true(isTwice(back.columns[2]!.pool!, block.columns[1]!.pool!));
});
