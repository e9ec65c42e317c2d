import test from 'ava';
import fc from 'fast-check';
import { Codes } from '../../../src/model/fault.js';
import type { TypeName } from '../../../src/model/schema.js';
import {
  LineProtocolDesk,
  nowTicks,
  onlyValue,
  type ReadValue,
  rejection,
} from '../../support/messages/line-protocol.js';

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
      { numRuns: 700 },
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
  t.notThrows(() => fc.assert(fc.property(finite, read), { numRuns: 1000 }));
  t.notThrows(() =>
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (d) => read(`${d}`)),
      { numRuns: 1000 },
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
      { numRuns: 1000 },
    ),
  );
});
