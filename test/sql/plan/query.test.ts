import test from 'ava';
import { Codes } from '../../../src/model/fault.js';
import type { ContextOverrides } from '../../support/engine/query-fixture.js';
import { metersFixture } from '../../support/sql/meters.js';

const fixture = metersFixture();
test.after.always(() => fixture.close());

/** One test per case: a query and the lines of JSON that it gives. */
function answers(title: string, sql: string, lines: readonly string[], overrides: ContextOverrides = {}): void {
  test(title, (t) => {
    t.deepEqual(fixture.rows(sql, overrides), [...lines]);
  });
}

function refuses(title: string, sql: string, code: number, overrides: ContextOverrides = {}): void {
  test(title, (t) => {
    t.is(fixture.refusal(sql, overrides), code);
  });
}

answers('prints rows of a super table with their tags, series by series', 'SELECT * FROM meters LIMIT 2', [
  '["2023-11-14T22:13:20.000Z",10.3,200,0,null,"north",1]',
  '["2023-11-14T22:13:30.000Z",11.3,210,0.25,"n1","north",1]',
]);
answers('leaves tags out of the star of a sub-table but knows them', 'SELECT *, location FROM d1 LIMIT 1', [
  '["2023-11-14T22:13:20.000Z",10.3,200,0,null,"north"]',
]);
answers('sees an overwritten row once, with its newest values', 'SELECT * FROM t', [
  '["2023-11-14T22:13:20.000Z",10,null]',
  '["2023-11-14T22:13:21.000Z",3,null]',
]);
answers(
  'an overwritten value decides nothing, whatever is said of the key',
  `SELECT * FROM t WHERE a < 10 AND ts < 1700000010000`,
  ['["2023-11-14T22:13:21.000Z",3,null]'],
);
answers('prints every kind of value as clients expect it', 'SELECT * FROM n.x', [
  '["1969-12-31T23:59:59.999999999Z",null,null,null,null,null,null,null]',
  '["2023-11-14T22:13:20.123456789Z",true,-5,18446744073709551615,"12.50","ff00","日本",0.1]',
]);
answers(
  'prints times in another zone with the offset in force',
  'SELECT ts FROM n.x',
  ['["1970-01-01T05:29:59.999999999+05:30"]', '["2023-11-15T03:43:20.123456789+05:30"]'],
  { outputZone: 'Asia/Kolkata' },
);
answers(
  'follows daylight saving time',
  "SELECT CAST('2024-01-01T00:00:00Z' AS TIMESTAMP), CAST('2024-07-01T00:00:00Z' AS TIMESTAMP)",
  ['["2023-12-31T19:00:00.000-05:00","2024-06-30T20:00:00.000-04:00"]'],
  { outputZone: 'America/New_York' },
);
answers('prints a JSON tag as it was written', 'SELECT labels, v FROM u.s', [
  '[{"__name__":"cpu","host":"a/b","n":1},9223372036854775807]',
  '[{"__name__":"mem","b":true,"x":null,"d.e":"2024-01-01 00:00:00"},1]',
]);
answers(
  'prints a member of a JSON tag with its kind',
  "SELECT labels->'host', labels->'n', labels->'b', labels->'x' FROM u.s",
  ['["a/b",1,null,null]', '[null,null,true,null]'],
);
answers(
  'keys rows by column name, numbering names that repeat',
  'SELECT count(*) AS c, sum(voltage) AS c, max(voltage) FROM meters',
  ['{"c":18,"c_2":4068,"max(voltage)":252}'],
  { form: 'objects' },
);
answers('stops at the row limit', 'SELECT ts FROM d1', ['["2023-11-14T22:13:20.000Z"]'], { rowLimit: 1 });
answers('gives no rows at a row limit of 0', 'SELECT ts FROM d1', [], { rowLimit: 0 });

for (const [title, where, count] of [
  ['RFC 3339 text', "ts >= '2023-11-14T22:13:30Z' AND ts < '2023-11-14T22:14:00+00:00'", 3],
  ['ticks', 'ts > 1700000010000', 4],
  ['NOW arithmetic', 'ts > NOW - 10y AND ts < NOW() + 1h', 6],
  ['BETWEEN and OR', 'ts BETWEEN 1700000000000 AND 1700000010000 OR ts = 1700000050000', 3],
  ['IN on times', "ts IN ('2023-11-14T22:13:20Z', 1700000010000)", 2],
  ['a FLOAT and a literal', 'current = 10.3', 1],
  ['text read as a number', "voltage = '210'", 1],
  ['LIKE', "note LIKE 'n_'", 3],
  ['NOT LIKE', "note NOT LIKE 'n1'", 2],
  ['MATCH', "note MATCH '[13]$'", 2],
  ['NMATCH', "note NMATCH '[13]$'", 1],
  ['IS NULL', 'current IS NULL', 1],
  ['NULL in a list', 'voltage NOT IN (200, NULL)', 0],
  ['NULL in a list of values', 'voltage IN (200, NULL)', 1],
  ['a tag of the sub-table', "location = 'north' AND groupid = 1", 6],
  ['a constant condition', "('' = '' OR note IN ('a'))", 6],
  ['a number as a condition', 'voltage - 200', 5],
] as const) {
  test(`filters by ${title}`, (t) => {
    t.deepEqual(fixture.rows(`SELECT count(*) FROM d1 WHERE ${where}`), [`[${count}]`]);
  });
}

answers(
  'reads a time without a zone in the zone of the connection',
  "SELECT count(*) FROM d1 WHERE ts = '2023-11-15 07:13:20'",
  ['[1]'],
  { connectionZone: 'Asia/Tokyo' },
);
answers(
  'chooses sub-tables by tags and tbname',
  "SELECT tbname, ts FROM meters WHERE tbname IN ('d2', 'd3') AND location = 'south' LIMIT 1",
  ['["d3","2023-11-14T22:13:20.002Z"]'],
);
answers(
  'filters by a row and its tags together',
  'SELECT voltage FROM meters WHERE voltage + groupid = 203',
  ['[201]'].concat(),
);
answers('filters by members of a JSON tag', "SELECT v FROM u.s WHERE labels->'host' LIKE 'a%' AND labels->'n' > 0", [
  '[9223372036854775807]',
]);
answers(
  'does not match a member of another kind',
  "SELECT v FROM u.s WHERE labels->'n' = '1' OR labels->'b' <> 'x'",
  [],
);
answers(
  'CONTAINS tests whether a JSON tag has a key',
  "SELECT v FROM u.s WHERE labels CONTAINS 'b' AND labels->'x' IS NULL",
  ['[1]'],
);
answers(
  'stands a chain of ten thousand terms',
  `SELECT count(*) FROM d1 WHERE ${Array.from({ length: 10000 }, (_, at) => `voltage = ${at}`).join(' OR ')}`,
  ['[6]'],
);

answers('sorts by a column that is not shown', 'SELECT voltage FROM meters ORDER BY ts DESC LIMIT 1', ['[252]']);
answers('sorts by alias and position', 'SELECT voltage v, ts FROM d1 ORDER BY v DESC, 2 LIMIT 1 OFFSET 1', [
  '[240,"2023-11-14T22:14:00.000Z"]',
]);
answers('sorts NULL as the smallest value', 'SELECT DISTINCT location FROM meters ORDER BY location DESC', [
  '["south"]',
  '["north"]',
  '[null]',
]);
answers('limits every slice of a partition', 'SELECT tbname, voltage FROM meters PARTITION BY tbname LIMIT 1', [
  '["d1",200]',
  '["d2",201]',
  '["d3",202]',
]);
answers(
  'chooses slices by SLIMIT',
  'SELECT tbname, voltage FROM meters PARTITION BY tbname SLIMIT 1 SOFFSET 1 LIMIT 1',
  ['["d2",201]'],
);
answers('lists sub-tables with and without rows', 'SELECT TAGS tbname, groupid FROM meters', [
  '["d1",1]',
  '["d2",2]',
  '["d3",2]',
  '["d4",3]',
]);
answers('counts the names of sub-tables', 'SELECT COUNT(*) FROM (SELECT DISTINCT(TBNAME) FROM meters)', ['[4]']);

answers('nests queries', 'SELECT sum(`count(*)`) FROM (SELECT count(*) FROM meters GROUP BY tbname)', ['[18]']);
answers(
  'honours order and limit of a subquery',
  'SELECT voltage FROM (SELECT voltage FROM meters ORDER BY voltage DESC LIMIT 2)',
  ['[252]', '[251]'],
);
answers(
  'joins results of different types in a union',
  'SELECT 2 UNION ALL SELECT 1.5 UNION ALL SELECT NULL ORDER BY 1',
  ['[null]', '[1.5]', '[2]'],
);
answers('removes duplicates from a union', 'SELECT location FROM d1 UNION SELECT location FROM d2', ['["north"]']);
answers('answers without a table', "SELECT 1, 'a', 1+1, NULL, TRUE, server_status()", ['[1,"a",2,null,true,1]']);
answers(
  'computes in binary64 and divides by zero to NULL',
  'SELECT a + 1, a / 0, a % 0, 7 / 2, 10s/1s FROM t LIMIT 1',
  ['[11,null,null,3.5,10]'],
);
answers('keeps DECIMAL in arithmetic', 'SELECT d + 1, d * d, d / 3, d / 0 FROM n.x WHERE ts > 0', [
  '["13.50","156.2500","4.16666666666666666666666",null]',
]);
answers('moves times by durations', 'SELECT ts + 1n, ts - 1d, ts - (ts - 1s) FROM d1 LIMIT 1', [
  '["2023-12-14T22:13:20.000Z","2023-11-13T22:13:20.000Z",1000]',
]);
answers(
  'casts as leniently as the dialect',
  "SELECT CAST('12abc' AS INT), CAST('x' AS INT), CAST(300 AS TINYINT), CAST(-1.9 AS BIGINT), CAST('2024-01-02' AS TIMESTAMP), CAST('abc' AS VARCHAR(2)), CAST(TRUE AS VARCHAR(5))",
  ['[12,0,44,-1,"2024-01-02T00:00:00.000Z","ab","true"]'],
);
answers(
  'takes the branch of a CASE and widens its type',
  "SELECT CASE WHEN voltage > 205 THEN 1 ELSE 2.5 END, CASE voltage WHEN '200' THEN 'a' END FROM d1 LIMIT 2",
  ['[2.5,"a"]', '[1,null]'],
);
answers(
  'keeps the wildcard backslashes of LIKE apart from plain ones',
  "SELECT 'a%b' LIKE 'a\\%b', 'axb' LIKE 'a\\%b', 'a\\\\b' LIKE 'a\\\\\\\\b'",
  ['[true,false,true]'],
);

test('describes result columns by name, type and length', (t) => {
  const meta = fixture.meta(
    "SELECT ts, m.current, COUNT( * ), 'abc', tbname, CAST(1 AS VARCHAR(7)) x, voltage > 1 FROM meters m GROUP BY ts, current, tbname, voltage > 1",
  );
  t.deepEqual(
    meta.map(({ name, type }) => [name, type.name, type.length]),
    [
      ['ts', 'TIMESTAMP', 8],
      ['current', 'FLOAT', 4],
      ['count( * )', 'BIGINT', 8],
      ["'abc'", 'VARCHAR', 3],
      ['tbname', 'VARCHAR', 192],
      ['x', 'VARCHAR', 7],
      ['voltage > 1', 'BOOL', 1],
    ],
  );
});

refuses('refuses an unknown column', 'SELECT x FROM d1', Codes.invalidColumnName);
refuses('refuses an unknown table', 'SELECT * FROM nope', Codes.tableInfo);
refuses('refuses an unknown database', 'SELECT * FROM nodb.t', Codes.databaseNotExist);
refuses('refuses a table without a database', 'SELECT * FROM t', Codes.databaseNotSpecified, { database: undefined });
refuses('refuses a name of another table', 'SELECT d2.ts FROM d1', Codes.tableNotExist);
refuses('refuses an ambiguous column', 'SELECT a FROM (SELECT a, b AS a FROM t)', Codes.ambiguousColumn);
refuses('refuses an alias in WHERE', 'SELECT a AS z FROM t WHERE z = 1', Codes.invalidColumnName);
refuses('refuses text that is no time', "SELECT ts FROM d1 WHERE ts > 'abc'", Codes.incorrectTimestamp);
refuses('refuses an aggregate in WHERE', 'SELECT ts FROM d1 WHERE count(*) > 1', Codes.aggregateNotAllowed);
refuses('refuses a position outside of the list', 'SELECT ts FROM d1 ORDER BY 2', Codes.orderByPosition);
refuses(
  'refuses to sort distinct rows by what is not shown',
  'SELECT DISTINCT voltage FROM d1 ORDER BY ts',
  Codes.notSelectedExpression,
);
refuses('refuses a negative offset', 'SELECT ts FROM d1 LIMIT 1 OFFSET -1', Codes.negativeOffset);
refuses('refuses SLIMIT without slices', 'SELECT ts FROM d1 SLIMIT 1', Codes.slimitNotAllowed);
refuses('refuses a window column without a window', 'SELECT _wstart FROM d1', Codes.windowPseudoColumn);
refuses('refuses tbname of a subquery', 'SELECT tbname FROM (SELECT ts FROM d1)', Codes.invalidTbname);
refuses('refuses branches of different width', 'SELECT 1 UNION ALL SELECT 1, 2', Codes.unionColumnCount);
refuses('refuses joins without equal times', 'SELECT a.ts FROM d1 a JOIN d2 b ON a.ts > b.ts', Codes.expectTimeEqual);
refuses('refuses tags of a normal table', 'SELECT TAGS a FROM t', Codes.tagsOfNormalTable);

test('a plan names the tables that it reads, unless its result may change without them', (t) => {
  const { tables } = fixture.plan('SELECT max(voltage) FROM meters');
  t.is(tables?.length, 1);
  t.deepEqual(fixture.plan('SELECT 1').tables, []);
  t.deepEqual(
    fixture.plan('SELECT max(voltage) FROM meters WHERE ts > NOW - 1h').tables,
    tables,
    'its time is a literal',
  );
  const both = fixture.plan('SELECT voltage FROM meters WHERE groupid = 1 UNION ALL SELECT voltage FROM d1').tables;
  t.true(both?.includes(tables?.[0] ?? '') === true && both.length > 1);
  for (const sql of ['SELECT RAND()', 'SELECT max(voltage) FROM meters WHERE RAND() > 0.5']) {
    t.is(fixture.plan(sql).tables, undefined, sql);
  }
});

test('a plan says when it reads single series alone', (t) => {
  for (const sql of ['SELECT max(voltage) FROM d1', 'SELECT a.voltage FROM d1 a JOIN d1 b ON a.ts = b.ts', 'SELECT 1'])
    t.not(fixture.plan(sql).series, undefined, sql);
  for (const sql of ['SELECT max(voltage) FROM meters', 'SELECT max(x) FROM (SELECT max(voltage) AS x FROM meters)'])
    t.is(fixture.plan(sql).series, undefined, sql);
});

test('a plan says when it depends on the current time', (t) => {
  const timeless = ['SELECT 1', 'SELECT max(voltage) FROM meters WHERE ts > 1700000000000'];
  for (const sql of timeless) t.true(fixture.plan(sql).isTimeless, sql);
  const ofNow = ['SELECT NOW()', 'SELECT TODAY()', 'SELECT TIMEZONE()', 'SELECT * FROM d1 WHERE ts > NOW - 1h'];
  for (const sql of ofNow) t.false(fixture.plan(sql).isTimeless, sql);
});

test('aggregates over one table and one SELECT over one short series use the old analyzer of the engine', (t) => {
  const usesOldAnalyzer = (sql: string, isShort = false): boolean =>
    fixture.plan(sql, { hasShortSeries: () => isShort }).settings.includes('enable_analyzer = 0');
  t.true(usesOldAnalyzer('SELECT max(voltage) FROM d1'));
  t.false(usesOldAnalyzer('SELECT voltage FROM d1'));
  const ofSeries = ['SELECT voltage FROM d1', 'SELECT _wstart, avg(voltage) FROM d1 INTERVAL(1m)'];
  for (const sql of ofSeries) t.true(usesOldAnalyzer(sql, true), sql);
  const ofNeighbours = [
    'SELECT diff(voltage) FROM d1',
    'SELECT _wstart, avg(voltage) FROM d1 INTERVAL(1m) SLIDING(10s)',
  ];
  for (const sql of [...ofNeighbours, 'SELECT voltage FROM meters']) t.false(usesOldAnalyzer(sql, true), sql);
  t.false(usesOldAnalyzer('SELECT max(voltage) FROM (SELECT voltage FROM d1)'));
  t.false(usesOldAnalyzer("SELECT max(voltage) FROM meters WHERE location = 'x'"));
});
test('short series are read by one thread, whole super tables and long series by all', (t) => {
  const isOneThread = (sql: string, isShort: boolean): boolean =>
    fixture.plan(sql, { hasShortSeries: () => isShort }).settings.includes('max_threads = 1');
  t.true(isOneThread('SELECT MAX(current) FROM d1', true));
  t.true(isOneThread('SELECT ts, current FROM d1', true));
  t.false(isOneThread('SELECT MAX(current) FROM d1', false));
  t.false(isOneThread('SELECT MAX(current) FROM meters', true));
  t.false(isOneThread('SELECT 1', true));
});
