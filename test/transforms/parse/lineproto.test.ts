import { readdirSync, readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import test from 'ava';
import fc from 'fast-check';
import { Codes, FaultError, fault } from '../../../src/model/fault.js';
import type { TypeName } from '../../../src/model/schema.js';
import { endOfLine } from '../../../src/transforms/parse/line-cutter.js';
import { maxDetailedRejects } from '../../../src/transforms/parse/point-limits.js';
import {
  LineProtocolDesk,
  nowTicks,
  type Point,
  printPoint,
  type ReadValue,
  superTable,
} from '../../support/line-protocol.js';

/** The message of the only rejected line. */
function rejection(text: string | Uint8Array): string {
  const desk = new LineProtocolDesk();
  const parsed = desk.parse(text);
  return parsed.rejectedRows === 1 && parsed.rows === 0 ? parsed.rejects[0]!.fault.message : `rows: ${parsed.rows}`;
}

/** The value of the only field of one line. */
function onlyValue(text: string): ReadValue | string {
  const desk = new LineProtocolDesk();
  const parsed = desk.parse(`m v=${text} 1`);
  return desk.rows(parsed)[0]?.fields.v ?? parsed.rejects[0]!.fault.message;
}

test('reads measurement, tags, fields and time of a line', (t) => {
  const desk = new LineProtocolDesk();
  const rows = desk.read('room.temp,site=north,floor=2 celsius=21.5,ok=t,n=3i 1700000000000000000');
  t.deepEqual(rows, [
    {
      table: 'room_temp',
      subTable: 't_8ef06d0f5370118f010aad1fe20bd698',
      tags: { site: 'north', floor: '2' },
      time: 1_700_000_000_000_000_000n,
      fields: {
        celsius: { type: 'DOUBLE', value: 21.5 },
        ok: { type: 'BOOL', value: true },
        n: { type: 'BIGINT', value: 3n },
      },
    },
  ]);
});

test('gives a line without tags the NULL tag and the name of the measurement alone', (t) => {
  const [row] = new LineProtocolDesk().read('cpu v=1 5\n');
  t.is(row?.subTable, 't_d9747e2da342bdb995f6389533ad1a3d');
  t.deepEqual(row?.tags, { _tag_null: undefined });
});

test('unescapes names, tag values and strings', (t) => {
  const [row] = new LineProtocolDesk().read('h\\,h\\ h\\=h,ho\\ st\\==a\\,b\\ c\\d f\\ \\,\\==1,x="q\\"z\\\\y\\n" 5');
  t.is(row?.table, 'h,h h\\=h');
  t.deepEqual(row?.tags, { 'ho st=': 'a,b c\\d' });
  t.deepEqual(row?.fields, {
    'f ,=': { type: 'DOUBLE', value: 1 },
    x: { type: 'VARCHAR', value: 'q"z\\y\\n' },
  });
});

test('skips comments, blank lines and leading blanks, and takes CR LF and several blanks', (t) => {
  const desk = new LineProtocolDesk();
  const parsed = desk.parse('# hi "there\n\n  \t \r\n \t m   v=1   7   \r\n# a=b c="\nm v=2\r\nm v=3 9');
  t.deepEqual(
    desk.rows(parsed).map((row) => [row.time, row.fields.v?.value]),
    [
      [7n, 1],
      [nowTicks, 2],
      [9n, 3],
    ],
  );
  t.is(parsed.lines, 7);
  t.is(parsed.rejectedRows, 0);
});

test('keeps a line break inside a string and counts it as a line', (t) => {
  const desk = new LineProtocolDesk();
  const parsed = desk.parse('m s="a\nb\r\n" 1\nm s=bad\nm s="c" 2');
  t.deepEqual(
    desk.rows(parsed).map((row) => row.fields.s?.value),
    ['a\nb\r\n', 'c'],
  );
  t.is(parsed.rejects[0]?.row, 3);
  t.is(parsed.lines, 5);
});

test('reads every kind of value', (t) => {
  const values: [string, TypeName, ReadValue['value']][] = [
    ['t', 'BOOL', true],
    ['F', 'BOOL', false],
    ['tRuE', 'BOOL', true],
    ['False', 'BOOL', false],
    ['1', 'DOUBLE', 1],
    ['-0.5f64', 'DOUBLE', -0.5],
    ['.5', 'DOUBLE', 0.5],
    ['5.', 'DOUBLE', 5],
    ['+1.5E+3', 'DOUBLE', 1500],
    ['1e-7', 'DOUBLE', 1e-7],
    ['0.1F32', 'FLOAT', Math.fround(0.1)],
    ['-128i8', 'TINYINT', -128],
    ['-32768I16', 'SMALLINT', -32768],
    ['2147483647i32', 'INT', 2147483647],
    ['-9223372036854775808i', 'BIGINT', -9223372036854775808n],
    ['9223372036854775807i64', 'BIGINT', 9223372036854775807n],
    ['0000000000000000000000000000012i', 'BIGINT', 12n],
    ['-0i', 'BIGINT', 0n],
    ['255u8', 'TINYINT UNSIGNED', 255],
    ['65535u16', 'SMALLINT UNSIGNED', 65535],
    ['4294967295U32', 'INT UNSIGNED', 4294967295],
    ['18446744073709551615u', 'BIGINT UNSIGNED', 18446744073709551615n],
    ['1u64', 'BIGINT UNSIGNED', 1n],
    ['nan', 'DOUBLE', Number.NaN],
    ['NaN', 'DOUBLE', Number.NaN],
    ['inf', 'DOUBLE', Infinity],
    ['+Inf', 'DOUBLE', Infinity],
    ['-inf', 'DOUBLE', -Infinity],
    ['-Infinity', 'DOUBLE', -Infinity],
    ['inff32', 'FLOAT', Infinity],
    ['""', 'VARCHAR', ''],
    ['"ü"', 'VARCHAR', 'ü'],
    ['l"ü"', 'NCHAR', 'ü'],
    ['L"a b,c=d"', 'NCHAR', 'a b,c=d'],
    ['B"\\xdeAD"', 'VARBINARY', 'dead'],
    ['b"text"', 'VARBINARY', '74657874'],
    ['b"\\\\x41"', 'VARBINARY', '5c783431'],
    ['G"POINT(100 100)"', 'GEOMETRY', '010100000000000000000059400000000000005940'],
    ['g"point (1 2)"', 'GEOMETRY', '0101000000000000000000f03f0000000000000040'],
  ];
  for (const [text, type, value] of values) t.deepEqual(onlyValue(text), { type, value }, text);
});

test('refuses values that are none, and says why', (t) => {
  const messages: [string, string][] = [
    ['1.9i', 'field "v": "1.9i" is not an integer (column 5)'],
    ['1e3i', 'field "v": "1e3i" is not an integer (column 5)'],
    ['abc', 'field "v": "abc" is not a value (column 5)'],
    ['tru', 'field "v": "tru" is not a value (column 5)'],
    ['1.5x', 'field "v": "1.5x" is not a value (column 5)'],
    ['1f16', 'field "v": "1f16" is not a value (column 5)'],
    ['1i7', 'field "v": "1i7" is not a value (column 5)'],
    ['--1', 'field "v": "--1" is not a value (column 5)'],
    ['-', 'field "v": "-" is not a value (column 5)'],
    ['.', 'field "v": "." is not a value (column 5)'],
    ['1e', 'field "v": "1e" is not a value (column 5)'],
    ['0x10', 'field "v": "0x10" is not a value (column 5)'],
    ['', 'field "v": the value is missing (column 5)'],
    ['128i8', 'field "v": "128i8" is out of range for TINYINT (column 5)'],
    ['-1u', 'field "v": "-1u" is out of range for BIGINT UNSIGNED (column 5)'],
    ['256u8', 'field "v": "256u8" is out of range for TINYINT UNSIGNED (column 5)'],
    ['9223372036854775808i', 'field "v": "9223372036854775808i" is out of range for BIGINT (column 5)'],
    ['18446744073709551616u', 'field "v": "18446744073709551616u" is out of range for BIGINT UNSIGNED (column 5)'],
    ['99999999999999999999999i', 'field "v": "99999999999999999999999i" is out of range for BIGINT (column 5)'],
    ['1e309', 'field "v": "1e309" is out of range for DOUBLE (column 5)'],
    ['1e39f32', 'field "v": "1e39f32" is out of range for FLOAT (column 5)'],
    ['"abc', 'field "v": a string is not closed (column 5)'],
    ['B"\\xabc"', 'field "v": "B\\"\\\\xabc\\"" is not a whole number of hexadecimal bytes (column 5)'],
    ['G"POINT(1)"', 'field "v": "POINT(1)" is not the text of a geometry (column 5)'],
    ['1 5x', '"x" follows the timestamp (column 8)'],
    ['"a"b', 'field "v": "\\"a\\"b" is not a value (column 5)'],
  ];
  for (const [text, message] of messages) t.is(rejection(`m v=${text}`), message, text);
});

test('refuses lines that do not follow the grammar, and says why', (t) => {
  const long = 'x'.repeat(193);
  const messages: [string, string][] = [
    ['m', 'the line has no fields (column 2)'],
    ['m ', 'a field is missing (column 3)'],
    ['m,a=1', 'the line has no fields (column 6)'],
    ['m v', 'field "v" has no value (column 3)'],
    ['m v=1,', 'a field is missing (column 7)'],
    ['m =1', 'a field has no name (column 3)'],
    [',a=1 v=1', 'the measurement is missing (column 1)'],
    ['m,a v=1', 'tag "a" has no value (column 3)'],
    ['m,a= v=1', 'tag "a" has an empty value (column 3)'],
    ['m,=b v=1', 'a tag has no name (column 3)'],
    ['m, v=1', 'tag "" has no value (column 3)'],
    ['m,a=b=c v=1', 'tag "a": an equals sign in a value needs a backslash before it (column 6)'],
    ['m,a=1,a=2 v=1', 'tag "a" occurs twice (column 7)'],
    ['m v=1,v=2', 'field "v" occurs twice (column 7)'],
    ['m,v=1 v=2', 'field "v" cannot be stored: it is the name of a tag (column 7)'],
    ['m _ts=2', 'field "_ts" cannot be stored: it is the name of the time column (column 3)'],
    ['m,_ts=2 v=2', 'tag "_ts" is the name of the time column (column 3)'],
    [`${long} v=1`, `measurement "${'x'.repeat(48)}..." is longer than 192 bytes (column 1)`],
    [`m ${'x'.repeat(65)}=1`, `field name "${'x'.repeat(48)}..." is longer than 64 bytes (column 3)`],
    [`m,${'x'.repeat(65)}=1 v=1`, `tag name "${'x'.repeat(48)}..." is longer than 64 bytes (column 3)`],
    ['m v=1 -5', 'timestamp "-5" is before 1970 (column 7)'],
    ['m v=1 abc', 'timestamp "abc" is not a whole number (column 7)'],
    ['m v=1 9223372036854775808', 'timestamp "9223372036854775808" is too large (column 7)'],
    ['m v=1 99999999999999999999999', 'timestamp "99999999999999999999999" is too large (column 7)'],
    ['m v=1 1 2', '"2" follows the timestamp (column 9)'],
  ];
  for (const [text, message] of messages) t.is(rejection(text), message, text);
});

test('takes names and values up to their limits and refuses longer rows, tags and lines', (t) => {
  const desk = new LineProtocolDesk();
  t.is(desk.parse(`${'x'.repeat(192)},${'t'.repeat(64)}=1 ${'f'.repeat(64)}=1`).rows, 1);
  t.is(desk.parse(`m s="${'a'.repeat(65517)}"`).rows, 1);
  t.regex(rejection(`m s="${'a'.repeat(65518)}"`), /VARCHAR value is too long/);
  t.regex(rejection(`m s=L"${'a'.repeat(16380)}"`), /NCHAR value is too long/);
  t.regex(rejection(`m a="${'a'.repeat(40000)}",b="${'a'.repeat(40000)}"`), /the fields take 80004 bytes/);
  t.is(desk.parse(`m,t=${'a'.repeat(4095)} v=1`).rows, 1);
  t.regex(rejection(`m,t=${'a'.repeat(4096)} v=1`), /the tags are too long/);
  const tags = Array.from({ length: 129 }, (_, i) => `,t${i}=1`).join('');
  t.regex(rejection(`m${tags} v=1`), /more than 128 tags/);
  const short = desk.parse('m v=1\nm vvvvvvvvvvvvvvvvvv=1\nm v=3', { maxLineBytes: 16 });
  t.is(short.rows, 2);
  t.is(short.rejects[0]?.fault.message, 'the line is longer than 16 bytes (column 1)');
});

test('rejects ill-formed UTF-8 in names and strings but not in binary values', (t) => {
  const line = (prefix: string, byte: number, suffix: string) =>
    Buffer.concat([Buffer.from(prefix), Buffer.from([byte]), Buffer.from(suffix)]);
  t.regex(rejection(line('m', 0xff, ' v=1')), /measurement or tags are not well-formed UTF-8/);
  t.regex(rejection(line('m,t=', 0xc0, ' v=1')), /measurement or tags are not well-formed UTF-8/);
  t.regex(rejection(line('m v', 0x80, '=1')), /is not well-formed UTF-8/);
  t.regex(rejection(line('m v="', 0xe4, '"')), /the string is not well-formed UTF-8/);
  t.is(new LineProtocolDesk().read(line('m v=B"', 0xff, '"'))[0]?.fields.v?.value, 'ff');
});

test('converts times to the precision of the database by whole division', (t) => {
  const cases = [
    ['ns', 'ms', '1700000000123999999', 1700000000123n],
    ['ns', 'us', '1700000000123999999', 1700000000123999n],
    ['ns', 'ns', '9223372036854775807', 9223372036854775807n],
    ['us', 'ms', '0001700000000123999', 1700000000123n],
    ['us', 'ns', '1700000000123999', 1700000000123999000n],
    ['ms', 'ns', '1700000000123', 1700000000123000000n],
    ['s', 'ms', '1700000000', 1700000000000n],
    ['s', 'ns', '1700000000', 1700000000000000000n],
    ['s', 'ns', '9223372036', 9223372036000000000n],
    ['m', 'us', '28333333', 1699999980000000n],
    ['h', 'ns', '472222', 1699999200000000000n],
    ['h', 'ms', '472222', 1699999200000n],
    ['ns', 'ms', '0', nowTicks],
    ['s', 'ms', '000', nowTicks],
  ] as const;
  for (const [precision, of, text, ticks] of cases) {
    t.is(new LineProtocolDesk(of).read(`m v=1 ${text}`, { precision })[0]?.time, ticks, `${text} ${precision} ${of}`);
  }
  const bad = [
    ['ns', 'ms', '999999'],
    ['s', 'ns', '9223372037'],
    ['h', 'ns', '2562048'],
    ['h', 'ns', '9999999999999999999'],
    ['s', 'ns', '9223372036854775807'],
  ] as const;
  for (const [precision, of, text] of bad) {
    const parsed = new LineProtocolDesk(of).parse(`m v=1 ${text}`, { precision });
    t.is(parsed.rejects[0]?.fault.code, Codes.timestampOutOfRange, `${text} ${precision} ${of}`);
  }
});

test('converts any time as BigInt arithmetic does', (t) => {
  const nanoseconds = { ns: 1n, us: 1000n, ms: 1_000_000n, s: 10n ** 9n, m: 60n * 10n ** 9n, h: 3600n * 10n ** 9n };
  const units = fc.constantFrom('ns', 'us', 'ms', 's', 'm', 'h');
  const precisions = fc.constantFrom('ns', 'us', 'ms');
  t.notThrows(() =>
    fc.assert(
      fc.property(units, precisions, fc.bigInt(1n, 2n ** 63n - 1n), fc.nat(62), (precision, of, wide, bits) => {
        const value = (wide >> BigInt(bits)) + 1n;
        const ticks = (value * nanoseconds[precision]) / nanoseconds[of];
        const row = new LineProtocolDesk(of).read(`m v=1 ${value}`, { precision })[0];
        return row?.time === (ticks > 0n && ticks < 2n ** 63n ? ticks : undefined);
      }),
      { numRuns: 2000 },
    ),
  );
});

test('refuses times after the last one that is taken', (t) => {
  const parsed = new LineProtocolDesk().parse('m v=1 5000000000\nm v=1 5000000001', { maxTicks: 5_000_000_000n });
  t.is(parsed.rows, 1);
  t.is(parsed.rejectedRows, 1);
  t.is(parsed.rejects[0]?.fault.code, Codes.timestampOutOfRange);
  t.true(parsed.rejects[0]?.fault.message.includes('is too far in the future'));
});

test('refuses times before the first one that is kept', (t) => {
  const parsed = new LineProtocolDesk().parse('m v=1 4999999999\nm v=1 5000000000', { minTicks: 5_000_000_000n });
  t.is(parsed.rows, 1);
  t.is(parsed.rejects[0]?.fault.code, Codes.timestampOutOfRange);
});

test('reads any double as Number does', (t) => {
  const part = fc.tuple(fc.bigInt(0n, 10n ** 20n), fc.nat(22)).map(([n, zeros]) => '0'.repeat(zeros) + n);
  const text = fc
    .tuple(fc.constantFrom('', '-', '+'), part, fc.option(part), fc.option(fc.integer({ min: -330, max: 300 })))
    .map(
      ([sign, whole, fraction, e]) =>
        `${sign}${whole}${fraction === null ? '' : `.${fraction}`}${e === null ? '' : `e${e}`}`,
    );
  const finite = text.filter((s) => Number.isFinite(Number(s)));
  const read = (s: string) => {
    const value = onlyValue(s);
    return typeof value === 'object' && Object.is(value.value, Number(s));
  };
  t.notThrows(() => fc.assert(fc.property(finite, read), { numRuns: 3000 }));
  t.notThrows(() =>
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (d) => read(`${d}`)),
      { numRuns: 3000 },
    ),
  );
});

test('reads any integer of any width exactly', (t) => {
  const widths = [8, 16, 32, 64] as const;
  t.notThrows(() =>
    fc.assert(
      fc.property(
        fc.constantFrom(...widths),
        fc.boolean(),
        fc.bigInt(-(2n ** 66n), 2n ** 66n),
        fc.nat(70),
        (bits, signed, wide, cut) => {
          const value = wide >> BigInt(cut);
          const fits = value === (signed ? BigInt.asIntN(bits, value) : BigInt.asUintN(bits, value));
          const read = onlyValue(`${value}${signed ? 'i' : 'u'}${bits}`);
          return typeof read === 'object'
            ? fits && BigInt(Number.isInteger(read.value) ? Number(read.value) : String(read.value)) === value
            : !fits;
        },
      ),
      { numRuns: 3000 },
    ),
  );
});

test('rejects a field whose type differs from the known column, and keeps its neighbours', (t) => {
  const desk = new LineProtocolDesk();
  desk.tables.set('m', superTable('m', { v: ['BIGINT'], s: ['VARCHAR', 8], d: ['TIMESTAMP'] }, ['a']));
  const parsed = desk.parse('m,a=1 v=1i 1\nm,a=1 new=1,v=1.5 2\nm,a=1 s=L"x" 3\nm,a=1 d=1i 4\nm,a=1 new="x" 5');
  t.is(parsed.rows, 2);
  t.deepEqual(
    parsed.rejects.map(({ row, fault: f }) => [row, f.code, f.message]),
    [
      [1, Codes.schemalessTypeConflict, 'field "v" is DOUBLE, but the column of table "m" is BIGINT (column 13)'],
      [2, Codes.schemalessTypeConflict, 'field "s" is NCHAR, but the column of table "m" is VARCHAR (column 7)'],
      [3, Codes.schemalessTypeConflict, 'field "d" is BIGINT, but the column of table "m" is TIMESTAMP (column 7)'],
    ],
  );
  t.deepEqual(desk.rows(parsed)[1]?.fields, { new: { type: 'VARCHAR', value: 'x' } });
});

test('rejects a field whose type differs from an earlier line of the same text', (t) => {
  const desk = new LineProtocolDesk();
  const parsed = desk.parse('m v=1i 1\nm v=1.5 2\nn v=1.5 3\nm v=2i 4');
  t.is(parsed.rows, 3);
  t.is(parsed.rejects[0]?.fault.code, Codes.schemalessTypeConflict);
  t.is(parsed.rejects[0]?.row, 1);
  // Nothing was stored by the first call as far as the schema knows, so the second may choose anew.
  t.is(desk.parse('m v=1.5 2').rows, 1);
});

test('a rejected line leaves no trace', (t) => {
  const desk = new LineProtocolDesk();
  const parsed = desk.parse('m,a=1 x=1,y="s",z=bad 1\nm,a=1 x="now text" 2\nm,b=2 a=1,q=bad 3\nm,c=3 b=1 3');
  t.is(parsed.rows, 2);
  t.is(parsed.rejectedRows, 2);
  t.deepEqual(
    parsed.blocks[0]?.columns.map((column) => [column.name, column.type.name]),
    [
      ['x', 'VARCHAR'],
      ['b', 'DOUBLE'],
    ],
  );
  t.is(desk.made, 2);
});

test('refuses a name used as tag by one line and as field by another', (t) => {
  const desk = new LineProtocolDesk();
  const first = desk.parse('m,a=1 v=1\nm,b=1 a=1\nm,v=1 w=1\nm,b=1 w=2');
  t.deepEqual(
    first.rejects.map(({ row, fault: f }) => [row, f.code]),
    [
      [1, Codes.duplicatedColumns],
      [2, Codes.duplicatedColumns],
    ],
  );
  const known = new LineProtocolDesk();
  known.tables.set('m', superTable('m', { v: ['DOUBLE'] }, ['host']));
  t.is(known.parse('m,x=1 host=1\nm,v=1 w=1\nm,x=1 v=2').rows, 1);
  // A series remembered from a call whose rows were not stored is held against the columns of this one.
  t.is(desk.parse('m,b=1 w=2\nm,c=1 b=2').rows, 1);
  t.is(desk.parse('m,c=1 b=2\nm,b=1 w=2').rows, 1);
});

test('refuses a table that is not a super table', (t) => {
  const desk = new LineProtocolDesk();
  desk.tables.set('m', { ...superTable('m', { v: ['DOUBLE'] }), kind: 'normal' });
  const parsed = desk.parse('m v=1\nn v=1');
  t.is(parsed.rows, 1);
  t.is(parsed.rejects[0]?.fault.message, 'table "m" is not a super table (column 1)');
});

test('carries a sub-table in every block until it is registered, once however its tags are written', (t) => {
  const desk = new LineProtocolDesk();
  const names = () =>
    desk
      .parse('m,a=1,b=2 v=1 1\nm,b=2,a=1 v=1 2\nm,a=1,b=2 v=1 3')
      .blocks.map((b) => b.newSubTables.map((s) => s.name));
  const [[name] = []] = names();
  t.deepEqual(names(), [[name!]]);
  t.is(desk.made, 2);
  desk.subTables.get(name!)!.registered = true;
  t.deepEqual(names(), [[]]);
  t.is(desk.made, 2);
});

test('rejects the line of a sub-table that cannot be made', (t) => {
  const desk = new LineProtocolDesk();
  const parsed = desk.parse('m,a=1 v=1 1\nm,a=1 v="x" 1', {
    makeSubTable: () => {
      throw new FaultError(fault('database', Codes.invalidTagCount, 'no more'));
    },
  });
  t.is(parsed.rows, 0);
  t.deepEqual(
    parsed.rejects.map((r) => r.fault.message),
    ['no more (column 1)', 'no more (column 1)'],
  );
});

test('declares strings wide enough for the longest value and never narrower than they are', (t) => {
  const desk = new LineProtocolDesk();
  const lengths = (text: string) => desk.parse(text).blocks[0]?.columns.map((column) => column.type.length);
  t.deepEqual(lengths('m s="12345",n=L"üüüüü",e="",b=B"12345678",l="" 1\nm s="12345678" 2'), [16, 8, 1, 16, 1]);
  t.deepEqual(lengths(`m s="${'x'.repeat(1023)}",l="${'x'.repeat(1024)}"`), [1024, 1024]);
  desk.tables.set('m', superTable('m', { s: ['VARCHAR', 10], n: ['NCHAR', 3] }));
  t.deepEqual(lengths('m s="1234567890",n=L"üüü"'), [10, 3]);
  t.deepEqual(lengths('m s="12345678901",n=L"üüüü"'), [16, 8]);
});

test('follows a schema that changes between calls', (t) => {
  const desk = new LineProtocolDesk();
  t.is(desk.parse('m,a=1 v=1').rows, 1);
  desk.tables.set('m', superTable('m', { v: ['BIGINT'] }, ['a']));
  t.is(desk.parse('m,a=1 v=1').rows, 0);
  t.is(desk.parse('m,a=1 v=1i').rows, 1);
});

test('describes only so many rejected lines but counts them all', (t) => {
  const parsed = new LineProtocolDesk().parse('bad\n'.repeat(1000), { firstLine: 5 });
  t.is(parsed.rejectedRows, 1000);
  t.is(parsed.rejects.length, maxDetailedRejects);
  t.is(parsed.rejects[0]?.row, 5);
  t.is(parsed.lines, 1000);
});

test('splits a block that is sparse instead of filling it with NULLs', (t) => {
  const desk = new LineProtocolDesk();
  const wide = `m ${Array.from({ length: 4000 }, (_, i) => `f${i}=1`).join(',')} 1\n`;
  const parsed = desk.parse(wide + 'm f0=2 2\n'.repeat(1000));
  t.is(parsed.rows, 1001);
  t.true(parsed.blocks.length > 1);
  t.is(
    parsed.blocks.reduce((sum, block) => sum + block.rows, 0),
    1001,
  );
  for (const block of parsed.blocks) t.is(block.newSubTables.length, 1);
});

test('refuses more columns than a table may have', (t) => {
  const parsed = new LineProtocolDesk().parse(
    `m ${Array.from({ length: 4096 }, (_, i) => `f${i}=1`).join(',')}\nm v=1`,
  );
  t.is(parsed.rows, 1);
  t.is(parsed.rejects[0]?.fault.code, Codes.tooManyTableColumns);
});

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
      { numRuns: 1500 },
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
      { numRuns: 3000 },
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
      const wanted = fresh.parse(mutated);
      // Tags are told by the sub-table, whose name an escaped comma may share.
      const shown = (rows: ReturnType<LineProtocolDesk['rows']>) => rows.map((row) => ({ ...row, tags: {} }));
      t.deepEqual(shown(desk.rows(parsed)), shown(fresh.rows(wanted)));
      t.deepEqual([parsed.rejects, parsed.lines], [wanted.rejects, wanted.lines]);
    }),
    { numRuns: 3000 },
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

interface FixturePoint {
  readonly measurement: string;
  readonly tags: Record<string, string>;
  readonly fields: Record<string, { readonly type: string; readonly value: number | string | boolean }>;
  readonly timestamp: string | null;
}

const fixtureFolder = 'fixtures/lineproto';
const fixtureTypes: Record<string, TypeName> = {
  float: 'DOUBLE',
  int: 'BIGINT',
  uint: 'BIGINT UNSIGNED',
  bool: 'BOOL',
  string: 'VARCHAR',
};
const fixtureUnits = { u: 'us', us: 'us', n: 'ns', ns: 'ns', ms: 'ms', s: 's', m: 'm', h: 'h' } as const;
const nanosecondsPerUnit = {
  ns: 1n,
  us: 1000n,
  ms: 1_000_000n,
  s: 10n ** 9n,
  m: 60n * 10n ** 9n,
  h: 3600n * 10n ** 9n,
};

function expectedValue(type: TypeName, value: number | string | boolean): ReadValue['value'] {
  return type.startsWith('BIGINT') ? BigInt(value) : value;
}

for (const file of readdirSync(fixtureFolder).filter((name) => name.endsWith('.json'))) {
  test(`reads what ${file.replace('.json', '')} sent`, (t) => {
    const sample: { precision: keyof typeof fixtureUnits | null; gzip?: boolean; points: FixturePoint[] } = JSON.parse(
      readFileSync(`${fixtureFolder}/${file}`, 'utf8'),
    );
    const raw = readFileSync(`${fixtureFolder}/${file.replace('.json', '.bin')}`);
    const precision = fixtureUnits[sample.precision ?? 'ns'];
    const desk = new LineProtocolDesk();
    const parsed = desk.parse(sample.gzip === true ? gunzipSync(raw) : raw, { precision });
    const rows = desk.rows(parsed);
    // Clients that send two types for one field lose the later ones: a column has one type.
    const types = new Map<string, TypeName>();
    for (const point of sample.points) {
      const kinds = Object.entries(point.fields).map(
        ([name, f]) => [`${point.measurement} ${name}`, fixtureTypes[f.type]!] as const,
      );
      const conflict = kinds.some(([name, type]) => (types.get(name) ?? type) !== type);
      const time = point.timestamp === null ? nowTicks : BigInt(point.timestamp) * nanosecondsPerUnit[precision];
      const found = rows.filter((row) => {
        const tags = Object.entries(point.tags);
        const sameTags = tags.length === 0 || tags.every(([name, value]) => row.tags[name] === value);
        return row.table === point.measurement.replaceAll('.', '_') && row.time === time && sameTags;
      });
      const expected = Object.fromEntries(
        Object.entries(point.fields).map(([name, f]): [string, ReadValue] => {
          const type = fixtureTypes[f.type]!;
          return [name, { type, value: expectedValue(type, f.value) }];
        }),
      );
      if (conflict) continue;
      for (const [name, type] of kinds) types.set(name, type);
      const printed = (fields: unknown) => JSON.stringify(fields, (_, v) => (typeof v === 'bigint' ? `${v}n` : v));
      const ordered = (fields: Readonly<Record<string, ReadValue>>) =>
        printed(Object.entries(fields).sort(([a], [b]) => (a < b ? -1 : 1)));
      t.true(
        found.some((row) => ordered(row.fields) === ordered(expected)),
        `${printPoint({ ...point, fields: {}, time })} ${printed(expected)} among ${printed(found)}`,
      );
    }
    t.true(rows.length <= sample.points.length);
  });
}
