import test from 'ava';
import fc from 'fast-check';
import { type InsertTarget, insertEncoder } from '../../../src/load/encode/insert-sql.js';
import type { RowRequest } from '../../../src/load/model/row-request.js';
import { FaultError } from '../../../src/model/fault.js';
import { type DataType, dataType } from '../../../src/model/schema.js';
import { blockOf, type TestCell } from '../../support/blocks/blocks.js';
import { type Cell, InsertWorld, rowsOf } from '../../support/load/insert-world.js';
import { field, openRows, requestOf, requestsOf, rowsIn } from '../../support/load/plan.js';

const target: InsertTarget = {
  database: 'plant',
  quoted: false,
  nameOf: (table) => `d${table}`,
  using: undefined,
  columns: undefined,
};

function text(request: RowRequest, changes: Partial<InsertTarget> = {}): string {
  return insertEncoder({ ...target, ...changes })
    .encode(request)
    .bytes.toString();
}

const int = dataType('INT');
const varchar = dataType('VARCHAR', 200);

test('a statement names the table and then every row', (t) => {
  const block = blockOf('meters', { a: int, b: varchar }, [
    [1n, 1500000000000n, { a: -5, b: 'x' }],
    [1n, 1500000000001n, { a: null, b: '' }],
  ]);
  t.is(text(requestOf(block)), "INSERT INTO plant.d0 VALUES (1500000000000,-5,'x')(1500000000001,NULL,'')");
});

test('a statement has rows of several tables', (t) => {
  const block = blockOf('meters', { a: int }, [
    [1n, 1n, { a: 1 }],
    [1n, 2n, { a: 2 }],
    [2n, 1n, { a: 3 }],
  ]);
  t.is(text(requestOf(block, [0, 2])), 'INSERT INTO plant.d0 VALUES (1,1)(2,2) plant.d1 VALUES (1,3)');
});

test('columns are listed and names quoted where they have to be', (t) => {
  const block = blockOf('meters', { a: int }, [[1n, 1n, { a: 1 }]]);
  t.is(text(requestOf(block), { columns: ['ts', 'a', 'My col'] }), 'INSERT INTO plant.d0 (ts,a,`My col`) VALUES (1,1)');
  t.is(text(requestOf(block), { quoted: true }), 'INSERT INTO `plant`.`d0` VALUES (1,1)');
  t.is(text(requestOf(block), { nameOf: () => 'a-b.c' }), 'INSERT INTO plant.`a-b.c` VALUES (1,1)');
});

test('statements make missing sub-tables with their tags', (t) => {
  const block = blockOf('meters', { a: int }, [
    [1n, 1n, { a: 1 }],
    [2n, 1n, { a: 2 }],
  ]);
  const tags = [field('t0', 'INT', { kind: 'null' }), field('t1', 'VARCHAR', { kind: 'null' }, 9)];
  const tagRows = (from: number, count: number) =>
    Array.from({ length: count }, (_, i) => [String(from + i), from + i === 0 ? "it's" : undefined]);
  t.is(
    text(requestOf(block, [0, 1]), { using: { superTable: 'meters', tags, tagRows } }),
    "INSERT INTO plant.d0 USING plant.meters TAGS (0,'it\\'s') VALUES (1,1) plant.d1 USING plant.meters TAGS (1,NULL) VALUES (1,2)",
  );
});

test('text is cut before the row that does not fit, and goes on with it', async (t) => {
  const source = await openRows({ childCount: 1, rows: 100 });
  const [request] = requestsOf(source);
  if (request === undefined) throw new Error('There is no request.');
  const encoder = insertEncoder({ ...target, nameOf: source.tables.nameOf }, 300);
  const world = new InsertWorld().addDatabase('plant').addSuper('meters', { c0: int }, { t0: int });
  world.addSub('d0', 'meters');
  const read: unknown[] = [];
  let statements = 0;
  for (let from = 0; from < request.block.rows; statements++) {
    const { bytes, rows } = encoder.encode(request, from);
    t.true(bytes.length <= 300 && rows > 0);
    read.push(...world.blocks(bytes.toString()).flatMap((block) => rowsOf(block)));
    from += rows;
  }
  t.true(statements > 5);
  t.deepEqual(read, rowsOf(request.block));
});

test('a statement that is full ends before a table of which no row fits', (t) => {
  const block = blockOf('meters', { a: int }, [
    [1n, 1n, { a: 1 }],
    [2n, 2n, { a: 2 }],
  ]);
  const encoder = insertEncoder(target, 40);
  const first = encoder.encode(requestOf(block, [0, 1]));
  t.deepEqual([first.bytes.toString(), first.rows], ['INSERT INTO plant.d0 VALUES (1,1)', 1]);
  const second = encoder.encode(requestOf(block, [0, 1]), 1);
  t.deepEqual([second.bytes.toString(), second.rows], ['INSERT INTO plant.d1 VALUES (2,2)', 1]);
});

test('a row that no statement has room for is refused', (t) => {
  const block = blockOf('meters', { b: varchar }, [[1n, 1n, { b: 'x'.repeat(100) }]]);
  t.throws(() => insertEncoder(target, 100).encode(requestOf(block)), { instanceOf: FaultError });
});

const cells: Readonly<Record<string, { readonly type: DataType; readonly cell: fc.Arbitrary<TestCell> }>> = {
  b: { type: dataType('BOOL'), cell: fc.constantFrom(0, 1) },
  i1: { type: dataType('TINYINT'), cell: fc.integer({ min: -128, max: 127 }) },
  i2: { type: dataType('SMALLINT'), cell: fc.integer({ min: -32768, max: 32767 }) },
  i4: { type: int, cell: fc.integer() },
  i8: { type: dataType('BIGINT'), cell: fc.bigInt(-(1n << 63n), (1n << 63n) - 1n) },
  u1: { type: dataType('TINYINT UNSIGNED'), cell: fc.integer({ min: 0, max: 255 }) },
  u2: { type: dataType('SMALLINT UNSIGNED'), cell: fc.integer({ min: 0, max: 65535 }) },
  u4: { type: dataType('INT UNSIGNED'), cell: fc.integer({ min: 0, max: 4294967295 }) },
  u8: { type: dataType('BIGINT UNSIGNED'), cell: fc.bigInt(0n, (1n << 64n) - 1n) },
  f4: { type: dataType('FLOAT'), cell: fc.float({ noNaN: true, noDefaultInfinity: true }) },
  f8: { type: dataType('DOUBLE'), cell: fc.double({ noNaN: true, noDefaultInfinity: true }) },
  ts2: { type: dataType('TIMESTAMP'), cell: fc.bigInt(-(1n << 63n), (1n << 63n) - 1n) },
  s: { type: varchar, cell: fc.string({ unit: 'binary', maxLength: 40 }) },
  n: { type: dataType('NCHAR', 40), cell: fc.string({ unit: 'grapheme', maxLength: 4 }) },
  v: { type: dataType('VARBINARY', 100), cell: fc.string({ maxLength: 40 }) },
};
const types = Object.fromEntries(Object.entries(cells).map(([name, { type }]) => [name, type]));

/** -0 has no literal of its own. */
function withoutMinusZero(rows: Cell[][]): Cell[][] {
  return rows.map((row) => row.map((cell) => (cell === 0 ? 0 : cell)));
}

test('every value of every type reads back as it was, out of a pool or not', (t) => {
  const row = fc.record(
    Object.fromEntries(Object.entries(cells).map(([name, { cell }]) => [name, fc.option(cell, { nil: null })])),
  );
  const world = new InsertWorld().addDatabase('plant').addSuper('meters', types, { t0: int });
  world.addSub('d0', 'meters');
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.bigInt(-(1n << 62n), 1n << 62n), row), { minLength: 1, maxLength: 5 }), (rows) => {
      const block = blockOf(
        'meters',
        types,
        rows.map(([time, values]) => [1n, time, values]),
      );
      for (const isPooled of [false, true]) {
        const sql = text(requestOf(block, [0], isPooled));
        const [read] = world.blocks(sql);
        t.deepEqual(read === undefined ? [] : withoutMinusZero(rowsOf(read)), withoutMinusZero(rowsOf(block)));
      }
    }),
    { numRuns: 200 },
  );
});

test('generated rows are read back as they were made', async (t) => {
  const columns = [
    field('f', 'FLOAT', { kind: 'range', min: -1_073_741_823, max: 1_073_741_823 }),
    field('d', 'DOUBLE', { kind: 'range', min: -1_073_741_823, max: 1_073_741_823 }),
    field('w', 'DOUBLE', { kind: 'wave', wave: { shape: 'sin', amplitude: 3, offset: 10, fluctuation: 5 } }),
    field('n', 'NCHAR', { kind: 'text', length: 5 }, 5),
    field('x', 'BIGINT', { kind: 'null' }),
  ];
  for (const changes of [{}, { columns: columns.filter(({ name }) => name !== 'w') }, { randomPerTable: true }]) {
    for (const interlaceRows of [0, 3]) {
      const plan = { columns, chinese: true, childCount: 3, rows: 50, preparedRows: 7, interlaceRows, ...changes };
      const source = await openRows(plan);
      const world = new InsertWorld().addDatabase('plant');
      world.addSuper('meters', Object.fromEntries(plan.columns.map(({ name, type }) => [name, type])), { t0: int });
      for (const name of ['d0', 'd1', 'd2']) world.addSub(name, 'meters');
      for (const request of requestsOf(source)) {
        const read = world.blocks(text(request)).flatMap((block) => rowsOf(block));
        const expected = rowsIn(source, [request]).map(({ time, cells: values }) => [time, ...values]);
        t.deepEqual(withoutMinusZero(read), withoutMinusZero(expected));
      }
    }
  }
});
