import test from 'ava';
import fc from 'fast-check';
import { type LinesTarget, linesEncoder } from '../../../src/load/encode/lines.js';
import type { RowRequest } from '../../../src/load/model/row-request.js';
import type { FieldPlan } from '../../../src/load/model/scenario.js';
import { FaultError } from '../../../src/model/fault.js';
import { type DataType, dataType, type Precision, type TagValue, type TypeName } from '../../../src/model/schema.js';
import { parseLineProtocol } from '../../../src/transforms/parse/lineproto.js';
import { parseTelnet } from '../../../src/transforms/parse/telnet.js';
import { parseTsdbwireJson } from '../../../src/transforms/parse/tsdbwire-json/tsdbwire-json.js';
import { blockOf, type TestCell } from '../../support/blocks/blocks.js';
import { field, openRows, requestOf, requestsOf } from '../../support/load/plan.js';
import { LineProtocolDesk, type ReadRow, valuesOf } from '../../support/messages/line-protocol.js';

const tags: readonly FieldPlan[] = [field('t0', 'INT', { kind: 'null' }), field('t1', 'VARCHAR', { kind: 'null' }, 20)];
const rowsOf = (values: readonly TagValue[]) => (_: number, count: number) =>
  Array.from({ length: count }, () => values);

function targetOf(changes: Partial<LinesTarget>): LinesTarget {
  return {
    format: 'line',
    superTable: 'meters',
    precision: 'ms',
    tags,
    tagRows: rowsOf(['5', 'ab']),
    nameOf: (table) => `d${table}`,
    put: false,
    ...changes,
  };
}

function text(request: RowRequest, changes: Partial<LinesTarget> = {}): string {
  return linesEncoder(targetOf(changes), 1_000_000).encode(request).bytes.toString();
}

const two = blockOf('meters', { c0: dataType('FLOAT'), c1: dataType('INT') }, [
  [1n, 1500000000000n, { c0: 1.5, c1: 7 }],
  [1n, 1500000000001n, { c0: 2, c1: null }],
]);

test('a line has all columns with the suffixes of their types, and tags as plain text', (t) => {
  t.is(
    text(requestOf(two)),
    'meters,t0=5,t1=ab c0=1.5f32,c1=7i32 1500000000000\nmeters,t0=5,t1=ab c0=2f32 1500000000001\n',
  );
});

test('a telnet line has the first column alone, and the word put where listeners want it', (t) => {
  t.is(
    text(requestOf(two), { format: 'telnet', put: true }),
    'put meters 1500000000000 1.5f32 t0=5 t1=ab\nput meters 1500000000001 2f32 t0=5 t1=ab\n',
  );
  t.true(text(requestOf(two), { format: 'telnet' }).startsWith('meters 1500000000000 '));
});

test('a JSON object has the first column alone', (t) => {
  t.is(
    text(requestOf(two), { format: 'json' }),
    '[{"metric":"meters","timestamp":1500000000000,"value":1.5,"tags":{"t0":5,"t1":"ab"}},' +
      '{"metric":"meters","timestamp":1500000000001,"value":2,"tags":{"t0":5,"t1":"ab"}}]',
  );
});

test('typed JSON names types and the sub-table', (t) => {
  const parsed: unknown = JSON.parse(text(requestOf(two), { format: 'taosjson', precision: 'us' }));
  const typedTags = { id: 'd0', t0: { value: 5, type: 'int' }, t1: { value: 'ab', type: 'binary' } };
  t.deepEqual(parsed, [
    {
      metric: 'meters',
      timestamp: { value: 1500000000000, type: 'us' },
      value: { value: 1.5, type: 'float' },
      tags: typedTags,
    },
    {
      metric: 'meters',
      timestamp: { value: 1500000000001, type: 'us' },
      value: { value: 2, type: 'float' },
      tags: typedTags,
    },
  ]);
});

test('telnet lines and plain JSON tell finer times in milliseconds', (t) => {
  const block = blockOf('meters', { c0: dataType('INT') }, [[1n, 1700000000123456789n, { c0: 1 }]]);
  t.regex(text(requestOf(block), { format: 'telnet', precision: 'ns' }), /^meters 1700000000123 1i32 /);
  t.regex(text(requestOf(block), { format: 'json', precision: 'ns' }), /"timestamp":1700000000123,/);
  t.regex(text(requestOf(block), { format: 'line', precision: 'ns' }), / 1700000000123456789\n$/);
});

test('tags that are NULL or empty are left out', (t) => {
  for (const none of [undefined, '']) {
    const tagRows = rowsOf(['5', none]);
    t.regex(text(requestOf(two), { tagRows }), /^meters,t0=5 c0=/);
    t.regex(text(requestOf(two), { tagRows, format: 'telnet' }), / t0=5\n$/);
    t.regex(text(requestOf(two), { tagRows, format: 'json' }), /"tags":\{"t0":5\}\}\]$/);
  }
});

test('what a format cannot say is refused', (t) => {
  const refuses = (block: typeof two, changes: Partial<LinesTarget>) =>
    t.throws(() => text(requestOf(block), changes), { instanceOf: FaultError });
  const int = dataType('INT');
  refuses(blockOf('m', { c0: int }, [[1n, 1500000000000n, { c0: null }]]), {});
  refuses(blockOf('m', { c0: int, c1: int }, [[1n, 1500000000000n, { c1: 1 }]]), { format: 'telnet' });
  refuses(blockOf('m', { c0: int, c1: int }, [[1n, 1500000000000n, { c1: 1 }]]), { format: 'json' });
  refuses(blockOf('m', { c0: int }, [[1n, -5n, { c0: 1 }]]), {});
  refuses(blockOf('m', { c0: int }, [[1n, 5n, { c0: 1 }]]), { format: 'telnet' });
  refuses(blockOf('m', { c0: int }, [[1n, 5n, { c0: 1 }]]), { format: 'json' });
  refuses(two, { tagRows: rowsOf(['5', 'a\nb']) });
  const lines = blockOf('m', { c0: dataType('VARCHAR', 9) }, [[1n, 1500000000000n, { c0: 'a\nb' }]]);
  refuses(lines, { format: 'telnet' });
});

test('JSON is cut before the object that does not fit', (t) => {
  const encoder = linesEncoder(targetOf({ format: 'json' }), 120);
  const first = encoder.encode(requestOf(two));
  t.is(first.rows, 1);
  t.notThrows(() => JSON.parse(first.bytes.toString()));
  t.is(encoder.encode(requestOf(two), 1).rows, 1);
});

interface Dialect {
  readonly parser: typeof parseLineProtocol;
  readonly columns: 'all' | 'first';
  readonly precisions: readonly Precision[];
  /** The type that a column has once it was read. */
  typeOf(type: TypeName): TypeName;
}

const unchanged = (type: TypeName): TypeName => (type === 'TIMESTAMP' ? 'BIGINT' : type);
const wider: Partial<Record<TypeName, TypeName>> = {
  TIMESTAMP: 'BIGINT',
  'TINYINT UNSIGNED': 'SMALLINT',
  'SMALLINT UNSIGNED': 'INT',
  'INT UNSIGNED': 'BIGINT',
  'BIGINT UNSIGNED': 'BIGINT',
};
const dialects: Readonly<Record<LinesTarget['format'], Dialect>> = {
  line: { parser: parseLineProtocol, columns: 'all', precisions: ['ms', 'us', 'ns'], typeOf: unchanged },
  telnet: { parser: parseTelnet, columns: 'first', precisions: ['ms'], typeOf: unchanged },
  json: {
    parser: parseTsdbwireJson,
    columns: 'first',
    precisions: ['ms'],
    typeOf: (type) => (type === 'BOOL' ? 'BOOL' : type === 'VARCHAR' || type === 'NCHAR' ? 'VARCHAR' : 'DOUBLE'),
  },
  taosjson: {
    parser: parseTsdbwireJson,
    columns: 'first',
    precisions: ['ms', 'us', 'ns'],
    typeOf: (type) => wider[type] ?? type,
  },
};

function read(format: LinesTarget['format'], precision: Precision, bytes: string): ReadRow[] {
  const desk = new LineProtocolDesk(precision, dialects[format].parser);
  const parsed = desk.parse(bytes, { precision });
  if (parsed.rejectedRows > 0) throw new Error(parsed.rejects[0]?.fault.message);
  return desk.rows(parsed);
}

const cells: Readonly<Record<string, { readonly type: DataType; readonly cell: fc.Arbitrary<TestCell> }>> = {
  b: { type: dataType('BOOL'), cell: fc.constantFrom(0, 1) },
  i1: { type: dataType('TINYINT'), cell: fc.integer({ min: -128, max: 127 }) },
  i2: { type: dataType('SMALLINT'), cell: fc.integer({ min: -32768, max: 32767 }) },
  i4: { type: dataType('INT'), cell: fc.integer() },
  i8: { type: dataType('BIGINT'), cell: fc.bigInt(-(1n << 53n), 1n << 53n) },
  u1: { type: dataType('TINYINT UNSIGNED'), cell: fc.integer({ min: 0, max: 255 }) },
  u2: { type: dataType('SMALLINT UNSIGNED'), cell: fc.integer({ min: 0, max: 65535 }) },
  u4: { type: dataType('INT UNSIGNED'), cell: fc.integer({ min: 0, max: 4294967295 }) },
  u8: { type: dataType('BIGINT UNSIGNED'), cell: fc.bigInt(0n, 1n << 53n) },
  f4: { type: dataType('FLOAT'), cell: fc.float({ noNaN: true, noDefaultInfinity: true }) },
  f8: { type: dataType('DOUBLE'), cell: fc.double({ noNaN: true, noDefaultInfinity: true }) },
  time: { type: dataType('TIMESTAMP'), cell: fc.bigInt(-(1n << 53n), 1n << 53n) },
  s: { type: dataType('VARCHAR', 200), cell: fc.string({ unit: fc.constantFrom(...'aZ" \\,=é漢😀'), maxLength: 12 }) },
  n: { type: dataType('NCHAR', 40), cell: fc.string({ unit: fc.constantFrom(...'aZ" \\,=é漢😀'), maxLength: 12 }) },
};

/** A value as far as every format keeps it apart. */
function comparable(value: unknown, type: TypeName): unknown {
  if (type === 'DOUBLE' || type === 'FLOAT') return Math.fround(Number(value)) + 0;
  return typeof value === 'bigint' ? Number(value) : value;
}

for (const [format, dialect] of Object.entries(dialects)) {
  test(`every value of every type is read back from ${format} text as it was`, (t) => {
    const name = Object.keys(dialects).find((known): known is LinesTarget['format'] => known === format) ?? 'line';
    const chosen = dialect.columns === 'all' ? [Object.keys(cells)] : Object.keys(cells).map((column) => [column]);
    const time = fc.integer({ min: 1_000_000_000_000, max: 2_000_000_000_000 }).map(BigInt);
    for (const columns of chosen) {
      const types = Object.fromEntries(columns.map((column) => [column, cells[column]?.type ?? dataType('INT')]));
      const row = fc.record(
        Object.fromEntries(columns.map((column) => [column, cells[column]?.cell ?? fc.constant(1)])),
      );
      fc.assert(
        fc.property(
          fc.array(fc.tuple(time, row), { minLength: 1, maxLength: 4 }),
          fc.constantFrom(...dialect.precisions),
          (rows, precision) => {
            const block = blockOf(
              'meters',
              types,
              rows.map(([at, values]) => [1n, at, values]),
            );
            const readRows = read(name, precision, text(requestOf(block), { format: name, precision }));
            t.deepEqual(
              readRows.map(({ time: at }) => at),
              [...block.times],
            );
            for (const column of block.columns) {
              const field0 = dialect.columns === 'all' ? column.name : '_value';
              const type = dialect.typeOf(column.type.name);
              const values = valuesOf(column, block.rows).map((value) => comparable(value, type));
              t.deepEqual(
                readRows.map(({ fields }) => comparable(fields[field0]?.value, type)),
                values,
              );
              t.true(readRows.every(({ fields }) => fields[field0]?.type === type));
            }
          },
        ),
        { numRuns: dialect.columns === 'all' ? 200 : 40 },
      );
    }
  });
}

test('tags are read back as they were', (t) => {
  const values = ['-3', 'a, b=c\\d漢'];
  const shown = { t0: '-3', t1: 'a, b=c\\d漢' };
  for (const format of ['line', 'json', 'taosjson'] as const) {
    const [row] = read(format, 'ms', text(requestOf(two), { format, tagRows: rowsOf(values) }));
    t.deepEqual(row?.tags, format === 'taosjson' ? { id: 'd0', ...shown } : shown);
    t.is(row?.table, 'meters');
  }
  const [row] = read('telnet', 'ms', text(requestOf(two), { format: 'telnet', tagRows: rowsOf(values) }));
  t.deepEqual(row?.tags, { t0: '-3', t1: 'a,_b_c\\d漢' });
});

test('each table that is generated for schemaless writing is a series of its own', async (t) => {
  const source = await openRows({
    mode: 'sml',
    childCount: 40,
    rows: 3,
    interlaceRows: 2,
    tags: [field('groupid', 'INT', { kind: 'range', min: 1, max: 11 })],
  });
  const encoder = linesEncoder(
    targetOf({
      tags: [field('groupid', 'INT', { kind: 'null' })],
      tagRows: (from, count) => source.tags.rows(from, count),
    }),
    1_000_000,
  );
  const rows = requestsOf(source).flatMap((request) => read('line', 'ms', encoder.encode(request).bytes.toString()));
  t.is(rows.length, 120);
  t.is(new Set(rows.map(({ subTable }) => subTable)).size, 40);
});
