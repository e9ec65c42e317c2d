import test from 'ava';
import { sharedService } from '../../support/service/shared-service.js';
import { statements } from '../../support/sql/statement-cases.js';

const { service, end } = await sharedService();
test.after.always(end);

/** 2023-11-14T22:13:20Z. */
const base = 1_700_000_000_000;

/** Time of so many seconds after {@link base}, as results show it. */
function at(seconds: number): string {
  return new Date(base + seconds * 1000).toISOString();
}

/** Ticks of so many seconds after {@link base}. */
function tick(seconds: number): number {
  return base + seconds * 1000;
}

/** `RANGE(from, to) EVERY(every) FILL(fill)` in seconds after {@link base}. */
function every(from: number, to: number, step: string, fill: string): string {
  return `RANGE(${tick(from)}, ${tick(to)}) EVERY(${step}) FILL(${fill})`;
}

/**
 * `p`: i 10, NULL, 40, 47 and f 1.5, 2.5, 4, 5 and s a, NULL, c, d and b true, false, NULL, true at 10, 20, 40 and 47 s.
 * `st` with t1 (north): v 1, 3 at 0 and 20 s; t2 (south): v 10, 20 at 5 and 15 s; t3 (south) without rows.
 */
test.before(async () => {
  await service.run('CREATE DATABASE n');
  await service.run('CREATE TABLE n.p (ts TIMESTAMP, i INT, f FLOAT, s VARCHAR(8), b BOOL)');
  await service.run(
    `INSERT INTO n.p VALUES (${tick(10)}, 10, 1.5, 'a', true) (${tick(20)}, NULL, 2.5, NULL, false) (${tick(40)}, 40, 4, 'c', NULL) (${tick(47)}, 47, 5, 'd', true)`,
  );
  await service.run('CREATE STABLE n.st (ts TIMESTAMP, v INT) TAGS (g VARCHAR(8))');
  await service.run(
    `INSERT INTO n.t1 USING n.st TAGS ('north') VALUES (${tick(0)}, 1) (${tick(20)}, 3) n.t2 USING n.st TAGS ('south') VALUES (${tick(5)}, 10) (${tick(15)}, 20)`,
  );
  await service.run("CREATE TABLE n.t3 USING n.st TAGS ('south')");
  await service.run('CREATE STABLE n.same (ts TIMESTAMP, v INT) TAGS (g INT)');
  await service.run(
    `INSERT INTO n.s1 USING n.same TAGS (1) VALUES (${tick(0)}, 1) n.s2 USING n.same TAGS (1) VALUES (${tick(0)}, 2)`,
  );
  await service.run("CREATE DATABASE ns PRECISION 'ns'");
  await service.run('CREATE TABLE ns.p (ts TIMESTAMP, v BIGINT)');
  await service.run(`INSERT INTO ns.p VALUES (1700000000000000000, 0) (1700000000000000010, 100)`);
});

const points = 'SELECT _irowts, interp(f), _isfilled FROM p';

statements('points between rows are filled by the mode', service, 'n', [
  {
    sql: `${points} ${every(10, 50, '10s', 'NONE')}`,
    rows: [
      [at(10), 1.5, false],
      [at(20), 2.5, false],
      [at(40), 4, false],
    ],
    meta: [
      ['_irowts', 'TIMESTAMP', 8],
      ['interp(f)', 'FLOAT', 4],
      ['_isfilled', 'BOOL', 1],
    ],
  },
  {
    sql: `SELECT _irowts, interp(f) FROM p RANGE(${tick(15)}, ${tick(45)}) EVERY(5s)`,
    rows: [
      [at(20), 2.5],
      [at(40), 4],
    ],
  },
  {
    sql: `${points} ${every(0, 50, '10s', 'NULL')}`,
    rows: [
      [at(0), null, true],
      [at(10), 1.5, false],
      [at(20), 2.5, false],
      [at(30), null, true],
      [at(40), 4, false],
      [at(50), null, true],
    ],
  },
  {
    sql: `${points} ${every(0, 50, '25s', 'VALUE, 7')}`,
    rows: [
      [at(0), 7, true],
      [at(25), 7, true],
      [at(50), 7, true],
    ],
  },
  {
    sql: `${points} ${every(0, 50, '10s', 'PREV')}`,
    rows: [
      [at(10), 1.5, false],
      [at(20), 2.5, false],
      [at(30), 2.5, true],
      [at(40), 4, false],
      [at(50), 5, true],
    ],
  },
  {
    sql: `${points} ${every(0, 50, '10s', 'NEXT')}`,
    rows: [
      [at(0), 1.5, true],
      [at(10), 1.5, false],
      [at(20), 2.5, false],
      [at(30), 4, true],
      [at(40), 4, false],
    ],
  },
  {
    sql: `${points} ${every(0, 50, '10s', 'LINEAR')}`,
    rows: [
      [at(10), 1.5, false],
      [at(20), 2.5, false],
      [at(30), 3.25, true],
      [at(40), 4, false],
    ],
  },
  {
    // 15 and 30 lie in the middle of two rows, of which the earlier one counts.
    sql: `SELECT _irowts, interp(f) FROM p ${every(0, 60, '15s', 'NEAR')}`,
    rows: [
      [at(0), 1.5],
      [at(15), 1.5],
      [at(30), 2.5],
      [at(45), 5],
      [at(60), 5],
    ],
  },
]);

statements('rows outside of the range are neighbours as long as WHERE lets them pass', service, 'n', [
  {
    sql: `SELECT _irowts, interp(f) FROM p ${every(25, 35, '5s', 'LINEAR')}`,
    rows: [
      [at(25), 2.875],
      [at(30), 3.25],
      [at(35), 3.625],
    ],
  },
  { sql: `SELECT interp(f) FROM p WHERE ts < ${tick(40)} ${every(25, 35, '5s', 'LINEAR')}`, rows: [] },
  {
    sql: `SELECT _irowts, interp(f) FROM p WHERE f <> 2.5 ${every(20, 30, '10s', 'LINEAR')}`,
    rows: [
      [at(20), 1.5 + 2.5 / 3],
      [at(30), 1.5 + (2.5 * 2) / 3],
    ].map(([time, value]) => [time, Number(Math.fround(Number(value)).toPrecision(8))]),
  },
  { sql: `SELECT interp(f) FROM p WHERE ts > ${tick(100)} ${every(0, 50, '10s', 'NULL')}`, rows: [] },
  {
    sql: `SELECT interp(f) FROM p WHERE ts > ${tick(100)} ${every(0, 20, '10s', 'VALUE_F, 3')}`,
    rows: [[3], [3], [3]],
  },
  { sql: `SELECT interp(f) FROM p WHERE ts > ${tick(100)} ${every(0, 10, '10s', 'NULL_F')}`, rows: [[null], [null]] },
]);

statements('a range may be one point, a text, or computed', service, 'n', [
  { sql: `SELECT _irowts, interp(i) FROM p RANGE(${tick(45)}) FILL(PREV)`, rows: [[at(45), 40]] },
  { sql: `SELECT _irowts, interp(i) FROM p RANGE(${tick(45)}) FILL(LINEAR)`, rows: [[at(45), 45]] },
  { sql: `SELECT interp(i) FROM p RANGE(${tick(45)})`, rows: [] },
  { sql: `SELECT interp(i) FROM p RANGE(${tick(47)})`, rows: [[47]] },
  { sql: `SELECT interp(f) FROM p RANGE('${at(30)}') FILL(LINEAR)`, rows: [[3.25]] },
  { sql: `SELECT interp(f) FROM p RANGE('${at(30)}', '${at(30)}') EVERY(1d) FILL(LINEAR)`, rows: [[3.25]] },
  { sql: `SELECT interp(f) FROM p RANGE(CAST(${tick(20)} AS TIMESTAMP) + 10s) FILL(LINEAR)`, rows: [[3.25]] },
  { sql: 'SELECT interp(f) FROM p RANGE(NOW - 1s, NOW) EVERY(1s) FILL(PREV)', rows: [[5], [5]] },
  {
    sql: 'SELECT _irowts, interp(v) FROM ns.p RANGE(1700000000000000003, 1700000000000000012) EVERY(3b) FILL(LINEAR)',
    rows: [
      ['2023-11-14T22:13:20.000000003Z', 30],
      ['2023-11-14T22:13:20.000000006Z', 60],
      ['2023-11-14T22:13:20.000000009Z', 90],
    ],
  },
]);

statements('NULL is a value or as good as missing', service, 'n', [
  {
    sql: `SELECT _irowts, interp(i), _isfilled FROM p ${every(10, 40, '10s', 'PREV')}`,
    rows: [
      [at(10), 10, false],
      [at(20), null, false],
      [at(30), null, true],
      [at(40), 40, false],
    ],
  },
  {
    sql: `SELECT _irowts, interp(i, 1), _isfilled FROM p ${every(10, 40, '10s', 'PREV')}`,
    rows: [
      [at(10), 10, false],
      [at(20), 10, true],
      [at(30), 10, true],
      [at(40), 40, false],
    ],
  },
  {
    sql: `SELECT _irowts, interp(i, 1) FROM p ${every(10, 40, '10s', 'LINEAR')}`,
    rows: [
      [at(10), 10],
      [at(20), 20],
      [at(30), 30],
      [at(40), 40],
    ],
  },
  { sql: `SELECT interp(i, 0) FROM p ${every(30, 30, '10s', 'LINEAR')}`, rows: [[null]] },
  { sql: `SELECT interp(i, 1) FROM p ${every(10, 40, '10s', 'NONE')}`, rows: [[10], [40]] },
  // What integers have behind the point is cut off: here 1.5.
  { sql: `SELECT interp(v) FROM st WHERE tbname = 't1' RANGE(${tick(5)}) FILL(LINEAR)`, rows: [[1]] },
]);

statements('every type can be filled, only numbers along a line', service, 'n', [
  {
    sql: `SELECT interp(s), interp(b), interp(i) FROM p ${every(5, 45, '20s', 'NEXT')}`,
    rows: [
      ['a', true, 10],
      ['c', null, 40],
      ['d', true, 47],
    ],
  },
  {
    sql: `SELECT interp(s), interp(b), interp(i) FROM p ${every(30, 30, '20s', "VALUE, 'zz', 1, 2.9")}`,
    rows: [['zz', true, 2]],
  },
  { sql: `SELECT interp(s) FROM p ${every(30, 30, '20s', 'LINEAR')}`, error: 0x2802 },
  { sql: `SELECT interp(b) FROM p ${every(30, 30, '20s', 'LINEAR')}`, error: 0x2802 },
  {
    sql: `SELECT interp(f) * 2 + 1 AS d, abs(interp(i)), 'x' FROM p ${every(40, 40, '20s', 'LINEAR')}`,
    rows: [[9, 40, 'x']],
  },
  { sql: `SELECT interp(f + i) FROM p ${every(45, 45, '20s', 'PREV')}`, rows: [[44]] },
  {
    sql: `SELECT _irowts, _irowts_origin, interp(f) FROM p ${every(30, 50, '10s', 'PREV')}`,
    rows: [
      [at(30), at(20), 2.5],
      [at(40), at(40), 4],
      [at(50), at(47), 5],
    ],
  },
  {
    sql: `SELECT _irowts, interp(*) FROM p ${every(40, 50, '10s', 'PREV')}`,
    rows: [
      [at(40), 40, 4, 'c', null],
      [at(50), 47, 5, 'd', true],
    ],
    meta: [
      ['_irowts', 'TIMESTAMP', 8],
      ['interp(i)', 'INT', 4],
      ['interp(f)', 'FLOAT', 4],
      ['interp(s)', 'VARCHAR', 8],
      ['interp(b)', 'BOOL', 1],
    ],
  },
  { sql: `SELECT interp(*) FROM p ${every(10, 40, '10s', 'LINEAR')}`, error: 0x2802 },
]);

statements('slices have points of their own', service, 'n', [
  {
    sql: `SELECT tbname, g, _irowts, interp(v) FROM st PARTITION BY tbname ${every(0, 20, '10s', 'LINEAR')}`,
    rows: [
      ['t1', 'north', at(0), 1],
      ['t1', 'north', at(10), 2],
      ['t1', 'north', at(20), 3],
      ['t2', 'south', at(10), 15],
    ],
  },
  {
    sql: `SELECT g, _irowts, interp(v) FROM st PARTITION BY g ${every(0, 20, '10s', 'NULL')} ORDER BY g DESC, _irowts DESC`,
    rows: [
      ['south', at(20), null],
      ['south', at(10), null],
      ['south', at(0), null],
      ['north', at(20), 3],
      ['north', at(10), null],
      ['north', at(0), 1],
    ],
  },
  {
    sql: `SELECT tbname, _irowts, interp(v) FROM st PARTITION BY tbname ${every(0, 20, '5s', 'PREV')} LIMIT 2`,
    rows: [
      ['t1', at(0), 1],
      ['t1', at(5), 1],
      ['t2', at(5), 10],
      ['t2', at(10), 10],
    ],
  },
  {
    sql: `SELECT tbname, interp(v) FROM st PARTITION BY tbname ${every(10, 10, '5s', 'PREV')} SLIMIT 1 SOFFSET 1`,
    rows: [['t2', 10]],
  },
  {
    sql: `SELECT _irowts, interp(v) FROM st ${every(0, 20, '5s', 'PREV')}`,
    rows: [
      [at(0), 1],
      [at(5), 10],
      [at(10), 10],
      [at(15), 20],
      [at(20), 3],
    ],
  },
  {
    sql: `SELECT _irowts, interp(v), tbname, g FROM t2 RANGE(${tick(10)}) FILL(LINEAR)`,
    rows: [[at(10), 15, 't2', 'south']],
  },
  {
    sql: `SELECT tbname, interp(v) FROM same PARTITION BY tbname RANGE(${tick(1)}) FILL(PREV)`,
    rows: [
      ['s1', 1],
      ['s2', 2],
    ],
  },
  { sql: `SELECT interp(v) FROM same RANGE(${tick(0)})`, error: 0x2805 },
  { sql: `SELECT interp(v) FROM same PARTITION BY g RANGE(${tick(0)})`, error: 0x2805 },
]);

statements('subqueries give rows and take points', service, 'n', [
  {
    sql: `SELECT _irowts, interp(c) FROM (SELECT _wstart, sum(v) AS c FROM st INTERVAL(10s)) ${every(0, 20, '5s', 'LINEAR')}`,
    rows: [
      [at(0), 11],
      [at(5), 15],
      [at(10), 20],
      [at(15), 11],
      [at(20), 3],
    ],
  },
  {
    sql: `SELECT sum(x), count(*) FROM (SELECT interp(f) AS x FROM p ${every(10, 40, '10s', 'LINEAR')})`,
    rows: [[11.25, 4]],
  },
]);

statements('clauses that do not fit are refused', service, 'n', [
  { sql: `SELECT interp(f) FROM p`, error: 0x265d },
  { sql: `SELECT interp(f) FROM p EVERY(1s)`, error: 0x265d },
  { sql: `SELECT interp(f) FROM p RANGE(${tick(0)}, ${tick(10)})`, error: 0x265d },
  { sql: `SELECT f FROM p RANGE(${tick(0)})`, error: 0x265d },
  { sql: `SELECT interp(f) FROM p ${every(10, 0, '1s', 'NULL')}`, error: 0x265d },
  { sql: `SELECT interp(f) FROM p ${every(0, 10, '1n', 'NULL')}`, error: 0x265d },
  { sql: `SELECT interp(f) FROM p ${every(0, 10, '0s', 'NULL')}`, error: 0x265d },
  { sql: `SELECT interp(f) FROM p RANGE(0, ${tick(0)}) EVERY(1a)`, error: 0x263b },
  { sql: `SELECT interp(f) FROM p RANGE('soon') FILL(NULL)`, error: 0x2635 },
  { sql: `SELECT interp(f), count(*) FROM p RANGE(${tick(0)})`, error: 0x2667 },
  { sql: `SELECT f, interp(f) FROM p RANGE(${tick(0)})`, error: 0x2667 },
  { sql: `SELECT interp(f) FROM p RANGE(${tick(0)}) INTERVAL(1s)`, error: 0x2659 },
  { sql: `SELECT interp(f) FROM p RANGE(${tick(0)}) GROUP BY s`, error: 0x265b },
  { sql: `SELECT interp(ts) FROM p RANGE(${tick(0)})`, error: 0x2802 },
  { sql: `SELECT interp(f, 2) FROM p RANGE(${tick(0)})`, error: 0x2803 },
  { sql: `SELECT interp() FROM p RANGE(${tick(0)})`, error: 0x2801 },
  { sql: `SELECT interp(f), _irowts_origin FROM p RANGE(${tick(0)}) FILL(LINEAR)`, error: 0x265d },
  { sql: `SELECT _irowts FROM p`, error: 0x265d },
  { sql: `SELECT f FROM p WHERE interp(f) > 1`, error: 0x264f },
  { sql: `SELECT count(*) FROM p GROUP BY interp(f)`, error: 0x264f },
  { sql: `SELECT max(interp(f)) FROM p RANGE(${tick(0)})`, error: 0x2667 },
  { sql: `SELECT interp(f) FROM p INTERVAL(1s)`, error: 0x2659 },
  { sql: `SELECT interp(v) FROM (SELECT v FROM st) RANGE(${tick(0)})`, error: 0x2647 },
  { sql: `SELECT interp(f), interp(i, 1) FROM p RANGE(${tick(0)})`, error: 0x0100 },
]);
