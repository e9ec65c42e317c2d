import test from 'ava';
import fc from 'fast-check';
import type { TypeName } from '../../../src/model/schema.js';
import { endOfLine } from '../../../src/transforms/wire/line-cutter.js';
import {
  LineProtocolDesk,
  nowTicks,
  type Point,
  printPoint,
  type ReadValue,
} from '../../support/messages/line-protocol.js';

const anyText = fc.string({ unit: 'binary', minLength: 1, maxLength: 12 }).filter((s) => !/[\n]|\\$/.test(s));
const anyName = fc
  .oneof(anyText, fc.string({ unit: fc.constantFrom(',', '=', ' ', '\\', '"', 'a', 'é'), minLength: 1, maxLength: 8 }))
  .filter((s) => !s.endsWith('\\') && s !== '_ts' && Buffer.byteLength(s) <= 64);
const integer = (bits: number, signed: boolean) => ({
  min: signed ? -(2n ** BigInt(bits - 1)) : 0n,
  max: signed ? 2n ** BigInt(bits - 1) - 1n : 2n ** BigInt(bits) - 1n,
});
const narrow = (type: TypeName, bits: number, signed: boolean) =>
  fc.bigInt(integer(bits, signed)).map((value): ReadValue => ({ type, value: Number(value) }));
const wide = (type: TypeName, signed: boolean) =>
  fc.bigInt(integer(64, signed)).map((value): ReadValue => ({ type, value }));
const anyValue: fc.Arbitrary<ReadValue> = fc.oneof(
  fc.boolean().map((value): ReadValue => ({ type: 'BOOL', value })),
  fc.double().map((value): ReadValue => ({ type: 'DOUBLE', value })),
  fc.float().map((value): ReadValue => ({ type: 'FLOAT', value })),
  narrow('TINYINT', 8, true),
  narrow('SMALLINT', 16, true),
  narrow('INT', 32, true),
  wide('BIGINT', true),
  narrow('TINYINT UNSIGNED', 8, false),
  narrow('SMALLINT UNSIGNED', 16, false),
  narrow('INT UNSIGNED', 32, false),
  wide('BIGINT UNSIGNED', false),
  fc.string({ unit: 'binary' }).map((value): ReadValue => ({ type: 'VARCHAR', value })),
  fc
    .string({ unit: fc.constantFrom('"', '\\', '\n', '\r', ' ', ',', '=', 'x') })
    .map((value): ReadValue => ({ type: 'NCHAR', value })),
  fc.uint8Array().map((value): ReadValue => ({ type: 'VARBINARY', value: Buffer.from(value).toString('hex') })),
);
const anyPoint: fc.Arbitrary<Point> = fc
  .record({
    measurement: anyName.filter((s) => !/^[#\t]/.test(s)),
    tags: fc.uniqueArray(fc.tuple(anyName, anyText), { maxLength: 4, selector: ([name]) => name }),
    fields: fc.uniqueArray(fc.tuple(anyName, anyValue), { minLength: 1, maxLength: 6, selector: ([name]) => name }),
    time: fc.option(fc.bigInt(1n, 2n ** 63n - 1n), { nil: undefined }),
  })
  .filter(({ tags, fields }) => {
    const names = new Set(tags.map(([name]) => name));
    return (
      !fields.some(([name]) => names.has(name)) && !(tags.length === 0 && fields.some(([name]) => name === '_tag_null'))
    );
  })
  .map(({ measurement, tags, fields, time }) => ({
    measurement,
    tags: Object.fromEntries(tags),
    fields: Object.fromEntries(fields),
    time,
  }));

test('any point printed as line protocol comes back equal', (t) => {
  t.notThrows(() =>
    fc.assert(
      fc.property(anyPoint, (point) => {
        const desk = new LineProtocolDesk();
        const parsed = desk.parse(printPoint(point));
        const [row] = desk.rows(parsed);
        const tags = Object.keys(point.tags).length === 0 ? { _tag_null: undefined } : point.tags;
        t.deepEqual(parsed.rejects, []);
        t.deepEqual(
          { table: row?.table, tags: row?.tags, time: row?.time, fields: row?.fields },
          { table: point.measurement.replaceAll('.', '_'), tags, time: point.time ?? nowTicks, fields: point.fields },
          printPoint(point),
        );
      }),
      { numRuns: 500 },
    ),
  );
});

test('splitting a body at any line boundary gives the same rows', (t) => {
  t.notThrows(() =>
    fc.assert(
      fc.property(fc.array(anyPoint, { minLength: 1, maxLength: 8 }), fc.nat(), (points, at) => {
        const lines = points.map((point, i) => printPoint({ ...point, measurement: `${i % 3}${point.measurement}` }));
        const cut = at % (lines.length + 1);
        const desk = new LineProtocolDesk();
        const whole = desk.read(lines.join('\n'));
        const halves = [lines.slice(0, cut), lines.slice(cut)].flatMap((part) =>
          desk.read(part.map((l) => `${l}\n`).join('')),
        );
        const order = (rows: readonly unknown[]) =>
          rows.map((row) => JSON.stringify(row, (_, v) => (typeof v === 'bigint' ? `${v}n` : v))).sort();
        const bySplit = order(halves);
        // A later line may conflict with an earlier one only while they are in the same text.
        return order(whole).every((row) => bySplit.includes(row));
      }),
      { numRuns: 300 },
    ),
  );
});

const before = 'good,a=1 v=1,s="x" 1\ngood,a=2 v=2,s="y\\"z" 2\n';
const after = '\ngood,a=1 v=3,s="w" 3\ngood,a=3 v=4,n=7i 4\n';
const victim = Buffer.from(
  'cpu\\ load,host=a\\,b,dc=eu\\=1 v=1.25,i=-42i,u=7u8,ok=true,s="q\\"z, a=b",l=L"ü" 1700000000000000000',
);
const mutation: fc.Arbitrary<Buffer> = fc.oneof(
  fc.nat(victim.length).map((at) => victim.subarray(0, at)),
  fc.tuple(fc.nat(victim.length - 1), fc.nat(7)).map(([at, bit]) => {
    const bytes = Buffer.from(victim);
    bytes[at] = bytes[at]! ^ (1 << bit);
    return bytes;
  }),
  fc
    .tuple(fc.nat(victim.length), fc.uint8Array({ maxLength: 20 }))
    .map(([at, more]) => Buffer.concat([victim.subarray(0, at), more, victim.subarray(at)])),
  fc
    .tuple(
      fc.nat(victim.length),
      fc.constantFrom('9'.repeat(400), '\\'.repeat(3000), '\u{1f600}'.repeat(300), 'x'.repeat(2 ** 17), '",b="', '= ,'),
    )
    .map(([at, more]) => Buffer.concat([victim.subarray(0, at), Buffer.from(more), victim.subarray(at)])),
  fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
);

test('a mutated line never throws and costs none of its neighbours', (t) => {
  t.notThrows(() =>
    fc.assert(
      fc.property(mutation, (bytes) => {
        const desk = new LineProtocolDesk();
        const parsed = desk.parse(Buffer.concat([Buffer.from(before), bytes, Buffer.from(after)]), {
          maxLineBytes: 65536,
        });
        const values = desk
          .rows(parsed)
          .filter((row) => row.table === 'good')
          .map((row) => row.fields.v?.value);
        return [1, 2, 3, 4].every((value) => values.includes(value));
      }),
      { numRuns: 1000 },
    ),
  );
});

test('a line is read the same whatever came before it', (t) => {
  const key = fc.constantFrom(
    'm',
    'm,a=b',
    'm,a=b,c=d',
    'm\\ ,a=b',
    'cpu,host=server-1',
    'cpu,host=server-12',
    'm,a=\\',
  );
  const pieces = fc.constantFrom('', ' ', ',', '=', '\\', '\n', '\r', '"', 'm', '1', '\x01', '\t', '#', 'é');
  const change = fc.record({ at: fc.nat(), drop: fc.nat(2), pieces: fc.array(pieces, { maxLength: 2 }) });
  fc.assert(
    fc.property(fc.array(key, { minLength: 2, maxLength: 6 }), fc.array(change, { maxLength: 3 }), (keys, changes) => {
      const text = keys.map((key, i) => `${key} v=${i} ${i + 1}\n`).join('');
      const mutated = changes.reduce((text, { at, drop, pieces }) => {
        const from = at % (text.length + 1);
        return text.slice(0, from) + pieces.join('') + text.slice(from + drop);
      }, text);
      const desk = new LineProtocolDesk();
      for (let i = 0; i < 3; i++) desk.parse(text);
      const parsed = desk.parse(mutated);
      const fresh = new LineProtocolDesk();
      const expected = fresh.parse(mutated);
      // Tags are told by the sub-table, whose name an escaped comma may share.
      const shown = (rows: ReturnType<LineProtocolDesk['rows']>) => rows.map((row) => ({ ...row, tags: {} }));
      t.deepEqual(shown(desk.rows(parsed)), shown(fresh.rows(expected)));
      t.deepEqual([parsed.rejects, parsed.lines], [expected.rejects, expected.lines]);
    }),
    { numRuns: 1000 },
  );
});

test('counts every line whatever it holds', (t) => {
  t.notThrows(() =>
    fc.assert(
      fc.property(
        fc.array(
          fc.oneof(
            mutation,
            anyPoint.map((p) => Buffer.from(printPoint(p))),
          ),
          { maxLength: 6 },
        ),
        (parts) => {
          const bytes = Buffer.concat(parts.flatMap((part) => [part, Buffer.from('\n')]));
          const parsed = new LineProtocolDesk().parse(bytes);
          const breaks = bytes.reduce((sum, byte) => sum + (byte === 10 ? 1 : 0), 0);
          t.is(parsed.lines, breaks);
          let lines = 0;
          for (let at = 0; at < bytes.length; lines++) at = endOfLine(bytes, at, bytes.length, 2 ** 20);
          return parsed.rows + parsed.rejectedRows <= lines;
        },
      ),
      { numRuns: 500 },
    ),
  );
});
