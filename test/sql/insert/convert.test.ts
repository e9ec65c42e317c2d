import test from 'ava';
import { Codes } from '../../../src/model/fault.js';
import { type DataType, dataType } from '../../../src/model/schema.js';
import { scanInsert } from '../../../src/sql/insert/scanner.js';
import { type Cell, cellOf, InsertWorld, nowMs, worldOf } from '../../support/load/insert-world.js';

const now = BigInt(nowMs);

function reasonOf(type: DataType, literal: string): string {
  const { code, message } = worldOf(type).faultOf(`INSERT INTO t VALUES (1000, ${literal})`);
  if (code !== Codes.insertSyntax) return `${code}`;
  return message.replace(`syntax error near '${literal})' `, '');
}

test('integers of every width keep their range and refuse what lies outside', (t) => {
  const types = [
    ['TINYINT', 'tinyint', -128n, 127n],
    ['SMALLINT', 'smallint', -32768n, 32767n],
    ['INT', 'int', -2147483648n, 2147483647n],
    ['BIGINT', 'bigint', -9223372036854775808n, 9223372036854775807n],
    ['TINYINT UNSIGNED', 'unsigned tinyint', 0n, 255n],
    ['SMALLINT UNSIGNED', 'unsigned smallint', 0n, 65535n],
    ['INT UNSIGNED', 'unsigned int', 0n, 4294967295n],
    ['BIGINT UNSIGNED', 'unsigned bigint', 0n, 18446744073709551615n],
  ] as const;
  for (const [name, noun, min, max] of types) {
    const type = dataType(name);
    for (const value of [min, max, 0n, 1n]) {
      t.is(BigInt(cellOf(type, `${value}`) ?? -7), value);
      t.is(BigInt(cellOf(type, `'${value}'`) ?? -7), value);
    }
    for (const value of [min - 1n, max + 1n, max * 1000n, -(10n ** 50n)]) {
      t.is(reasonOf(type, `${value}`), `(${noun} data overflow)`);
      t.is(reasonOf(type, `'${value}'`), `(${noun} data overflow)`);
    }
    t.is(reasonOf(type, "'abc'"), `(invalid ${noun} data)`);
    t.is(reasonOf(type, "''"), `(invalid ${noun} data)`);
    t.is(reasonOf(type, "' 1'"), `(invalid ${noun} data)`);
    t.is(reasonOf(type, '1a'), '(invalid numeric data)');
    t.is(reasonOf(type, '0x'), '(invalid numeric data)');
    t.is(reasonOf(type, 'now'), '(invalid data or symbol)');
    t.is(reasonOf(type, `1e${'9'.repeat(30)}`), `(${noun} data overflow)`);
  }
});

test('integers are taken from other spellings of numbers', (t) => {
  const type = dataType('BIGINT');
  const cases: [literal: string, value: bigint][] = [
    ['0x1F', 31n],
    ["'0x1F'", 31n],
    ['-0x1f', -31n],
    ['0b101', 5n],
    ['+007', 7n],
    ['1.5', 2n],
    ['-1.5', -2n],
    ['1.4999999999999999999999', 1n],
    ["'2.5'", 3n],
    ['.5', 1n],
    ['0.05', 0n],
    ['5.', 5n],
    ['1e3', 1000n],
    ['12345e-2', 123n],
    ['9223372036854775807.4', 9223372036854775807n],
    ['9.223372036854775807e18', 9223372036854775807n],
    ['1e-400', 0n],
    ['true', 1n],
    ['FALSE', 0n],
    [`${'0'.repeat(300)}9`, 9n],
    ['-0', 0n],
  ];
  for (const [literal, value] of cases) t.is(cellOf(type, literal), value, literal);
  t.is(cellOf(dataType('TINYINT'), '127.4'), 127);
  t.is(reasonOf(dataType('TINYINT'), '127.5'), '(tinyint data overflow)');
  t.is(cellOf(dataType('BIGINT UNSIGNED'), '-0'), 0n);
});

test('FLOAT and DOUBLE take any finite number', (t) => {
  for (const name of ['FLOAT', 'DOUBLE'] as const) {
    const type = dataType(name);
    const stored = (value: number) => (name === 'FLOAT' ? Math.fround(value) : value);
    for (const text of [
      '1.5',
      '-2.25',
      '.5',
      '1.',
      '+3',
      '1e3',
      '1.2E-3',
      '1e+2',
      '123456789012345678',
      '0.1',
      '1e-7',
    ]) {
      t.is(cellOf(type, text), stored(Number(text)), text);
      t.is(cellOf(type, `'${text}'`), stored(Number(text)), text);
    }
    t.is(cellOf(type, "'0x1F'"), 31);
    t.is(cellOf(type, '0b11'), 3);
    t.is(cellOf(type, 'true'), 1);
    t.is(cellOf(type, 'False'), 0);
    for (const text of ['nan', 'NaN', 'inf', '-inf', 'Infinity', '', ' 1', '1 ', '1_0', 'abc', '1e']) {
      t.is(reasonOf(type, `'${text}'`), `(illegal ${name.toLowerCase()} data)`, text);
    }
    t.is(reasonOf(type, '1e400'), `(illegal ${name.toLowerCase()} data)`);
    t.is(reasonOf(type, '1.2.3'), '(invalid numeric data)');
    t.is(reasonOf(type, '1e'), '(invalid numeric data)');
    t.is(reasonOf(type, '-'), '(invalid numeric data)');
  }
  t.is(reasonOf(dataType('FLOAT'), '3.5e38'), '(illegal float data)');
  t.is(cellOf(dataType('DOUBLE'), '1.7976931348623157e308'), Number.MAX_VALUE);
  t.is(cellOf(dataType('DOUBLE'), '9007199254740993'), 9007199254740992);
});

test('BOOL takes words and numbers, quoted or not', (t) => {
  const type = dataType('BOOL');
  const cases: [literal: string, value: Cell][] = [
    ['true', 1],
    ['FALSE', 0],
    ["'True'", 1],
    ["'fAlse'", 0],
    ['0', 0],
    ['0.0', 0],
    ['-3', 1],
    ['0.5', 1],
    ['0x0', 0],
    ["'12'", 1],
    ["'-0x0'", 0],
    ["'0.0'", 0],
    ["'-3e-5'", 1],
    ["'NULL'", null],
  ];
  for (const [literal, value] of cases) t.is(cellOf(type, literal), value, literal);
  for (const literal of ["'abc'", "'12 '", "''"]) t.is(reasonOf(type, literal), '(invalid bool data)');
  t.is(reasonOf(type, 'yes'), '(invalid data or symbol)');
  t.is(reasonOf(type, '1x'), '(invalid numeric data)');
});

test('NULL is NULL for every type, quoted NULL only where it cannot be text', (t) => {
  const names = ['BOOL', 'INT', 'BIGINT UNSIGNED', 'FLOAT', 'DOUBLE', 'TIMESTAMP', 'BLOB'] as const;
  const sized = [dataType('VARCHAR', 10), dataType('NCHAR', 10), dataType('VARBINARY', 10), dataType('GEOMETRY', 100)];
  const decimals = [dataType('DECIMAL', 10, 2), dataType('DECIMAL', 30, 2)];
  for (const type of [...names.map((name) => dataType(name)), ...sized, ...decimals]) {
    t.is(cellOf(type, 'NULL'), null, type.name);
    t.is(cellOf(type, 'null'), null, type.name);
  }
  const others = [dataType('INT'), dataType('DOUBLE'), dataType('TIMESTAMP'), dataType('GEOMETRY', 100)];
  for (const type of [...others, ...decimals]) {
    t.is(cellOf(type, "'NULL'"), null);
    t.is(cellOf(type, '"null"'), null);
  }
  t.is(cellOf(dataType('VARCHAR', 10), "'NULL'"), 'NULL');
  t.is(cellOf(dataType('NCHAR', 10), "'null'"), 'null');
});

test('strings are unescaped', (t) => {
  const type = dataType('VARCHAR', 40);
  const cases: [literal: string, value: string][] = [
    ["''", ''],
    ["'it''s'", "it's"],
    ["'it\\'s'", "it's"],
    ['"a""b"', 'a"b'],
    [`"it's"`, "it's"],
    [`'say "x"'`, 'say "x"'],
    ["'a\\n\\r\\t\\\\b'", 'a\n\r\t\\b'],
    ["'50\\% \\_ \\x41 \\q'", '50\\% \\_ \\x41 q'],
    ["'a -- b /* c */ (1,2)'", 'a -- b /* c */ (1,2)'],
    ["'\u0001'", '\u0001'],
  ];
  for (const [literal, value] of cases) t.is(cellOf(type, literal), value, literal);
});

test('numbers and truth values keep their spelling in string columns', (t) => {
  for (const type of [dataType('VARCHAR', 10), dataType('NCHAR', 10)]) {
    t.is(cellOf(type, '-01.50'), '-01.50');
    t.is(cellOf(type, 'true'), 'true');
    t.is(cellOf(type, '0x1F'), '0x1F');
    t.is(cellOf(type, 'Now'), 'Now');
    t.is(cellOf(type, 'today '), 'today');
    for (const bad of ['word', '123abc', '-1d', '+', '-']) t.is(reasonOf(type, bad), '(invalid data or symbol)', bad);
  }
});

test('VARCHAR counts bytes, NCHAR characters, and nothing is cut', (t) => {
  const message = 'Value too long for column/tag: c';
  const tooLong = (type: DataType, text: string) => worldOf(type).faultOf(`INSERT INTO t VALUES (1, '${text}')`);
  t.is(cellOf(dataType('VARCHAR', 4), "'é😀'".replace('😀', 'é')), Buffer.from('éé').toString('latin1'));
  t.deepEqual(tooLong(dataType('VARCHAR', 4), 'é😀'), { code: Codes.valueTooLong, message });
  t.is(cellOf(dataType('NCHAR', 2), "'é😀'"), Buffer.from('é😀').toString('latin1'));
  t.deepEqual(tooLong(dataType('NCHAR', 2), 'é😀x'), { code: Codes.valueTooLong, message });
  t.deepEqual(tooLong(dataType('VARBINARY', 2), '\\x010203'), { code: Codes.valueTooLong, message });
  t.deepEqual(tooLong(dataType('GEOMETRY', 20), 'POINT(1 2)'), { code: Codes.valueTooLong, message });
  t.is(worldOf(dataType('VARCHAR', 3)).faultOf('INSERT INTO t VALUES (1, 12345)').code, Codes.valueTooLong);
});

test('VARBINARY takes text and hexadecimal digits', (t) => {
  const type = dataType('VARBINARY', 20);
  t.is(cellOf(type, "'\\x98F46e'"), '\x98\xf4\x6e');
  t.is(cellOf(type, "'\\x'"), '');
  t.is(cellOf(type, "'plain'"), 'plain');
  t.is(cellOf(dataType('BLOB'), "'\\x00ff'"), '\x00\xff');
  for (const text of ["'\\x9'", "'\\x9g'", '12', 'true']) {
    t.is(worldOf(type).faultOf(`INSERT INTO t VALUES (1, ${text})`).code, Codes.insertSyntax, text);
  }
});

test('GEOMETRY takes well-known text', (t) => {
  const type = dataType('GEOMETRY', 100);
  const hex = Buffer.from(String(cellOf(type, "'POINT(100 100)'")), 'latin1').toString('hex');
  t.is(hex, '010100000000000000000059400000000000005940');
  t.is(reasonOf(type, "'POINT(100)'"), '(invalid geometry data)');
  t.is(reasonOf(type, '5'), '(invalid geometry data)');
});

test('DECIMAL is rounded half up to its scale and never overflows silently', (t) => {
  const narrow = dataType('DECIMAL', 10, 2);
  const cases: [literal: string, value: bigint][] = [
    ['12.345', 1235n],
    ['-12.345', -1235n],
    ['12.344', 1234n],
    ["'0.005'", 1n],
    ['7', 700n],
    ['1e2', 10000n],
    ['0.5', 50n],
    ['99999999.99', 9999999999n],
    ['true', 100n],
    ['0x10', 1600n],
  ];
  for (const [literal, value] of cases) t.is(cellOf(narrow, literal), value, literal);
  const overflow = { code: Codes.decimalOverflow, message: 'Decimal value overflow' };
  for (const literal of ['99999999.995', '100000000', '-1e300', "'123456789012'"]) {
    t.deepEqual(worldOf(narrow).faultOf(`INSERT INTO t VALUES (1, ${literal})`), overflow, literal);
  }
  t.is(cellOf(dataType('DECIMAL', 18, 0), '999999999999999999'), 999999999999999999n);
  const wide = dataType('DECIMAL', 38, 10);
  t.is(cellOf(wide, '-1234567890123456789012345678.0123456789'), -12345678901234567890123456780123456789n);
  t.is(cellOf(wide, '0.00000000005'), 1n);
  t.deepEqual(worldOf(wide).faultOf('INSERT INTO t VALUES (1, 1e28)'), overflow);
  t.is(reasonOf(narrow, "'abc'"), '(invalid decimal data)');
  t.is(reasonOf(narrow, "''"), '(invalid decimal data)');
});

test('times are taken in every form, with a duration added or taken off', (t) => {
  const type = dataType('TIMESTAMP');
  const cases: [literal: string, value: bigint][] = [
    ['1000', 1000n],
    ['-5', -5n],
    ['+5', 5n],
    ['1709251200000123456', 1709251200000123456n],
    ['0x10', 16n],
    ["'1709251200000'", now],
    ["'2024-03-01'", now],
    ["'2024-03-01 00:00:00.5'", now + 500n],
    ["'2024-03-01T08:00:00+08:00'", now],
    ['NOW', now],
    ['now()', now],
    ['NOW ( ) - 1h', now - 3600000n],
    ['now + 1d', now + 86400000n],
    ['NOW+10a', now + 10n],
    ['NOW+999u', now],
    ['TODAY', now],
    ['today()+1s', now + 1000n],
    ['NOW - 1n', BigInt(Date.parse('2024-02-01T00:00:00Z'))],
    ['NOW+1Y', BigInt(Date.parse('2025-03-01T00:00:00Z'))],
    ["'2024-03-01' + 1w", now + 604800000n],
    ["'2024-03-01'-1m", now - 60000n],
    ['1000+1s', 2000n],
    ['-0 + 1d', 86400000n],
    ['1709251200000 - 1s', now - 1000n],
    ['1709251200000123456 +1a', 1709251200000123457n],
    ["'now'", now],
    ["'Today()'", now],
    ["'0x1E'", 30n],
  ];
  for (const [literal, value] of cases) t.is(cellOf(type, literal), value, literal);
});

test('what is no time is refused', (t) => {
  const type = dataType('TIMESTAMP');
  for (const literal of ['1.5', '1e3', 'true', "''", '12ab', '1s'])
    t.is(reasonOf(type, literal), '(invalid timestamp)', literal);
  for (const literal of ["'abc'", "'2024-13-01'", "'1.5'", "'now+1s'", "'1e3'"]) {
    t.is(reasonOf(type, literal), '(invalid timestamp format)', literal);
  }
  t.is(reasonOf(type, 'yesterday'), '(invalid data or symbol)');
  for (const literal of ['NOW+', 'NOW+1', 'NOW+s', 'NOW+1x', 'NOW+1sec', 'NOW-1.5s', 'NOW+1s+1s']) {
    t.is(worldOf(type).faultOf(`INSERT INTO t VALUES (1, ${literal})`).code, Codes.insertSyntax, literal);
  }
  t.is(reasonOf(type, 'NOW+999999999999999w'), `${Codes.timestampOutOfRange}`);
  t.is(reasonOf(type, 'NOW+999999999999999y'), `${Codes.timestampOutOfRange}`);
});

test('text without a zone and TODAY follow the zone of the session', (t) => {
  const world = worldOf(dataType('TIMESTAMP'));
  world.zone = 'America/New_York';
  const [block] = world.blocks(
    "INSERT INTO t VALUES ('2024-03-10 01:59:59', TODAY())('2024-03-10 03:00:00', '2024-07-01')",
  );
  const first = BigInt(Date.parse('2024-03-10T06:59:59Z'));
  t.deepEqual([...(block?.times ?? [])], [first, first + 1000n]);
  t.is(block?.columns[0]?.values?.[0], BigInt(Date.parse('2024-02-29T05:00:00Z')));
  t.is(block?.columns[0]?.values?.[1], BigInt(Date.parse('2024-07-01T04:00:00Z')));
});

test('times count ticks of the database', (t) => {
  const world = new InsertWorld()
    .addDatabase('plant', 'ns')
    .addNormal('t', { c: dataType('TIMESTAMP') })
    .addDatabase('micro', 'us')
    .addNormal('t', { c: dataType('TIMESTAMP') }, 'micro');
  world.nowNs = 1709251200123456789n;
  const [nanos, micros] = world.blocks(
    "INSERT INTO t VALUES (1709251200123456789, NOW+1b) micro.t VALUES (1709251200123, NOW) ('2024-03-01T00:00:00.1234567Z', '2200-01-01')",
  );
  t.is(nanos?.times[0], 1709251200123456789n);
  t.is(nanos?.columns[0]?.values?.[0], 1709251200123456790n);
  t.deepEqual([...(micros?.times ?? [])], [1709251200123n, 1709251200123456n]);
  t.is(micros?.columns[0]?.values?.[0], 1709251200123456n);
  t.is(micros?.columns[0]?.values?.[1], BigInt(Date.parse('2200-01-01')) * 1000n);
});

test('texts may be any bytes, as functions give them and logs hold them, unless they are to be checked', (t) => {
  const world = worldOf(dataType('VARCHAR', 8));
  const statement = Buffer.from("INSERT INTO t VALUES (1000, 'stra\xdfe')", 'latin1');
  t.is(scanInsert(statement, world).kind, 'blocks');
  world.checksTexts = 'all';
  t.throws(() => scanInsert(statement, world), { message: /the text of \w+ is not UTF-8/ });
});
