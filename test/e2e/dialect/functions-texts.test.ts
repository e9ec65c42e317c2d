import test from 'ava';
import { sharedService } from '../../support/service/shared-service.js';
import { base, tablesOfTypes } from '../../support/sql/function-tables.js';
import { statements } from '../../support/sql/statement-cases.js';

const { service, end } = await sharedService();
test.after.always(end);

tablesOfTypes(test, service);

statements('functions of texts count bytes and characters, and give NULL for NULL', service, 's', [
  {
    sql: 'SELECT length(v), char_length(v), length(n), char_length(n) FROM texts',
    rows: [
      [6, 6, 12, 3],
      [0, 0, 0, 0],
      [null, null, null, null],
    ],
  },
  { sql: 'SELECT length(v) FROM texts LIMIT 1', meta: [['length(v)', 'BIGINT', 8]] },
  {
    sql: "SELECT concat(v, '-', v) AS c, concat(n, n) AS m FROM texts",
    rows: [
      ['aBc de-aBc de', '日本x日本x'],
      ['-', ''],
      [null, null],
    ],
    meta: [
      ['c', 'VARCHAR', 33],
      ['m', 'NCHAR', 16],
    ],
  },
  { sql: "SELECT concat_ws('/', v, n, 'z') FROM texts", rows: [['aBc de/日本x/z'], ['//z'], ['z']] },
  { sql: "SELECT concat_ws(NULL, 'a', 'b')", rows: [[null]] },
  { sql: "SELECT concat_ws(n, 'x', NULL, 'z') FROM texts", rows: [['x日本xz'], ['xz'], [null]] },
  {
    sql: "SELECT lower(v), upper(v), upper('é') FROM texts LIMIT 1",
    rows: [['abc de', 'ABC DE', 'é']],
    meta: [
      ['lower(v)', 'VARCHAR', 16],
      ['upper(v)', 'VARCHAR', 16],
      ["upper('é')", 'VARCHAR', 2],
    ],
  },
  { sql: "SELECT ltrim('  a '), rtrim('  a '), trim('  a ')", rows: [['a ', '  a', 'a']] },
  {
    sql: "SELECT trim(LEADING 'x' FROM 'xxaxx'), trim(TRAILING 'x' FROM 'xxaxx'), trim('x' FROM 'xxaxx'), trim(BOTH 'ab' FROM 'abcab')",
    rows: [['axx', 'xxa', 'a', 'c']],
  },
  {
    sql: "SELECT substring('abcde', 2), substr('abcde', 2, 3), substring('abcde', -2), substring('abcde', 0), substring('abcde', 2, 0), substring('abcde' FROM 2 FOR 2)",
    rows: [['bcde', 'bcd', 'de', '', '', 'bc']],
  },
  { sql: "SELECT substring('日本語', 2, 1), substring(n, -1) FROM texts LIMIT 1", rows: [['本', 'x']] },
  {
    sql: "SELECT substring_index('aaaaaaaaa1', 'aa', -1), substring_index('aaaaaaaaa1', 'aa', -2), substring_index('aaaaaaaaa1', 'aa', 5)",
    rows: [['1', 'aa1', 'aaaaaaaaa1']],
  },
  {
    sql: "SELECT substring_index('日ab日ab本', 'ab', -1), substring_index('a.b', '.', -9223372036854775807), substring_index('日本', '本', -1)",
    rows: [['本', 'a.b', '']],
  },
  {
    sql: "SELECT substring_index('a.b.c', '.', 2), substring_index('a.b.c', '.', -1), substring_index('a.b.c', '.', 0), substring_index('abc', '.', 1)",
    rows: [['a.b', 'c', '', 'abc']],
  },
  {
    sql: "SELECT replace('aXbX', 'X', '--'), replace(v, 'a', '') FROM texts",
    rows: [
      ['a--b--', 'Bc de'],
      ['a--b--', ''],
      ['a--b--', null],
    ],
  },
  {
    sql: "SELECT repeat('ab', 3), repeat('ab', 0), repeat('ab', -1)",
    rows: [['ababab', '', '']],
    meta: [
      ["repeat('ab', 3)", 'VARCHAR', 6],
      ["repeat('ab', 0)", 'VARCHAR', 0],
      ["repeat('ab', -1)", 'VARCHAR', 0],
    ],
  },
  {
    sql: "SELECT position('c' IN v), position('' IN v), position('本' IN n), position('q' IN v) FROM texts",
    rows: [
      [3, 1, 2, 0],
      [0, 1, 0, 0],
      [null, null, null, null],
    ],
  },
  { sql: "SELECT position('b' IN '日é b'), position('é' IN '日é b')", rows: [[4, 2]] },
  {
    sql: "SELECT find_in_set('b', 'a,b,c'), find_in_set('b', 'a;b', ';'), find_in_set('x', 'a,b'), find_in_set(NULL, 'a')",
    rows: [[2, 2, 0, null]],
  },
  {
    sql: "SELECT like_in_set('b1', 'a%,b%,%'), like_in_set('b1', 'a%;b_', ';'), like_in_set('x', 'a%,b%'), like_in_set(NULL, 'a')",
    rows: [[2, 2, 0, null]],
  },
  { sql: "SELECT regexp_extract('abc', '(b)'), regexp_extract('abc', '(b)(c)', 2)", rows: [['b', 'c']] },
  { sql: "SELECT regexp_extract('abc', 'b'), regexp_extract('abc', '(b)c', 0)", rows: [[null, 'bc']] },
  { sql: "SELECT regexp_extract('abc', '(x+)'), regexp_extract('abc', '(b)(c)', 3)", rows: [[null, null]] },
  { sql: "SELECT regexp_extract(NULL, 'a+', 0), regexp_extract('abc', '(b)', NULL)", rows: [[null, null]] },
  { sql: "SELECT regexp_extract('b', '(a)|(b)'), regexp_extract('b', '(a)|(b)', 2)", rows: [[null, 'b']] },
  { sql: "SELECT regexp_extract('ac', '(b?)'), regexp_extract('a1b2', '([0-9])')", rows: [['', '1']] },
  { sql: "SELECT regexp_extract('abc', '(b)', -1)", error: 0x2803 },
  { sql: "SELECT regexp_extract('abc', '(b)', 513)", error: 0x2803 },
  { sql: "SELECT regexp_extract('abc')", error: 0x2801 },
  { sql: 'SELECT st_x(st_makepoint(1.5, -2)), st_y(st_makepoint(1.5, -2)), st_x(NULL)', rows: [[1.5, -2, null]] },
  { sql: "SELECT st_x(st_geomfromtext('LINESTRING(1 2, 3 4)'))", rows: [[null]] },
  ...(
    [
      ['POINT(1 2)', 0, false, null, null, null],
      ['LINESTRING(30 10, 10 30, 40 40)', 1, false, 3, null, null],
      ['POLYGON((0 0, 9 0, 9 9, 0 9, 0 0), (1 1, 2 1, 2 2, 1 2, 1 1))', 2, false, null, 1, null],
      ['MULTIPOINT((0 0), (1 1))', 0, false, null, null, 2],
      ['MULTILINESTRING((0 0, 1 1), (2 2, 3 3))', 1, false, null, null, 2],
      ['MULTIPOLYGON(((0 0, 1 0, 1 1, 0 0)))', 2, false, null, null, 1],
      ['LINESTRING EMPTY', 1, true, 0, null, null],
      ['POLYGON EMPTY', 2, true, null, 0, null],
      ['MULTIPOINT EMPTY', 0, true, null, null, 0],
    ] as const
  ).map(([shape, ...row]) => {
    const calls = ['dimension', 'isempty', 'numpoints', 'numinteriorrings', 'numgeometries'].map(
      (name) => `st_${name}(g)`,
    );
    return { sql: `SELECT ${calls.join(', ')} FROM (SELECT st_geomfromtext('${shape}') AS g)`, rows: [row] };
  }),
  { sql: 'SELECT st_dimension(NULL), st_isempty(NULL), st_numpoints(NULL)', rows: [[null, null, null]] },
  { sql: "SELECT st_numpoints('LINESTRING(1 2, 3 4)')", error: 0x2802 },
  { sql: `SELECT regexp_in_set('a', 'x;${'a{0,1000}'.repeat(200)}', ';')`, error: 0x0118, says: 'regular expression' },
  { sql: "SELECT regexp_in_set(v, concat('x', repeat('a{0.900}', 20))) FROM texts LIMIT 1", rows: [[0]] },
  { sql: "SELECT regexp_in_set(v, concat('x;', repeat('a{0,1000}', 20)), ';') FROM texts LIMIT 1", error: 0x0118 },
  {
    sql: "SELECT regexp_in_set('b1', '^a,^b,1'), regexp_in_set('x', 'a|b')",
    rows: [[2, 0]],
    meta: [
      ["regexp_in_set('b1', '^a,^b,1')", 'BIGINT', 8],
      ["regexp_in_set('x', 'a|b')", 'BIGINT', 8],
    ],
  },
  { sql: "SELECT ascii('abc'), ascii(''), ascii(NULL)", rows: [[97, 0, null]] },
  { sql: "SELECT char(77, 121), char('77'), char(77.9)", rows: [['My', 'M', 'M']] },
  { sql: 'SELECT char(77 * 256 + 77), char(77, NULL, 77), char(NULL)', rows: [['MM', 'MM', '']] },
  {
    sql: "SELECT crc32(123), crc32(123.456), crc32(NULL), crc32(1234) = crc32('1234'), crc32('这是一个字符串')",
    rows: [[2_286_445_522, 844_093_190, null, true, 1_902_862_441]],
  },
  { sql: "SELECT crc32(CAST('2000-01-01' AS TIMESTAMP)), crc32(true) = crc32('1')", rows: [[2_274_736_693, true]] },
  {
    sql: "SELECT to_base64(14324), to_base64('你好 世界'), to_base64(true), from_base64(to_base64(CAST(1 AS TIMESTAMP)))",
    rows: [['MTQzMjQ=', '5L2g5aW9IOS4lueVjA==', 'MQ==', '1970-01-01 00:00:00.001+00']],
  },
  {
    sql: "SELECT md5('a'), sha1('a'), sha('a')",
    rows: [
      [
        '0cc175b9c0f1b6a831c399e269772661',
        '86f7e437faa5a7fce15d1ddcb9eaeaea377667b8',
        '86f7e437faa5a7fce15d1ddcb9eaeaea377667b8',
      ],
    ],
  },
  {
    sql: "SELECT sha2('a', 224), length(sha2('a', 512))",
    rows: [['abd37534c7d9a2efb9465de931cd7055ffdb8879563ae98078d6d6d5', 128]],
  },
  {
    sql: "SELECT to_base64('abc'), from_base64('YWJj'), from_base64('?!'), to_base64(NULL), from_base64('')",
    rows: [['YWJj', 'abc', null, null, '']],
  },
  {
    sql: "SELECT v LIKE 'a%', v MATCH 'B.', v NMATCH '^a', n LIKE '日__' FROM texts LIMIT 1",
    rows: [[true, true, false, true]],
  },
  { sql: 'SELECT lower(1)', error: 0x2802 },
  { sql: "SELECT concat('a')", error: 0x2801 },
  { sql: "SELECT sha2('a', 1)", error: 0x2803 },
  { sql: 'SELECT length(i) FROM kinds', error: 0x2802 },
]);

statements('conversions read the number that a text begins with, and wrap around beyond a type', service, 's', [
  {
    sql: "SELECT cast('12abc' AS INT), cast('x' AS INT), cast('-7.9' AS BIGINT), cast(300 AS TINYINT), cast(-1 AS INT UNSIGNED)",
    rows: [[12, 0, -7, 44, 4294967295]],
  },
  {
    sql: "SELECT cast(2.9 AS INT), cast(-2.9 AS INT), cast(true AS INT), cast('3.5x' AS DOUBLE), cast(ts AS BIGINT) FROM kinds LIMIT 1",
    rows: [[2, -2, 1, 3.5, base]],
  },
  {
    sql: "SELECT cast(123456 AS VARCHAR(3)), cast('日本語' AS NCHAR(2)), cast(true AS VARCHAR(5)), cast(1 AS BOOL), cast('true' AS BOOL)",
    rows: [['123', '日本', 'true', true, true]],
    meta: [
      ['cast(123456 as varchar(3))', 'VARCHAR', 3],
      ["cast('日本語' as nchar(2))", 'NCHAR', 2],
      ['cast(true as varchar(5))', 'VARCHAR', 5],
      ['cast(1 as bool)', 'BOOL', 1],
      ["cast('true' as bool)", 'BOOL', 1],
    ],
  },
  {
    sql: "SELECT cast('2024-01-01T00:00:00Z' AS TIMESTAMP), cast(0 AS TIMESTAMP), cast(NULL AS INT)",
    rows: [['2024-01-01T00:00:00.000Z', '1970-01-01T00:00:00.000Z', null]],
  },
  {
    sql: "SELECT cast('12.345' AS DECIMAL(6,2)), cast('-0.125x' AS DECIMAL(6,2)), cast('1.5e2' AS DECIMAL(6,1)), cast('x' AS DECIMAL(4,2)), cast('12345678901234567890.125' AS DECIMAL(30,3))",
    rows: [['12.35', '-0.13', '150.0', '0.00', '12345678901234567890.125']],
  },
  {
    sql: "SELECT cast(0.125 AS DECIMAL(6,2)), cast(2.5 AS DECIMAL(3,0)), cast(-2.5 AS DECIMAL(3,0)), cast('1e60' AS DECIMAL(38,0)), cast(v AS DECIMAL(4,1)) FROM texts LIMIT 1",
    rows: [['0.13', '3', '-3', null, '0.0']],
  },
  {
    sql: 'SELECT cast(1.235 AS DECIMAL(5,2)), cast(i AS DOUBLE), cast(ul AS BIGINT) FROM kinds LIMIT 1',
    rows: [['1.24', -70000, -1]],
  },
  {
    sql: "SELECT to_iso8601(ts), to_iso8601(ts, 'z'), to_iso8601(0), to_iso8601(ts, '+08:00') FROM kinds LIMIT 1",
    rows: [
      [
        '2023-11-14T22:13:20.000+0000',
        '2023-11-14T22:13:20.000z',
        '1970-01-01T00:00:00.000+0000',
        '2023-11-15T06:13:20.000+08:00',
      ],
    ],
  },
  {
    sql: "SELECT to_unixtimestamp('2024-01-01T00:00:00.000Z'), to_unixtimestamp('nope'), to_unixtimestamp('1970-01-01T00:00:01Z', 1)",
    rows: [[1704067200000, null, '1970-01-01T00:00:01.000Z']],
  },
  {
    sql: 'SELECT cast(ul AS DECIMAL(10,2)), cast(1e30 AS DECIMAL(10,2)), cast(ul AS DECIMAL(20,0)) FROM kinds LIMIT 1',
    rows: [[null, null, '18446744073709551615']],
  },
  {
    sql: `SELECT to_char(ts, 'YYYY-MM-DD HH24:MI:SS.MS') AS c FROM kinds LIMIT 1`,
    rows: [['2023-11-14 22:13:20.000']],
    meta: [['c', 'VARCHAR', 192]],
  },
  {
    sql: `SELECT to_char(x, 'yyyy yyy yy y mm ddd dd d hh24 hh12 hh mi ss ms us ns am PM') FROM kinds`,
    rows: [['2023 023 23 3 11 318 14 3 22 10 10 13 20 123 123000 123000000 pm PM'], [null]],
  },
  {
    sql: `SELECT to_char(ts, 'MONTH|Month|month|MON|Mon|mon|DAY|Day|day|DY|Dy|dy') FROM kinds LIMIT 1`,
    rows: [['NOVEMBER |November |november |NOV|Nov|nov|TUESDAY  |Tuesday  |tuesday  |TUE|Tue|tue']],
  },
  { sql: `SELECT to_char(ts, '"Year:" YYYY"!"') FROM kinds LIMIT 1`, rows: [['Year: 2023!']] },
  {
    sql: "SELECT to_timestamp('2023-10-10 10:11:12.123', 'yyyy-mm-dd hh24:mi:ss.ms')",
    rows: [['2023-10-10T10:11:12.123Z']],
    meta: [["to_timestamp('2023-10-10 10:11:12.123', 'yyyy-mm-dd hh24:mi:ss.m", 'TIMESTAMP', 8]],
  },
  {
    sql: "SELECT to_timestamp('05 Mar 2024 03:04 PM', 'DD Mon YYYY HH12:MI PM'), to_timestamp('2024-01-02', 'YYYY-MM-DD')",
    rows: [['2024-03-05T15:04:00.000Z', '2024-01-02T00:00:00.000Z']],
  },
  ...(
    [
      ['2023-10-10 10:10:10.123.000456.000000789', 'yyyy-mm-dd hh:mi:ss.ms.us.ns', '2023-10-10T10:10:10.123Z'],
      ['10:10:10.1.999999', 'hh24:mi:ss.ms.us', '1970-01-01T10:10:11.099Z'],
      ['2000-01-02', 'yyyy-mm-dd hh24:mi:ss', '2000-01-02T00:00:00.000Z'],
      ['2023-123-23-9', 'YYYY-YYY-YY-Y', '2009-01-01T00:00:00.000Z'],
      ['2023-123', 'YYYY-YYY', '2123-01-01T00:00:00.000Z'],
      ['210012', 'yyyyMMdd', '2100-12-01T00:00:00.000Z'],
      ['21001/2', 'yyyyMM/dd', '2100-01-02T00:00:00.000Z'],
      ['200101/2', 'yyyyMM1/dd', '2001-01-02T00:00:00.000Z'],
      ['  23 年 - 1 月 - 01 日  ', 'yy 年-MM月-dd日', '2023-01-01T00:00:00.000Z'],
      ['2100/Feb/01 Mon 100-1-01 11:10+08', 'yyyy/mon/dd DY DDD-DD-D HH24:MITZH', '2100-02-01T03:10:00.000Z'],
      ['23-1-01 7:10p.m.6', 'yy-MM-dd HH:MIa.m.TZH', '2023-01-01T13:10:00.000Z'],
      ['12:10-1', 'HH24:MITZH', '1970-01-01T13:10:00.000Z'],
      ['12:10am', 'HH12:MIAM', '1970-01-01T00:10:00.000Z'],
      ['21001', 'yyyyMMdd', 0x2806],
      ['2100/2/1', 'yyyyMMdd', 0x2806],
      ['2023年1/2', 'yyyy年a MM/dd', 0x2806],
      ['21:12', 'HH12:MI', 0x2807],
      ['13:10 am', 'hh24:mi am', 0x2807],
      ['1970-01-001', 'yyyy-mm-DDD', 0x2808],
    ] as const
  ).map(([text, format, expected]) => {
    const sql = `SELECT to_timestamp('${text}', '${format}')`;
    return typeof expected === 'number' ? { sql, error: expected } : { sql, rows: [[expected]] };
  }),
  { sql: "SELECT to_timestamp('nope', 'YYYY')", error: 0x2806 },
  { sql: "SELECT to_timestamp('2024-13-01', 'YYYY-MM-DD')", error: 0x2807 },
  { sql: "SELECT to_timestamp('2023-02-29', 'YYYY-MM-DD')", error: 0x2807 },
  { sql: "SELECT to_timestamp(v, 'YYYY') FROM texts WHERE v IS NULL", rows: [[null]] },
  { sql: 'SELECT to_json(\'{"a":1}\') AS j', rows: [[{ a: 1 }]], meta: [['j', 'JSON', 4095]] },
  { sql: 'SELECT to_char(ts, v) FROM texts', error: 0x2802 },
  { sql: "SELECT to_char('x', 'YYYY')", rows: [[null]] },
]);

statements('arguments may be columns, and odd values have a result', service, 's', [
  { sql: 'SELECT log(8, 0), log(8, -1), log(8, 1), log(8, 2), rand(NULL) < 1', rows: [[null, null, null, 3, true]] },
  { sql: "SELECT greatest(false, 5, 'A'), least(true, 'a')", rows: [['A', '1']] },
  {
    sql: "SELECT substring_index('a.b.c', '.', v), substring_index('a.b', '', 1) FROM js ORDER BY v",
    rows: [
      ['a', ''],
      ['a.b', ''],
      ['a.b.c', ''],
    ],
  },
  {
    sql: "SELECT trim(v FROM concat(v, '-', v)), trim(LEADING v FROM concat(v, v, '+')) FROM texts",
    rows: [
      ['-', '+'],
      ['-', '+'],
      [null, null],
    ],
  },
]);

statements('functions of times know zones, units and the current time', service, 's', [
  {
    sql: 'SELECT now() > today(), now - 1d < now(), timezone()',
    rows: [[true, true, 'UTC (UTC, +0000)']],
    meta: [
      ['now() > today()', 'BOOL', 1],
      ['now - 1d < now()', 'BOOL', 1],
      ['timezone()', 'VARCHAR', 64],
    ],
  },
  {
    sql: "SELECT timediff('2024-01-02', '2024-01-01', 1h), timediff('2024-01-01', '2024-01-01 00:00:01.500', 1s), timediff('x', '2024-01-01'), timediff(10, 3)",
    rows: [[24, -1, null, 7]],
  },
  {
    sql: 'SELECT timediff(x, ts), timediff(ts, x, 1s) FROM kinds',
    rows: [
      [123, 0],
      [null, null],
    ],
    meta: [
      ['timediff(x, ts)', 'BIGINT', 8],
      ['timediff(ts, x, 1s)', 'BIGINT', 8],
    ],
  },
  {
    sql: 'SELECT timetruncate(ts, 1s), timetruncate(ts, 1m), timetruncate(ts, 1h), timetruncate(ts, 1d), timetruncate(ts, 1w) FROM kinds LIMIT 1',
    rows: [
      [
        '2023-11-14T22:13:20.000Z',
        '2023-11-14T22:13:00.000Z',
        '2023-11-14T22:00:00.000Z',
        '2023-11-14T00:00:00.000Z',
        '2023-11-09T00:00:00.000Z',
      ],
    ],
  },
  {
    sql: "SELECT timetruncate('2024-01-02 03:04:05', 1d, 0), timetruncate(NULL, 1d)",
    rows: [['2024-01-02T00:00:00.000Z', null]],
  },
  {
    sql: 'SELECT week(ts), week(ts, 3), weekofyear(ts), weekday(ts), dayofweek(ts), date(ts) FROM kinds',
    rows: [
      [46, 46, 46, 1, 3, '2023-11-14'],
      [46, 46, 46, 1, 3, '2023-11-14'],
    ],
    meta: [
      ['week(ts)', 'BIGINT', 8],
      ['week(ts, 3)', 'BIGINT', 8],
      ['weekofyear(ts)', 'BIGINT', 8],
      ['weekday(ts)', 'BIGINT', 8],
      ['dayofweek(ts)', 'BIGINT', 8],
      ['date(ts)', 'VARCHAR', 10],
    ],
  },
  {
    sql: "SELECT week('2024-01-01', 0), week('2024-01-01', 1), weekday('2024-01-07'), dayofweek('2024-01-07')",
    rows: [[0, 1, 6, 1]],
  },
  {
    sql: 'SELECT ts + 1h, ts - 1s, x - ts, 1h / 1s FROM kinds LIMIT 1',
    rows: [['2023-11-14T23:13:20.000Z', '2023-11-14T22:13:19.000Z', 123, 3600]],
  },
  {
    sql: 'SELECT ts + true, ts - 1.5, ts + CAST(2 AS FLOAT), CAST(3 AS DECIMAL(4, 1)) + ts FROM kinds LIMIT 1',
    rows: [
      ['2023-11-14T22:13:20.001Z', '2023-11-14T22:13:19.999Z', '2023-11-14T22:13:20.002Z', '2023-11-14T22:13:20.003Z'],
    ],
  },
  { sql: "SELECT ts + st_geomfromtext('POINT(1 1)') FROM kinds LIMIT 1", error: 0x2605 },
  { sql: "SELECT timetruncate('2024-01-01', 5)", error: 0x2802 },
  { sql: "SELECT timetruncate('2024-01-01', 2n)", error: 0x2803 },
  { sql: "SELECT timediff('2024-01-01', '2024-01-01', 2s)", error: 0x2803 },
  { sql: "SELECT week('2024-01-01', 8)", error: 0x2803 },
]);
