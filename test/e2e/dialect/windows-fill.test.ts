import test from 'ava';
import { sharedService } from '../../support/service/shared-service.js';
import { statements } from '../../support/sql/statement-cases.js';
import { at, between, cases, tick, writeWindowData } from '../../support/sql/window-data.js';

const { service, end } = await sharedService();
test.after.always(end);
test.before(() => writeWindowData(service));
const filled = `SELECT _wstart, sum(v) FROM gaps ${between(0, 60)} INTERVAL(10s)`;
const grid = (values: readonly unknown[]): unknown[][] => values.map((value, i) => [at(i * 10), value]);

statements('missing windows are filled by the mode', service, 'w', [
  ...cases(filled, [
    [
      'FILL(NONE)',
      [
        [at(10), 10],
        [at(20), null],
        [at(40), 40],
      ],
    ],
    ['FILL(NULL)', grid([null, 10, null, null, 40, null])],
    ['FILL(NULL_F)', grid([null, 10, null, null, 40, null])],
    ['FILL(VALUE, 7)', grid([7, 10, 7, 7, 40, 7])],
    ['FILL(VALUE_F, -7)', grid([-7, 10, -7, -7, 40, -7])],
    ['FILL(VALUE, NULL)', grid([null, 10, null, null, 40, null])],
    ['FILL(PREV)', grid([null, 10, 10, 10, 40, 40])],
    ['FILL(NEXT)', grid([10, 10, 40, 40, 40, null])],
    ['FILL(LINEAR)', grid([null, 10, null, 30, 40, null])],
    ['FILL(PREV) SURROUND(10s, 9)', grid([9, 10, 10, 9, 40, 40])],
    ['FILL(NEXT) SURROUND(10s)', grid([10, 10, null, 40, 40, null])],
    ['FILL(PREV) ORDER BY _wstart DESC LIMIT 3', grid([null, 10, 10, 10, 40, 40]).reverse().slice(0, 3)],
    ['FILL(NEXT) LIMIT 2 OFFSET 1', grid([10, 10, 40]).slice(1)],
  ]),
  {
    sql: `SELECT first(w), last(s), last(b), count(*), _wduration FROM gaps ${between(10, 40)} INTERVAL(10s) FILL(VALUE, 1.5, 'xyz', 0, 9)`,
    rows: [
      [1, 'a', true, 1, 10_000],
      [2, 'xyz', false, 1, 10_000],
      [1.5, 'xyz', false, 9, 10_000],
    ],
  },
  {
    sql: `SELECT last(s), last(b), avg(w) FROM gaps ${between(0, 50)} INTERVAL(10s) FILL(LINEAR)`,
    rows: [
      [null, null, null],
      ['a', true, 1],
      [null, null, 2],
      [null, null, null],
      ['b', false, null],
    ],
  },
  {
    sql: `SELECT _wstart, count(*) + 1 FROM gaps ${between(0, 30)} INTERVAL(10s) FILL(NULL)`,
    rows: grid([null, 2, 2]),
  },
  {
    // A window that begins before the range but reaches into it belongs to the grid.
    sql: `SELECT _wstart, count(*) FROM gaps ${between(0, 60)} INTERVAL(20s) SLIDING(10s) FILL(VALUE, 0)`,
    rows: [0, 1, 2, 1, 1, 1, 0].map((count, i) => [at(i * 10 - 10), count]),
  },
  {
    sql: `SELECT _wstart, count(*) FROM gaps WHERE ts BETWEEN ${tick(3)} AND ${tick(30)} INTERVAL(10s) FILL(VALUE, 0)`,
    rows: grid([0, 1, 1, 0]),
  },
  { sql: `SELECT count(*) FROM gaps WHERE ts = ${tick(20)} INTERVAL(10s) FILL(VALUE, 0)`, rows: [[1]] },
  { sql: `SELECT count(*) FROM gaps ${between(41, 60)} INTERVAL(10s) FILL(VALUE, 0)`, rows: [] },
  { sql: `SELECT count(*) FROM gaps ${between(50, 70)} INTERVAL(10s) FILL(VALUE_F, 0)`, rows: [[0], [0]] },
  { sql: `SELECT sum(v) FROM gaps ${between(50, 70)} INTERVAL(10s) FILL(NULL_F)`, rows: [[null], [null]] },
  {
    sql: "SELECT _wstart, avg(v) FROM cal WHERE ts >= '2024-02-01' AND ts < '2024-08-01' AND v <> 5 INTERVAL(2n) FILL(PREV)",
    rows: [
      ['2024-01-01T00:00:00.000Z', 3],
      ['2024-03-01T00:00:00.000Z', 4],
      ['2024-05-01T00:00:00.000Z', 4],
      ['2024-07-01T00:00:00.000Z', 4],
    ],
  },
  {
    // From March 1 (v 4.5) to January 1 (v 6) of the next year there are 306 days, 31 of them until April 1.
    sql: "SELECT _wstart, avg(v) FROM cal WHERE ts >= '2024-03-01' AND ts < '2025-02-01' INTERVAL(1n) FILL(LINEAR) LIMIT 2",
    rows: [
      ['2024-03-01T00:00:00.000Z', 4.5],
      ['2024-04-01T00:00:00.000Z', 4.5 + (1.5 * 31) / 306],
    ],
  },
]);

statements('every slice is filled by itself, and only where it has a window', service, 'w', [
  {
    sql: `SELECT tbname, g, _wstart, count(*) FROM st ${between(0, 30)} PARTITION BY tbname INTERVAL(10s) FILL(VALUE, 0)`,
    rows: [
      ['s1', 'x', at(0), 2],
      ['s1', 'x', at(10), 1],
      ['s1', 'x', at(20), 0],
      ['s2', 'x', at(0), 1],
      ['s2', 'x', at(10), 1],
      ['s2', 'x', at(20), 0],
      ['s3', 'y', at(0), 2],
      ['s3', 'y', at(10), 0],
      ['s3', 'y', at(20), 0],
    ],
  },
  {
    sql: `SELECT tbname, sum(v) FROM st ${between(10, 30)} PARTITION BY tbname INTERVAL(10s) FILL(PREV)`,
    rows: [
      ['s1', 3],
      ['s1', 3],
      ['s2', 20],
      ['s2', 20],
    ],
  },
  {
    sql: `SELECT g, sum(v) FROM st ${between(0, 60)} PARTITION BY g INTERVAL(20s) FILL(LINEAR) SLIMIT 1 SOFFSET 1`,
    rows: [
      ['y', 100],
      ['y', 150],
      ['y', 200],
    ],
  },
  {
    sql: `SELECT g, sum(v) FROM st ${between(0, 60)} PARTITION BY g INTERVAL(20s) FILL(NEXT) LIMIT 1 OFFSET 1`,
    rows: [
      ['x', 34],
      ['y', 200],
    ],
  },
]);

statements('HAVING looks at windows once they are filled', service, 'w', [
  ...cases(`SELECT _wstart, count(*) FROM st ${between(0, 60)} INTERVAL(10s)`, [
    [
      'FILL(VALUE, 0) HAVING count(*) > 1',
      [
        [at(0), 5],
        [at(10), 2],
        [at(40), 2],
      ],
    ],
    [
      'FILL(PREV) HAVING count(*) > 1',
      [
        [at(0), 5],
        [at(10), 2],
        [at(20), 2],
        [at(30), 2],
        [at(40), 2],
      ],
    ],
    [
      'FILL(VALUE, 7) HAVING count(*) > 5',
      [
        [at(20), 7],
        [at(30), 7],
      ],
    ],
    [
      `FILL(VALUE, 0) HAVING count(*) < 2 AND _wstart > ${tick(20)}`,
      [
        [at(30), 0],
        [at(50), 1],
      ],
    ],
    ['FILL(NULL) HAVING count(*) = 0', []],
  ]),
  {
    sql: `SELECT _wstart, g, max(v) FROM st ${between(0, 60)} PARTITION BY g INTERVAL(20s) FILL(VALUE, -1) HAVING g = 'y' AND max(v) < 150`,
    rows: [
      [at(0), 'y', 100],
      [at(20), 'y', -1],
    ],
  },
]);

test('FILL(LINEAR) of whole numbers leaves a slice without any value NULL', async (t) => {
  const database = 'linear';
  await service.run(`CREATE DATABASE ${database}`);
  await service.run('CREATE STABLE s (ts TIMESTAMP, w INT) TAGS (g INT)', { database });
  await service.run(
    `INSERT INTO a USING s TAGS (1) VALUES (${tick(0)}, 4) (${tick(20)}, 2) b USING s TAGS (2) VALUES (${tick(10)}, NULL)`,
    { database },
  );
  const filled = `SELECT g, last(w) FROM s ${between(0, 30)} PARTITION BY g INTERVAL(10s) FILL(LINEAR)`;
  t.deepEqual(await service.rows(`SELECT * FROM (${filled}) ORDER BY g`, { database }), [
    [1, 4],
    [1, 3],
    [1, 2],
    [2, null],
    [2, null],
    [2, null],
  ]);
});

statements('SURROUND is for modes that take neighbours, and a fixed duration', service, 'w', [
  { sql: `${filled} FILL(LINEAR) SURROUND(10s)`, error: 0x2600 },
  { sql: `${filled} FILL(PREV) SURROUND(1n)`, error: 0x265d },
  { sql: `${filled} FILL(PREV) SURROUND(10)`, error: 0x2600 },
]);
