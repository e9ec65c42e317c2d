import test from 'ava';
import { Codes } from '../../../src/model/fault.js';
import { metersFixture, start } from '../../support/sql/meters.js';

const fixture = metersFixture();
fixture.superTable('m', 'places', ['v INT'], ['side VARCHAR(8)']);
fixture.subTable('m', 'places', 'kept', ["'east'"], [[start, 1]]);
fixture.subTable('m', 'places', 'gone', ["'west'"], [[start, 1]]);
fixture.drop('m', 'gone');
test.after.always(() => fixture.close());

function answers(title: string, sql: string, lines: readonly string[]): void {
  test(title, (t) => {
    t.deepEqual(fixture.rows(sql), [...lines]);
  });
}

function refuses(title: string, sql: string, code: number): void {
  test(title, (t) => {
    t.is(fixture.refusal(sql), code);
  });
}

answers(
  'aggregates a sub-table',
  'SELECT count(*), count(current), sum(voltage), avg(voltage), min(voltage), max(voltage), spread(voltage), stddev(phase) FROM d1',
  ['[6,5,1350,225,200,250,50,0.42695628191498325]'],
);
answers(
  'takes first and last values that are not NULL',
  'SELECT first(note), last(note), last_row(note), last(ts), last_row(current) FROM d1',
  ['["n1","n5","n5","2023-11-14T22:14:10.000Z",15.3]'],
);
answers(
  'COLS takes columns from the row that its function picks, several of them side by side',
  `SELECT COLS(max(voltage), ts, note AS n), COLS(first(note), voltage + 1, ts first_at), COLS(last_row(note), note), count(*)
    FROM d1`,
  ['["2023-11-14T22:14:10.000Z","n5",211,"2023-11-14T22:13:30.000Z","n5",6]'],
);
answers('COLS takes all columns of a row, too', 'SELECT count(*), COLS(first(note), *), COLS(last(ts), d1.*) FROM d1', [
  '[6,"2023-11-14T22:13:30.000Z",11.3,210,0.25,"n1","2023-11-14T22:14:10.000Z",15.3,250,1.25,"n5"]',
]);
answers(
  'COLS picks a row in every window and group, NULLs of it included',
  `SELECT _wstart, groupid, COLS(min(voltage), current, tbname) FROM meters WHERE ts < ${start + 30_000}
    PARTITION BY groupid INTERVAL(20s)`,
  [
    '["2023-11-14T22:13:20.000Z",1,10.3,"d1"]',
    '["2023-11-14T22:13:40.000Z",1,null,"d1"]',
    '["2023-11-14T22:13:20.000Z",2,10.3,"d2"]',
    '["2023-11-14T22:13:40.000Z",2,null,"d2"]',
  ],
);
answers(
  'ORDER BY means what COLS gives by the name of its column',
  'SELECT COLS(last(voltage), ts), groupid FROM meters GROUP BY tbname, groupid ORDER BY ts DESC, groupid DESC LIMIT 1',
  ['["2023-11-14T22:14:10.002Z",2]'],
);
refuses(
  'COLS of a function that picks no row is refused',
  'SELECT COLS(avg(voltage), ts) FROM d1',
  Codes.invalidExpression,
);
refuses('COLS of no function is refused', 'SELECT COLS(voltage, ts) FROM d1', Codes.invalidExpression);
refuses('COLS of a function within it is refused', 'SELECT COLS(max(voltage), max(ts)) FROM d1', Codes.nestedAggregate);
refuses(
  'COLS in an expression takes one column',
  'SELECT 1 + COLS(max(voltage), ts, note) FROM d1',
  Codes.invalidExpression,
);
refuses(
  'COLS does not stand in WHERE',
  'SELECT voltage FROM d1 WHERE COLS(max(voltage), phase) > 1',
  Codes.aggregateNotAllowed,
);
answers('spells out the star of a selection', 'SELECT last_row(*) FROM t', ['["2023-11-14T22:13:21.000Z",3,null]']);
answers(
  'picks the newest row of a sub-table with WHERE on time',
  'SELECT last_row(voltage), ts FROM d1 WHERE ts < 1700000015000',
  ['[210,"2023-11-14T22:13:30.000Z"]'],
);
answers(
  'picks the newest row of every sub-table',
  'SELECT tbname, location, last_row(voltage) FROM meters GROUP BY tbname',
  ['["d1","north",250]', '["d2","north",251]', '["d3","south",252]'],
);
answers('knows the oldest and newest time', 'SELECT first(ts), max(ts), last_row(ts) FROM meters', [
  '["2023-11-14T22:13:20.000Z","2023-11-14T22:14:10.002Z","2023-11-14T22:14:10.002Z"]',
]);
answers(
  'knows the newest time of every sub-table of some tag before some time',
  "SELECT tbname, last(ts) FROM meters WHERE location = 'north' AND ts < 1700000015000 GROUP BY tbname",
  ['["d1","2023-11-14T22:13:30.000Z"]', '["d2","2023-11-14T22:13:30.001Z"]'],
);
answers('knows no newest time where there are no rows', 'SELECT max(ts) FROM d1 WHERE ts < 1000', []);
test('overwritten rows are not merged for times alone, and are for anything else', (t) => {
  const merges = (sql: string): boolean => fixture.plan(sql).sql.includes('FINAL');
  t.false(merges('SELECT last(ts), min(ts) FROM meters WHERE ts > 1700000015000'));
  t.false(merges('SELECT last(ts) FROM d1'));
  for (const sql of [
    'SELECT last(ts), last(voltage) FROM d1',
    'SELECT last(ts), count(*) FROM d1',
    'SELECT last(ts) FROM d1 WHERE voltage > 1',
    'SELECT last(ts) FROM meters WHERE voltage > groupid',
    'SELECT last(ts) FROM d1 GROUP BY voltage',
    'SELECT last(ts) FROM d1 INTERVAL(1s)',
  ]) {
    t.true(merges(sql), sql);
  }
});
answers('takes columns of the picked row', 'SELECT max(voltage), ts, tbname FROM meters', [
  '[252,"2023-11-14T22:14:10.002Z","d3"]',
]);
answers('takes columns of the first row', 'SELECT first(current), voltage, groupid FROM meters WHERE groupid = 2', [
  '[10.3,201,2]',
]);
answers('groups by tags, NULL first', 'SELECT location, sum(voltage), last(voltage) FROM meters GROUP BY location', [
  '["north",2706,251]',
  '["south",1362,252]',
]);
answers(
  'aggregates tags beside counts in groups by tag',
  'SELECT location, count(*), min(groupid), max(groupid) FROM meters GROUP BY location',
  ['["north",12,1,2]', '["south",6,2,2]'],
);
answers(
  'groups by several tags and a condition',
  'SELECT location, groupid, avg(voltage) FROM meters WHERE voltage >= 240 GROUP BY location, groupid ORDER BY groupid DESC, location',
  ['["north",2,246]', '["south",2,247]', '["north",1,245]'],
);
answers('groups by a column with NULL', 'SELECT note, count(*) FROM meters GROUP BY note', [
  '[null,9]',
  '["n1",3]',
  '["n3",3]',
  '["n5",3]',
]);
answers(
  'groups by a tag and a column together',
  'SELECT location, note, count(*) FROM meters WHERE note IS NOT NULL GROUP BY location, note LIMIT 10',
  [
    '["north","n1",2]',
    '["north","n3",2]',
    '["north","n5",2]',
    '["south","n1",1]',
    '["south","n3",1]',
    '["south","n5",1]',
  ],
);
answers(
  'groups by an expression under its alias',
  "SELECT CASE WHEN voltage > 220 THEN 'hi' ELSE 'lo' END AS c, count(*) FROM meters GROUP BY c",
  ['["hi",11]', '["lo",7]'],
);
answers(
  'groups by an expression of the list',
  'SELECT voltage > 220, count(*) FROM meters PARTITION BY voltage > 220',
  ['[false,7]', '[true,11]'],
);
answers('computes over aggregates', 'SELECT sum(voltage)/count(*), round(avg(phase), 1) FROM d1', ['[225,0.6]']);
answers(
  'filters groups',
  'SELECT groupid FROM meters PARTITION BY groupid HAVING first(ts) > 0 AND avg(voltage) > 225',
  ['[2]'],
);
answers(
  'sorts groups by an aggregate and limits all of them',
  'SELECT tbname FROM meters GROUP BY tbname ORDER BY avg(voltage) DESC LIMIT 1',
  ['["d3"]'],
);
answers('groups by a member of a JSON tag', "SELECT labels->'host' h, count(*) FROM u.s GROUP BY labels->'host'", [
  '[null,1]',
  '["a/b",1]',
]);
answers('sums exactly beyond 2^53', 'SELECT sum(v), max(v) FROM u.s WHERE v > 1', [
  '[9223372036854775807,9223372036854775807]',
]);
answers('aggregates DECIMAL exactly', 'SELECT sum(d), avg(d), max(d) FROM n.x', ['["12.50","12.500000","12.50"]']);

answers('counts 0 without rows, everything else NULL', 'SELECT count(*), max(voltage) FROM meters WHERE ts < 0', [
  '[0,null]',
]);
answers(
  'has no row for other aggregates without rows',
  'SELECT max(voltage), sum(voltage) FROM meters WHERE ts < 0',
  [],
);
answers('has no row for selections without rows', 'SELECT last_row(*) FROM d4', []);
answers(
  'has no groups of columns without rows',
  'SELECT voltage, count(*) FROM meters WHERE ts < 0 GROUP BY voltage',
  [],
);
answers('has no windows without rows', 'SELECT _wstart, count(*) FROM meters WHERE ts < 0 INTERVAL(1s)', []);
answers('has a row of NULL when all inputs are NULL', 'SELECT sum(b), last(b) FROM t', ['[null,null]']);
answers('counts empty sub-tables of a group', 'SELECT tbname, count(*), avg(voltage) FROM meters PARTITION BY tbname', [
  '["d1",6,225]',
  '["d2",6,226]',
  '["d3",6,227]',
  '["d4",0,null]',
]);
answers('counts empty sub-tables by tag', 'SELECT location, count(*) FROM meters GROUP BY location', [
  '[null,0]',
  '["north",12]',
  '["south",6]',
]);
answers(
  'leaves empty sub-tables out where nothing is counted',
  'SELECT tbname, avg(voltage) FROM meters WHERE groupid > 1 PARTITION BY tbname',
  ['["d2",226]', '["d3",227]'],
);
answers('finds empty sub-tables', 'SELECT tbname FROM meters GROUP BY tbname HAVING count(*) = 0', ['["d4"]']);
answers(
  'counts sub-tables without rows in the time range',
  "SELECT tbname, count(*) FROM meters WHERE ts < 0 AND location = 'north' PARTITION BY tbname",
  ['["d1",0]', '["d2",0]'],
);
answers(
  'has no group where a condition hides all rows of the range',
  'SELECT tbname, count(*) FROM meters WHERE voltage > 251 PARTITION BY tbname',
  ['["d3",1]', '["d4",0]'],
);
answers(
  'lists only matching sub-tables where rows meet tags',
  'SELECT tbname, count(*) FROM meters WHERE abs(voltage + groupid) = 201 PARTITION BY tbname',
  ['["d1",1]', '["d4",0]'],
);
answers('counts a single empty sub-table', 'SELECT tbname, count(*) FROM d4 PARTITION BY tbname', ['["d4",0]']);
answers(
  'has no group of a single sub-table whose rows are hidden',
  'SELECT tbname, count(*) FROM d1 WHERE voltage > 1000 PARTITION BY tbname',
  [],
);
answers('forgets a dropped sub-table where tags are used', 'SELECT side, count(*) FROM places GROUP BY side', [
  '["east",1]',
]);

refuses('refuses a plain column beside an aggregate', 'SELECT voltage, count(*) FROM d1', Codes.notSingleGroup);
refuses(
  'refuses a plain column beside two selections',
  'SELECT voltage, max(phase), min(phase) FROM d1',
  Codes.notSingleGroup,
);
refuses(
  'refuses a column outside of the grouping',
  'SELECT voltage FROM d1 GROUP BY tbname',
  Codes.notGroupByExpression,
);
refuses('refuses nested aggregates', 'SELECT avg(max(voltage)) FROM d1', Codes.nestedAggregate);
refuses('refuses an aggregate as a key', 'SELECT 1 FROM d1 GROUP BY max(voltage)', Codes.functionMixed);
