import test from 'ava';
import { metersFixture, start } from '../../../support/sql/meters.js';

const fixture = metersFixture();
test.after.always(() => fixture.close());

/** One test per case: the number of SELECTs of the engine that a query becomes, and its rows. */
function becomes(title: string, sql: string, selects: number, lines: readonly string[], rowLimit = -1): void {
  test(title, (t) => {
    t.is(fixture.plan(sql, { rowLimit }).sql.match(/\bSELECT\b/g)?.length, selects);
    t.deepEqual(fixture.rows(sql, { rowLimit }), [...lines]);
  });
}

becomes('an aggregate of one table is one SELECT', 'SELECT max(voltage), avg(voltage) + 1 AS a FROM d1', 1, [
  '[250,226]',
]);
becomes(
  'an aggregate of one table over no rows is one SELECT and no row',
  `SELECT max(voltage), 'x' FROM d1 WHERE ts < ${start}`,
  1,
  [],
);
becomes('a count over no rows is one SELECT and a row', `SELECT count(*) FROM d1 WHERE ts < ${start}`, 1, ['[0]']);
becomes('a literal beside an aggregate is not taken for a column', "SELECT 's2.a1', max(voltage) FROM d1", 1, [
  '["s2.a1",250]',
]);
becomes(
  'conditions on groups and their order are part of the one SELECT',
  `SELECT voltage AS v, count(*) AS c FROM d1 WHERE ts < ${start + 30_000} GROUP BY voltage HAVING count(*) > 0
    ORDER BY c DESC, v DESC LIMIT 2`,
  1,
  ['[220,1]', '[210,1]'],
);
becomes('the order of an aggregate that is not shown', 'SELECT 7 FROM d1 ORDER BY max(voltage)', 1, ['[7]']);
becomes('windows of one table are one SELECT', `SELECT _wstart, _wend, count(*) FROM d1 INTERVAL(30s)`, 1, [
  '["2023-11-14T22:13:00.000Z","2023-11-14T22:13:30.000Z",1]',
  '["2023-11-14T22:13:30.000Z","2023-11-14T22:14:00.000Z",3]',
  '["2023-11-14T22:14:00.000Z","2023-11-14T22:14:30.000Z",2]',
]);
becomes('rows of a table are one SELECT', 'SELECT * FROM d1 LIMIT 1', 1, [
  '["2023-11-14T22:13:20.000Z",10.3,200,0,null]',
]);
becomes(
  'rows sorted by what prints in another form are one SELECT',
  'SELECT ts, voltage + 1 AS v FROM d1 ORDER BY v DESC, ts LIMIT 1',
  1,
  ['["2023-11-14T22:14:10.000Z",251]'],
);
becomes('the most rows of a request limit the one SELECT', 'SELECT voltage FROM d1 LIMIT 3 OFFSET 1', 1, ['[210]'], 1);
becomes('a smaller limit stays with more rows allowed', 'SELECT voltage FROM d1 LIMIT 1', 1, ['[200]'], 5);
becomes('a group that picks a row repeats what picks it', 'SELECT max(voltage), note, ts FROM d1', 1, [
  '[250,"n5","2023-11-14T22:14:10.000Z"]',
]);
becomes(
  'windows and those that FILL adds are two SELECTs',
  `SELECT _wstart, max(voltage) + 1 AS v FROM d1 WHERE ts >= ${start} AND ts < ${start + 30_000} INTERVAL(10s) FILL(NULL) ORDER BY v DESC LIMIT 1`,
  2,
  ['["2023-11-14T22:13:40.000Z",221]'],
);
const twoWindows = `WHERE ts >= ${start} AND ts < ${start + 30_000} INTERVAL(10s)`;
becomes(
  'windows of one series that FILL adds are two SELECTs',
  `SELECT _wstart, max(voltage), last(phase), count(*) FROM d1 ${twoWindows} FILL(PREV) ORDER BY _wstart DESC LIMIT 2`,
  2,
  ['["2023-11-14T22:13:40.000Z",220,0.5,1]', '["2023-11-14T22:13:30.000Z",210,0.25,1]'],
);
becomes(
  'windows that FILL adds are none where none has rows, and all where one has',
  `SELECT max(voltage), count(*) FROM d1 WHERE ts > ${start + 1} AND ts < ${start + 9_000} INTERVAL(1s) FILL(NEXT)`,
  2,
  [],
);
for (const [mode, lines] of [
  ['NULL', ['[null,null]', '[200,1]', '[null,null]']],
  ['NEXT', ['[200,1]', '[200,1]', '[null,null]']],
] as const) {
  becomes(
    `windows around one with rows that are filled with ${mode} are two SELECTs`,
    `SELECT sum(voltage), count(*) FROM d1 WHERE ts >= ${start - 5_000} AND ts < ${start + 10_000} INTERVAL(5s) FILL(${mode})`,
    2,
    lines,
  );
}
becomes(
  'windows with FILL are all there before OVER and HAVING look at them',
  `SELECT sum(max(voltage)) OVER () AS s, max(voltage) FROM d1 WHERE ts >= ${start} AND ts < ${start + 30_000} INTERVAL(10s) FILL(VALUE, 3) HAVING max(voltage) <= 219`,
  3,
  ['[410,200]', '[410,210]'],
);
