import test from 'ava';
import { sharedService } from '../../support/service/shared-service.js';
import { base, tablesOfTypes } from '../../support/sql/function-tables.js';
import { statements } from '../../support/sql/statement-cases.js';

const { service, end } = await sharedService();
test.after.always(end);

tablesOfTypes(test, service);

statements('numbers keep their type or become DOUBLE', service, 's', [
  {
    sql: 'SELECT abs(t), abs(s), abs(i), abs(l), abs(ut), abs(f), abs(d), abs(c) FROM kinds LIMIT 1',
    rows: [[5, 300, 70000, 5000000000, 200, 2.5, 2.5, '12.25']],
    meta: [
      ['abs(t)', 'TINYINT', 1],
      ['abs(s)', 'SMALLINT', 2],
      ['abs(i)', 'INT', 4],
      ['abs(l)', 'BIGINT', 8],
      ['abs(ut)', 'TINYINT UNSIGNED', 1],
      ['abs(f)', 'FLOAT', 4],
      ['abs(d)', 'DOUBLE', 8],
      ['abs(c)', 'DECIMAL(10,2)', 8],
    ],
  },
  {
    sql: 'SELECT ceil(f), floor(f), ceil(d), floor(d), ceil(i), floor(c) FROM kinds LIMIT 1',
    rows: [[-2, -3, 3, 2, -70000, '-13.00']],
  },
  {
    sql: 'SELECT round(f), round(d), round(-0.5), round(0.4), round(i) FROM kinds LIMIT 1',
    rows: [[-3, 3, -1, 0, -70000]],
  },
  {
    sql: 'SELECT round(9223372036854775807, 1), round(-25, -1), round(ul, 0), round(c, 1), round(c, -1), round(l, -9) FROM kinds LIMIT 1',
    rows: [['9223372036854775807', -30, '18446744073709551615', '-12.30', '-10.00', -5000000000]],
  },
  {
    sql: 'SELECT c % 5, c % 2.5, 7 % c, -c % 12, c % 0 FROM kinds LIMIT 1',
    rows: [['-2.25', -2.25, '7.00', '0.25', null]],
  },
  {
    sql: 'SELECT cast(12.34 AS DECIMAL(10,2)) % cast(0.5 AS DECIMAL(10,4)) AS x',
    rows: [['0.3400']],
    meta: [['x', 'DECIMAL(10,4)', 8]],
  },
  { sql: 'SELECT round(10.55, 1), round(10.55, -1), round(99, 1), round(123, -1)', rows: [[10.6, 10, 99, 120]] },
  {
    sql: 'SELECT truncate(1.29, 1), truncate(-1.29, 1), truncate(129, -1), trunc(1.5, 0)',
    rows: [[1.2, -1.2, 120, 1]],
  },
  { sql: 'SELECT sign(f), sign(d), sign(i), sign(ut), sign(0) FROM kinds LIMIT 1', rows: [[-1, 1, -1, 1, 0]] },
  { sql: 'SELECT sqrt(9), sqrt(-1), exp(0), ln(1), ln(0), ln(-1)', rows: [[3, null, 1, 0, null, null]] },
  { sql: 'SELECT log(1), log(8, 2), log(8, 1), log(0, 2), log(8, -2)', rows: [[0, 3, null, null, null]] },
  { sql: 'SELECT pow(2, 10), power(2, -1), pow(0, 0)', rows: [[1024, 0.5, 1]] },
  {
    sql: 'SELECT mod(7, 4), mod(-7, 4), mod(7.5, 2), mod(7, 0), 7 % 4, 7 % 0, 7 / 0',
    rows: [[3, -3, 1.5, null, 3, null, null]],
  },
  {
    sql: 'SELECT sin(0), cos(0), tan(0), asin(0), acos(1), atan(0), asin(2), acos(-2)',
    rows: [[0, 1, 0, 0, 0, 0, null, null]],
  },
  {
    sql: 'SELECT degrees(pi()), radians(180) = pi()',
    rows: [[180, true]],
    meta: [
      ['degrees(pi())', 'DOUBLE', 8],
      ['radians(180) = pi()', 'BOOL', 1],
    ],
  },
  { sql: 'SELECT rand(1) = rand(1), rand() >= 0, rand() < 1', rows: [[true, true, true]] },
  { sql: 'SELECT greatest(1, 2.5), least(1, 2.5), greatest(1, NULL), least(3, 2, 1)', rows: [[2.5, 1, null, 1]] },
  { sql: "SELECT greatest('a', 'b'), least('b', 'a'), greatest(5, '10')", rows: [['b', 'a', '5']] },
  {
    sql: "SELECT crc32('a'), crc32('')",
    rows: [[3904355907, 0]],
    meta: [
      ["crc32('a')", 'INT UNSIGNED', 4],
      ["crc32('')", 'INT UNSIGNED', 4],
    ],
  },
  {
    sql: 'SELECT 6 & 3, 6 | 1, 5 & 0',
    rows: [[2, 7, 0]],
    meta: [
      ['6 & 3', 'BIGINT', 8],
      ['6 | 1', 'BIGINT', 8],
      ['5 & 0', 'BIGINT', 8],
    ],
  },
  { sql: 'SELECT 7.9 & 3, (1 + 1) | 8.5, -1.5 & 7, cast(6.7 AS FLOAT) & 3', rows: [[3, 10, 7, 2]] },
  { sql: 'SELECT cast(5.6 AS DECIMAL(4, 1)) & 7, 5 & NULL, NULL | NULL', rows: [[5, null, null]] },
  { sql: "SELECT 5 & '3'", error: 0x2605 },
  {
    sql: 'SELECT cast(cast(100 AS DECIMAL(10, 4)) AS VARCHAR(20)), cast(cast(-2.5 AS DECIMAL(5, 2)) AS VARCHAR(3)), cast(cast(NULL AS DECIMAL(5, 2)) AS NCHAR(9))',
    rows: [['100.0000', '-2.', null]],
  },
  { sql: 'SELECT 1 + 1, 7 - 10, 2 * 3, 1 / 2, -(3)', rows: [[2, -3, 6, 0.5, -3]] },
  {
    sql: 'SELECT abs(i), round(d), sqrt(i), greatest(i, 1), mod(i, 2), i + 1, sign(c) FROM kinds WHERE i IS NULL',
    rows: [[null, null, null, null, null, null, null]],
  },
  { sql: 'SELECT abs(i) FROM kinds WHERE i > 0', rows: [] },
  { sql: "SELECT abs('a')", error: 0x2802, says: 'abs' },
  { sql: 'SELECT abs(b) FROM kinds', error: 0x2802 },
  { sql: 'SELECT sqrt()', error: 0x2801 },
  { sql: 'SELECT truncate(1.5)', error: 0x2801 },
  { sql: 'SELECT pow(1)', error: 0x2801 },
]);

statements('texts that are no time give NULL', service, 's', [
  {
    sql: "SELECT weekday('x'), weekday('20200101'), date('abcd'), timetruncate('x', 1s), timediff('x', '2024-01-01'), to_iso8601('x')",
    rows: [[null, null, null, null, null, null]],
  },
  { sql: 'SELECT timediff(1.5, 2)', error: 0x2802 },
]);

statements('bytes that are no UTF-8 leave as U+FFFD', service, 's', [
  { sql: "SELECT char(255) AS c, cast('日本' AS VARCHAR(4)) AS v", rows: [['\ufffd', '日\ufffd']] },
]);

statements('IF, CASE and their like choose a value, and the type of all that it may be', service, 's', [
  {
    sql: "SELECT if(1, 'a', 'b'), if(0, 1, 2.5), if(NULL, 1, 2), if('2', 1, 2), if(i < 0, 1, 0) FROM kinds",
    rows: [
      ['a', 2.5, 2, 1, 1],
      ['a', 2.5, 2, 1, 0],
    ],
  },
  {
    sql: 'SELECT ifnull(i, 7), nvl(i, 7), nvl2(i, 1, 2), nullif(i, -70000), coalesce(NULL, i, 3), isnull(i), isnotnull(i) FROM kinds',
    rows: [
      [-70000, -70000, 1, null, -70000, false, true],
      [7, 7, 2, null, 3, true, false],
    ],
  },
  { sql: "SELECT ifnull(NULL, 'a'), nullif(1, 2), coalesce(NULL, NULL)", rows: [['a', 1, null]] },
  {
    sql: "SELECT nullif(i, 'x') AS a, nullif(i, '-70000') AS b, nullif(c, 1.5) AS c, nullif('x', 1) AS d FROM kinds LIMIT 1",
    rows: [[-70000, null, '-12.25', 'x']],
    meta: [
      ['a', 'INT', 4],
      ['b', 'INT', 4],
      ['c', 'DECIMAL(10,2)', 8],
      ['d', 'VARCHAR', 1],
    ],
  },
  {
    sql: "SELECT CASE i WHEN -70000 THEN 'x' ELSE 'y' END, CASE WHEN i < 0 THEN 1 END, CASE NULL WHEN NULL THEN 1 ELSE 2 END FROM kinds",
    rows: [
      ['x', 1, 2],
      ['y', null, 2],
    ],
  },
  { sql: "SELECT CASE 1 WHEN '1' THEN 'same' ELSE 'other' END, CASE WHEN 'a' THEN 1 ELSE 0 END", rows: [['same', 0]] },
  { sql: "SELECT if(1, 1, 'a') AS m", rows: [['1']] },
]);

statements('members of JSON tags have the types that they have in the document', service, 's', [
  {
    sql: "SELECT tbname, j->'host', j->'n' FROM js ORDER BY v",
    rows: [
      ['j1', 'web', 3],
      ['j2', 'db', 2.5],
      ['j3', null, null],
    ],
  },
  { sql: "SELECT j->'ok' FROM j1", rows: [[true]], meta: [["j->'ok'", 'JSON', 4095]] },
  { sql: "SELECT v FROM js WHERE j->'host' = 'web'", rows: [[1]] },
  { sql: "SELECT v FROM js WHERE j->'n' > 2.5", rows: [[1]] },
  { sql: "SELECT v FROM js WHERE j->'n' = '3'", rows: [] },
  { sql: "SELECT v FROM js WHERE j->'x' IS NULL ORDER BY v", rows: [[1], [2], [3]] },
  { sql: "SELECT v FROM js WHERE j->'host' IS NOT NULL ORDER BY v", rows: [[1], [2]] },
  { sql: "SELECT v FROM js WHERE j CONTAINS 'ok'", rows: [[1]] },
  { sql: "SELECT v FROM js WHERE j->'host' MATCH '^d' OR j->'host' LIKE 'w__' ORDER BY v", rows: [[1], [2]] },
  {
    sql: "SELECT upper(j->'host'), length(j->'host') FROM js ORDER BY v",
    rows: [
      ['WEB', 3],
      ['DB', 2],
      [null, null],
    ],
  },
  {
    sql: "SELECT j->'host', count(*) FROM js GROUP BY j->'host' ORDER BY j->'host'",
    rows: [
      [null, 1],
      ['db', 1],
      ['web', 1],
    ],
  },
  { sql: "SELECT DISTINCT j->'ok' FROM js ORDER BY j->'ok'", rows: [[null], [true]] },
  { sql: "SELECT group_concat(j->'host', '+') FROM js WHERE v = 1", rows: [['web']] },
  { sql: "SELECT v FROM js WHERE j = '1'", error: 0x2605 },
  { sql: "SELECT v->'a' FROM js", error: 0x2605 },
]);

statements('lists of tags show all digits of fractions, shapes as text and bytes as hexadecimal digits', service, 's', [
  {
    sql: 'CREATE STABLE shown (ts TIMESTAMP, v INT) TAGS (f FLOAT, d DOUBLE, b VARBINARY(8), p GEOMETRY(64))',
    affected: 0,
  },
  { sql: "CREATE TABLE shown1 USING shown TAGS (379.001, -1.5e-3, '\\xaB', 'POINT(1 -2.5)')", affected: 0 },
  { sql: "CREATE TABLE shown2 USING shown TAGS (-7, 1e-12, '', 'GEOMETRYCOLLECTION(POINT(0 0))')", affected: 0 },
  { sql: 'CREATE TABLE shown3 USING shown TAGS (NULL, NULL, NULL, NULL)', affected: 0 },
  {
    sql: "SELECT tag_value FROM information_schema.ins_tags WHERE stable_name = 'shown' ORDER BY table_name, tag_name",
    rows: [
      ['\\xAB'],
      ['-0.001500000'],
      ['379.00101'],
      ['POINT (1.000000 -2.500000)'],
      ['\\x'],
      ['1e-12'],
      ['-7.00000'],
      ['010700000001000000010100000000000000000000000000000000000000'],
      [null],
      [null],
      [null],
      [null],
    ],
  },
]);

statements('geometries are read, compared and printed as well-known text', service, 's', [
  { sql: 'CREATE TABLE shapes (ts TIMESTAMP, g GEOMETRY(64), w VARCHAR(32))', affected: 0 },
  {
    sql: `INSERT INTO shapes VALUES (${base}, 'POINT(1 2)', 'POINT(3 4)') (${base + 1}, 'LINESTRING(0 0,2 2)', NULL) (${base + 2}, NULL, NULL)`,
    affected: 3,
  },
  {
    sql: 'SELECT st_astext(g) FROM shapes',
    rows: [['POINT (1.000000 2.000000)'], ['LINESTRING (0.000000 0.000000, 2.000000 2.000000)'], [null]],
  },
  {
    sql: "SELECT st_geomfromtext('POINT(1 2)') AS a, st_geomfromtext(w) AS b FROM shapes LIMIT 2",
    rows: [
      ['0101000000000000000000f03f0000000000000040', '010100000000000000000008400000000000001040'],
      ['0101000000000000000000f03f0000000000000040', null],
    ],
  },
  {
    sql: 'SELECT st_makepoint(1, 2) AS p, st_astext(st_makepoint(0, -1.5)), st_makepoint(1, NULL)',
    rows: [['0101000000000000000000f03f0000000000000040', 'POINT (0.000000 -1.500000)', null]],
  },
  { sql: 'SELECT st_makepoint(1, NULL) FROM shapes ORDER BY 1 LIMIT 1', rows: [[null]] },
  { sql: 'SELECT COUNT(*), st_makepoint(NULL, 1) FROM shapes', rows: [[3, null]] },
  {
    sql: "SELECT st_intersects(g, st_geomfromtext('POLYGON((0 1,0 5,5 5,5 1,0 1))')) AS i FROM shapes",
    rows: [[true], [true], [null]],
    meta: [['i', 'BOOL', 1]],
  },
  ...[
    'POINT (116.397428123 -39.900000)',
    'POLYGON ((0.000000 0.000000, 4.000000 0.000000, 0.000000 0.000000), (1.000000 1.000000, 2.000000 1.000000, 1.000000 1.000000))',
    'MULTIPOINT ((1.000000 1.000000), (2.000000 2.500000))',
    'MULTILINESTRING ((1.000000 1.000000, 2.000000 2.000000), (3.000000 3.000000, 4.000000 4.000000))',
    'MULTIPOLYGON (((0.000000 0.000000, 4.000000 0.000000, 4.000000 4.000000, 0.000000 0.000000)), ((9.000000 9.000000, 10.000000 9.000000, 10.000000 10.000000, 9.000000 9.000000)))',
  ].map((text) => ({ sql: `SELECT st_astext(st_geomfromtext('${text}'))`, rows: [[text]] })),
  { sql: "SELECT st_astext(st_geomfromtext('GEOMETRYCOLLECTION(POINT(1 1))'))", error: 0x0100 },
  { sql: "SELECT st_geomfromtext('POINT(1)')", error: 0x2803 },
  { sql: "SELECT st_astext('POINT(1 2)')", error: 0x2802 },
  {
    sql: `SELECT st_covers(area, g) AS c, st_contains(area, g), st_containsproperly(area, g), st_equals(g, g), st_touches(g, area)
      FROM (SELECT g, st_geomfromtext('POLYGON((0 0,0 5,5 5,5 0,0 0))') AS area FROM shapes)`,
    rows: [
      [true, true, true, true, false],
      [true, true, false, true, false],
      [null, null, null, null, null],
    ],
    meta: [
      ['c', 'BOOL', 1],
      ['st_contains(area, g)', 'BOOL', 1],
      ['st_containsproperly(area, g)', 'BOOL', 1],
      ['st_equals(g, g)', 'BOOL', 1],
      ['st_touches(g, area)', 'BOOL', 1],
    ],
  },
  {
    sql: "SELECT count(*) FROM shapes WHERE st_contains(st_geomfromtext('POLYGON((0 0,0 5,5 5,5 0,0 0))'), g)",
    rows: [[2]],
  },
  { sql: "SELECT st_covers(g, 'POINT(1 2)') FROM shapes", error: 0x2802 },
]);

statements('functions about the service tell its state, versions and user', service, 's', [
  { sql: 'SELECT server_status()', rows: [[1]], meta: [['server_status()', 'INT', 4]] },
  { sql: "SELECT server_version() LIKE '3.%', client_version() LIKE '3.%', database()", rows: [[true, true, 's']] },
  { sql: "SELECT user() LIKE 'root%', current_user() LIKE 'root%'", rows: [[true, true]] },
]);

statements('functions that need another program are unknown', service, 's', [
  { sql: 'SELECT forecast(v) FROM js', error: 0x264d, says: 'Invalid function name: forecast' },
]);

statements('masks hide all of a text, its middle, or nothing', service, 's', [
  {
    sql: "SELECT mask_full(v, '***'), mask_none(v), mask_none(n) FROM texts",
    meta: [
      ["mask_full(v, '***')", 'VARCHAR', 3],
      ['mask_none(v)', 'VARCHAR', 16],
      ['mask_none(n)', 'NCHAR', 8],
    ],
    rows: [
      ['***', 'aBc de', '日本x'],
      ['***', '', ''],
      [null, null, null],
    ],
  },
  {
    sql: "SELECT MASK_PARTIAL(v, 1, 2, '*'), MASK_PARTIAL(n, 1, 1, '#'), MASK_PARTIAL(v, 0, 0, '€'), MASK_PARTIAL(v, 3, 3, '*') FROM texts",
    rows: [
      ['*Bc **', '#本#', 'aBc de', '******'],
      ['', '', '', ''],
      [null, null, null, null],
    ],
  },
  { sql: "SELECT mask_partial('secret', 0, 2, 'x'), mask_partial('secret', 9, 0, 'x')", rows: [['secrxx', 'xxxxxx']] },
  { sql: "SELECT mask_partial('mytext', 1, 2, '*'), mask_partial('a', 1, 2, '*')", rows: [['*yte**', '*']] },
  { sql: "SELECT mask_partial('secret', 1, 2, 'xy')", error: 0x2803 },
  { sql: "SELECT mask_partial('secret', -1, 2, 'x')", error: 0x2803 },
  { sql: "SELECT mask_partial('secret', 1, 2)", error: 0x2801 },
  { sql: 'SELECT mask_full(1, 2)', error: 0x2802 },
  { sql: "SELECT count(*) FROM texts WHERE mask_partial(v, 1, 0, '*') = '*Bc de'", rows: [[1]] },
]);

statements('months and years are numbers without a timestamp beside them', service, 's', [
  {
    sql: 'SELECT 1n, -1y, 1n * 2, 1n > 0, 1 + 1n, 1 IN (1n), CASE WHEN true THEN 1n END, cast(1n AS BIGINT), abs(-3n), coalesce(2n, 1)',
    rows: [[1, -1, 2, true, 2, true, 1, 1, 3, 2]],
  },
  { sql: 'SELECT max(1n) FROM kinds', rows: [[1]] },
  { sql: 'SELECT derivative(i, 1n, 0) FROM kinds', error: 0x2803 },
  { sql: 'SELECT elapsed(ts, 1n) FROM kinds', error: 0x2803 },
  {
    sql: "SELECT TIMESTAMP '2024-01-31' + 1n, 1n + TIMESTAMP '2024-01-31', TIMESTAMP '2024-01-31' - -1y",
    rows: [['2024-02-29T00:00:00.000Z', '2024-02-29T00:00:00.000Z', '2025-01-31T00:00:00.000Z']],
  },
]);

statements('a pattern that is no regular expression is refused', service, 's', [
  { sql: "SELECT 'a' MATCH '('", error: 0x0118, says: 'not a regular expression' },
  { sql: "SELECT v FROM texts WHERE v NMATCH '[a'", error: 0x0118 },
  { sql: `SELECT 'a' MATCH '${'('.repeat(65)}a${')*'.repeat(65)}'`, error: 0x0118, says: 'nested deeper than 64' },
]);
