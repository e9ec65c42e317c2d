import test from 'ava';
import fc from 'fast-check';
import { Codes } from '../../../src/model/fault.js';
import { parseTelnet } from '../../../src/transforms/parse/telnet.js';
import {
  LineProtocolDesk,
  nowTicks,
  printValue,
  type ReadValue,
  superTable,
} from '../../support/messages/line-protocol.js';
import { telnetRecording } from '../../support/recordings.js';

function newDesk(): LineProtocolDesk {
  return new LineProtocolDesk('ns', parseTelnet);
}

/** The message of the only rejected line. */
function rejection(text: string | Uint8Array): string {
  const parsed = newDesk().parse(text);
  return parsed.rejectedRows === 1 && parsed.rows === 0 ? parsed.rejects[0]!.fault.message : `rows: ${parsed.rows}`;
}

test('reads metric, time, value and tags of a line', (t) => {
  t.deepEqual(newDesk().read('put sys.if.bytes.out 1700000000 42 host=web01 interface=eth0\n'), [
    {
      table: 'sys_if_bytes_out',
      subTable: 't_f67972b49aa8adf8bca5d0d54f0d850d',
      tags: { host: 'web01', interface: 'eth0' },
      time: 1_700_000_000_000_000_000n,
      fields: { _value: { type: 'DOUBLE', value: 42 } },
    },
  ]);
});

test('takes lines with and without put, LF and CR LF, several blanks, blank lines and no end of the last line', (t) => {
  const desk = newDesk();
  const lines = [
    'put m 1700000000 1 a=b',
    'm   1700000001   2   a=b   ',
    '   put   m 1700000002 3 a=b\r',
    '',
    ' \t \r',
    '\r',
    'm 1700000003 4 a=b \r',
    'm 1700000004 5 a=b',
  ];
  const parsed = desk.parse(lines.join('\n'));
  t.deepEqual(
    desk.rows(parsed).map((row) => row.fields._value?.value),
    [1, 2, 3, 4, 5],
  );
  t.is(desk.subTables.size, 1);
  t.deepEqual([parsed.lines, parsed.rejectedRows], [8, 0]);
  t.is(desk.parse('').lines, 0);
});

test('the same tags are the same sub-table in any order and with any blanks', (t) => {
  const desk = newDesk();
  const rows = desk.read('m 1700000000 1 a=b c=d\nm 1700000001 1 c=d  a=b\nm 1700000002 1 a=b c=d\n');
  t.is(new Set(rows.map((row) => row.subTable)).size, 1);
});

test('seconds have 10 digits, milliseconds 13, maybe with a point before the last 3, and 0 is now', (t) => {
  const rows = newDesk().read(
    'm 1700000000 1 a=b\nm 1700000000123 1 a=b\nm 1700000000.456 1 a=b\nm 1700000000.457 1 a=b\nm 0 1 a=b\n',
  );
  t.deepEqual(
    rows.map((row) => row.time),
    [
      1_700_000_000_000_000_000n,
      1_700_000_000_123_000_000n,
      1_700_000_000_456_000_000n,
      1_700_000_000_457_000_000n,
      nowTicks,
    ],
  );
  const coarse = new LineProtocolDesk('ms', parseTelnet);
  t.deepEqual(
    coarse.read('m 1700000000 1 a=b\nm 1700000000123 1 a=b').map((row) => row.time),
    [1_700_000_000_000n, 1_700_000_000_123n],
  );
});

test('values are those of line protocol', (t) => {
  const values: [string, ReadValue][] = [
    ['-3.5e-2', { type: 'DOUBLE', value: -0.035 }],
    ['12345678901234', { type: 'DOUBLE', value: 12345678901234 }],
    ['9007199254740993i', { type: 'BIGINT', value: 9007199254740993n }],
    ['255u8', { type: 'TINYINT UNSIGNED', value: 255 }],
    ['true', { type: 'BOOL', value: true }],
    ['"a \\"b c=d"', { type: 'VARCHAR', value: 'a "b c=d' }],
    ['L"über"', { type: 'NCHAR', value: 'über' }],
  ];
  for (const [text, value] of values) {
    t.deepEqual(newDesk().read(`put m 1700000000 ${text} a=b`)[0]?.fields._value, value, text);
  }
});

test('a bad line is rejected by its number and reason, and its neighbours are kept', (t) => {
  const desk = newDesk();
  const parsed = desk.parse('m 1700000000 1 a=b\n\nput m x 1 a=b\nm 1700000001 2 a=b\n');
  t.is(parsed.rows, 2);
  t.deepEqual(parsed.rejects, [
    {
      row: 2,
      fault: {
        kind: 'parameter',
        code: Codes.schemalessData,
        message: 'timestamp "x" does not have 10 or 13 digits (column 7)',
      },
    },
  ]);
});

test('every fault has a message that says what is wrong', (t) => {
  const cases: [string, RegExp][] = [
    ['put', /the timestamp is missing/],
    ['put m', /the timestamp is missing/],
    ['put m\t1700000000\t1\th=a', /a tab or another control character .* \(column 6\)/],
    ['put m 1700000000\t1 h=a', /a tab or another control character .* \(column 17\)/],
    ['put m 1700000000', /the value is missing/],
    ['put m 1700000000 1', /the point has no tags/],
    ['put m 1700000000 1 ', /the point has no tags/],
    ['m 170000000012 1 a=b', /"170000000012" does not have 10 or 13 digits/],
    ['m 1700000000.12x 1 a=b', /timestamp "170000000012x" is not a whole number \(column 3\)/],
    ['m 1700000000.5 1 a=b', /"1700000000.5" does not have/],
    ['m 17000000.5 1 a=b', /"17000000.5" is not a whole number/],
    ['m -170000000 1 a=b', /before 1970/],
    ['m 1700000000 abc a=b', /"abc" is not a value/],
    ['m 1700000000 1,5 a=b', /"1,5" is not a value/],
    ['m 1700000000 inf a=b', /"inf" is not a finite number/],
    ['m 1700000000 nan a=b', /"nan" is not a finite number/],
    ['m 1700000000 300u8 a=b', /out of range/],
    ['m 1700000000 "x a=b', /a string is not closed/],
    ['m 1700000000 "x"y a=b', /is not a value/],
    ['m 1700000000 1 a', /tag "a" has no value/],
    ['m 1700000000 1 a=', /tag "a" has an empty value/],
    ['m 1700000000 1 =b', /a tag has no name/],
    ['m 1700000000 1 a=b=c', /tag "a" has a second equals sign/],
    ['m 1700000000 1 a=b a=c', /tag "a" occurs twice/],
    ['m 1700000000 1 a=b c=d a=b a=c', /tag "a" occurs twice/],
    ['m -1700000000 1 a=b', /timestamp "-1700000000" is before 1970/],
    ['m 1700000000 1 _ts=b', /time column/],
    [`m 1700000000 1 ${'a'.repeat(193)}=b`, /longer than 192 bytes/],
    [`${'m'.repeat(193)} 1700000000 1 a=b`, /longer than 192 bytes/],
    [`m 1700000000 1 a=${'b'.repeat(4096)}`, /the tags are too long/],
    [`m 1700000000 1 ${Array.from({ length: 129 }, (_, i) => `t${i}=x`).join(' ')}`, /more than 128 tags/],
  ];
  for (const [line, reason] of cases) t.regex(rejection(line), reason, line);
  t.regex(rejection(Buffer.from([0x6d, 0xff, ...Buffer.from(' 1700000000 1 a=b')])), /not well-formed UTF-8/);
});

test('a tag that comes twice with one value is one tag', (t) => {
  const rows = newDesk().read('m 1700000000 1 a=b a=b\nm 1700000001 1 a=b c=d  a=b\n');
  t.deepEqual(
    rows.map(({ tags }) => tags),
    [{ a: 'b' }, { a: 'b', c: 'd' }],
  );
});

test('a line above the limit is rejected', (t) => {
  const parsed = newDesk().parse(`m 1700000000 1 a=${'b'.repeat(90)}\nm 1700000000 1 a=b\n`, { maxLineBytes: 60 });
  t.deepEqual([parsed.rows, parsed.rejectedRows], [1, 1]);
  t.regex(parsed.rejects[0]!.fault.message, /longer than 60 bytes/);
});

test('a value of another type than the column has is refused, by the schema and within one text', (t) => {
  const desk = newDesk();
  desk.tables.set('m', superTable('m', { _value: ['BIGINT'] }, ['a']));
  const parsed = desk.parse('m 1700000000 1 a=b\nm 1700000001 1i a=b\nn 1700000000 1 a=b\nn 1700000001 t a=b\n');
  t.deepEqual([parsed.rows, parsed.rejectedRows], [2, 2]);
  t.regex(parsed.rejects[0]!.fault.message, /the value is DOUBLE, but the column of table "m" is BIGINT/);
  t.is(parsed.rejects[1]!.fault.code, Codes.schemalessTypeConflict);
});

const word = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 12 })
  .filter((text) => /^[^\s=\p{C}]+$/u.test(text) && Buffer.byteLength(text) <= 64);
const value = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((number): ReadValue => ({ type: 'DOUBLE', value: number })),
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map((number): ReadValue => ({ type: 'BIGINT', value: number })),
  fc.boolean().map((bool): ReadValue => ({ type: 'BOOL', value: bool })),
  fc
    .string({ unit: 'grapheme', maxLength: 20 })
    .filter((text) => !/[\n\r\p{Surrogate}]/u.test(text))
    .map((text): ReadValue => ({ type: 'VARCHAR', value: text })),
);
const point = fc.record({
  metric: word,
  seconds: fc.boolean(),
  time: fc.integer({ min: 1_000_000_000, max: 9_223_372_035 }),
  value,
  tags: fc.dictionary(word, word, { minKeys: 1, maxKeys: 4 }),
});

test('any point printed as a line comes back equal', (t) => {
  fc.assert(
    fc.property(point, fc.constantFrom('put ', ''), fc.constantFrom('\n', '\r\n', ''), (sent, put, end) => {
      const time = sent.seconds ? `${sent.time}` : `${sent.time}007`;
      const tags = Object.entries(sent.tags).map(([name, text]) => `${name}=${text}`);
      const line = `${put}${sent.metric} ${time} ${printValue(sent.value)} ${tags.join(' ')}${end}`;
      if (/^put /.test(`${sent.metric} `) && put === '') return;
      const desk = newDesk();
      const parsed = desk.parse(line);
      t.deepEqual(parsed.rejects, [], line);
      const [row] = desk.rows(parsed);
      t.is(row?.table, sent.metric.replaceAll('.', '_'));
      t.deepEqual(row?.tags, { ...sent.tags });
      t.is(row?.time, BigInt(sent.time) * 1_000_000_000n + (sent.seconds ? 0n : 7_000_000n));
      t.deepEqual(row?.fields._value, sent.value);
    }),
    { numRuns: 500 },
  );
  t.pass();
});

const lineParts = fc.tuple(
  fc.constantFrom('put ', 'put  ', '', ' '),
  fc.constantFrom('m', 'mm', 'm.a', 'n\tn'),
  fc.constantFrom(' ', '  ', '\t'),
  fc.constantFrom('1700000000', '1700000000123', '170000', 'x'),
  fc.constantFrom(' ', '   '),
  fc.constantFrom('1', '2.5', '"a b"', 'L"a=b', '1x', 'nan'),
  fc.constantFrom(' ', '  ', ''),
  fc.constantFrom('a=b', 'a=bb', 'a=b c=d', 'a=b  c=d', 'a', ''),
  fc.constantFrom('', ' ', '\r', ' more=1'),
);

test('a line that comes where it is expected is read as it is on its own', (t) => {
  fc.assert(
    fc.property(fc.array(lineParts, { minLength: 1, maxLength: 6 }), fc.nat(5), (round, other) => {
      const lines = round.map((parts) => parts.join(''));
      // Twice the same round, and then a line that breaks its order.
      const all = [...lines, ...lines, lines[other % lines.length]!, ...lines];
      const shown = (text: string) => {
        const desk = newDesk();
        const parsed = desk.parse(text);
        const rows = desk
          .rows(parsed)
          .map((row) => JSON.stringify(row, (_, v) => (typeof v === 'bigint' ? `${v}` : v)));
        return { rows, rejects: parsed.rejects.map(({ fault }) => fault.message) };
      };
      const alone = all.map(shown);
      const together = shown(all.join('\n'));
      // A table that has numbers takes no text, which only lines of one text can know.
      fc.pre(!together.rejects.some((message) => message.includes('the column of table')));
      t.deepEqual(together.rows.sort(), alone.flatMap(({ rows }) => rows).sort());
      t.deepEqual(
        together.rejects,
        alone.flatMap(({ rejects }) => rejects),
      );
    }),
    { numRuns: 400 },
  );
});

test('a mutated line never throws and costs none of its neighbours', (t) => {
  const good = 'put m 1700000000 1.5 host=a cpu=0';
  fc.assert(
    fc.property(fc.nat(good.length), fc.uint8Array({ maxLength: 4 }), fc.nat(4), (at, bytes, drop) => {
      const inserted = Buffer.from(bytes.filter((byte) => byte !== 0x0a));
      const mutated = Buffer.concat([Buffer.from(good.slice(0, at)), inserted, Buffer.from(good.slice(at + drop))]);
      const text = Buffer.concat([Buffer.from('n 1700000000 1 a=b\n'), mutated, Buffer.from('\nn 1700000001 1 a=b\n')]);
      const desk = newDesk();
      const parsed = desk.parse(text);
      t.is(parsed.lines, 3);
      t.true(parsed.rows >= 2 && parsed.rows + parsed.rejectedRows <= 3);
    }),
    { numRuns: 700 },
  );
});

for (const name of [
  'collectd-5.12-write_tsdb',
  'icinga2-2.13.6-opentsdbwriter',
  'netdata-1.37.1-telnet',
  'tcollector-telnet',
]) {
  test(`reads what ${name} sent`, (t) => {
    const { bytes, recording } = telnetRecording(name);
    const desk = newDesk();
    const parsed = desk.parse(bytes);
    const lines = bytes.toString().split('\n');
    const refused = parsed.rejects.map(({ row }) => lines[row]!.trim());
    t.deepEqual(refused.sort(), [...recording.invalid.map(({ line }) => line), ...recording.commands].sort());
    const shown = (table: string, time: bigint, value: unknown, tags: object) =>
      JSON.stringify([table, String(time), value, Object.entries(tags).sort()]);
    t.deepEqual(
      desk
        .rows(parsed)
        .map((row) => shown(row.table, row.time, row.fields._value?.value, row.tags))
        .sort(),
      recording.points
        .map((one) => shown(one.metric.replaceAll('.', '_'), BigInt(one.timestamp) * 10n ** 9n, one.value, one.tags))
        .sort(),
    );
  });
}
