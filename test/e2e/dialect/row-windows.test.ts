import test from 'ava';
import { sharedService } from '../../support/service/shared-service.js';
import { statements } from '../../support/sql/statement-cases.js';
import { at, cases, writeWindowData } from '../../support/sql/window-data.js';

const { service, end } = await sharedService();
test.after.always(end);
test.before(() => writeWindowData(service));

statements('SESSION ends where the next row is more than the gap away', service, 'w', [
  ...cases('SELECT _wstart, _wend, _wduration, count(*), sum(v) FROM r', [
    [
      'SESSION(ts, 5s)',
      [
        [at(1), at(10), 9000, 3, 17],
        [at(16), at(20), 4000, 2, 36],
        [at(26), at(30), 4000, 2, 56],
        [at(36), at(36), 0, 1, 36],
      ],
    ],
    ['SESSION(ts, 6s)', [[at(1), at(36), 35_000, 8, 145]]],
    [
      'SESSION(ts, 4999a) LIMIT 2',
      [
        [at(1), at(1), 0, 1, 1],
        [at(6), at(10), 4000, 2, 16],
      ],
    ],
    ["SESSION(ts, '5s') ORDER BY _wstart DESC LIMIT 1", [[at(36), at(36), 0, 1, 36]]],
    [
      'WHERE v <> 6 AND v < 30 SESSION(_c0, 5000)',
      [
        [at(1), at(1), 0, 1, 1],
        [at(10), at(10), 0, 1, 10],
        [at(16), at(20), 4000, 2, 36],
        [at(26), at(26), 0, 1, 26],
      ],
    ],
    [
      'SESSION(ts, 5s) HAVING count(*) = 2',
      [
        [at(16), at(20), 4000, 2, 36],
        [at(26), at(30), 4000, 2, 56],
      ],
    ],
    ['WHERE v > 100 SESSION(ts, 5s)', []],
    ['SESSION(v, 5s)', 0x262c],
    ['SESSION(ts, 0s)', 0x262b],
    ['SESSION(ts, -1s)', 0x262b],
    ['SESSION(ts, 1n)', 0x262b],
    ['SESSION(ts, 1y)', 0x262b],
    ['SESSION(ts, 5s) GROUP BY v', 0x2624],
    ['SESSION(ts, 5s) SLIDING(1s)', 0x2600],
  ]),
  {
    sql: 'SELECT _wstart, _wend, count(*), count(v), first(v), last(v) FROM st SESSION(ts, 5s)',
    rows: [
      [at(0), at(12), 7, 6, 1, 20],
      [at(40), at(41), 2, 2, 4, 30],
      [at(50), at(50), 1, 1, 200, 200],
    ],
  },
  {
    sql: 'SELECT tbname, g, _wstart, count(*) FROM st PARTITION BY tbname SESSION(ts, 5s)',
    rows: [
      ['s1', 'x', at(0), 3],
      ['s1', 'x', at(40), 1],
      ['s2', 'x', at(2), 1],
      ['s2', 'x', at(12), 1],
      ['s2', 'x', at(41), 1],
      ['s3', 'y', at(7), 2],
      ['s3', 'y', at(50), 1],
    ],
  },
  {
    sql: 'SELECT g, _wstart, _wend, sum(v) FROM st PARTITION BY g SESSION(ts, 10s) LIMIT 1',
    rows: [
      ['x', at(0), at(12), 36],
      ['y', at(7), at(8), 100],
    ],
  },
  {
    sql: 'SELECT tbname, count(*) FROM s2 WHERE n = 2 SESSION(ts, 10s)',
    rows: [
      ['s2', 2],
      ['s2', 1],
    ],
  },
  { sql: 'SELECT max(v), k, tbname FROM st SESSION(ts, 5s) LIMIT 1', rows: [[100, 'hi', 's3']] },
  {
    sql: 'SELECT _wstart, sum(c) FROM (SELECT _wstart AS t, count(*) AS c FROM r INTERVAL(5s)) SESSION(t, 5s)',
    rows: [[at(0), 8]],
  },
  { sql: 'SELECT count(*) FROM (SELECT v FROM r) SESSION(ts, 5s)', error: 0x2650 },
  { sql: 'SELECT _wstart FROM r SESSION(ts, 5s)', rows: [[at(1)], [at(16)], [at(26)], [at(36)]] },
  { sql: 'SELECT tbname, count(*) FROM st SESSION(ts, 5s)', error: 0x260c },
]);

statements('STATE_WINDOW takes runs of rows of one state', service, 'w', [
  ...cases('SELECT _wstart, _wend, count(*), sum(n) FROM states', [
    // The NULL at 4 s lies between two states and belongs to none.
    [
      'STATE_WINDOW(s)',
      [
        [at(0), at(3), 4, 6],
        [at(5), at(6), 2, 11],
        [at(7), at(8), 2, 15],
      ],
    ],
    [
      'STATE_WINDOW(s, 0)',
      [
        [at(0), at(3), 4, 6],
        [at(5), at(6), 2, 11],
        [at(7), at(8), 2, 15],
      ],
    ],
    ['STATE_WINDOW(s) TRUE_FOR(2s)', [[at(0), at(3), 4, 6]]],
    [
      'WHERE s IS NOT NULL STATE_WINDOW(s)',
      [
        [at(1), at(3), 2, 4],
        [at(5), at(6), 2, 11],
        [at(7), at(7), 1, 7],
      ],
    ],
    ['WHERE s IS NULL STATE_WINDOW(s)', []],
    [
      'STATE_WINDOW(on_)',
      [
        [at(0), at(0), 1, 0],
        [at(1), at(1), 1, 1],
        [at(2), at(3), 2, 5],
        [at(4), at(5), 2, 9],
        [at(6), at(6), 1, 6],
        [at(8), at(8), 1, 8],
      ],
    ],
    [
      'STATE_WINDOW(CASE WHEN n < 3 THEN 1 WHEN n < 6 THEN 2 ELSE 1 END)',
      [
        [at(0), at(2), 3, 3],
        [at(3), at(5), 3, 12],
        [at(6), at(8), 3, 21],
      ],
    ],
    [
      "STATE_WINDOW(CASE WHEN s = 2 THEN 'two' ELSE 'other' END) LIMIT 2",
      [
        [at(0), at(4), 5, 10],
        [at(5), at(6), 2, 11],
      ],
    ],
    [
      'STATE_WINDOW(s) HAVING sum(n) > 6 ORDER BY sum(n) DESC',
      [
        [at(7), at(8), 2, 15],
        [at(5), at(6), 2, 11],
      ],
    ],
    ['STATE_WINDOW(s, 0, 1)', [[at(5), at(6), 2, 11]]],
    ['STATE_WINDOW(s) TRUE_FOR(COUNT 3)', [[at(0), at(3), 4, 6]]],
    ['STATE_WINDOW(s, 0, n)', 0x2605],
    ['STATE_WINDOW(d)', 0x2628],
    ['STATE_WINDOW(ts)', 0x2628],
    ['STATE_WINDOW(n / 2)', 0x2628],
    ['STATE_WINDOW(tbname)', 0x2629],
    [
      'STATE_WINDOW(s, 1)',
      [
        [at(0), at(4.999), 5, 10],
        [at(5), at(6.999), 2, 11],
        [at(7), at(8), 2, 15],
      ],
    ],
    [
      'STATE_WINDOW(s, 2)',
      [
        [at(0), at(3), 4, 6],
        [at(3.001), at(6), 3, 15],
        [at(6.001), at(8), 2, 15],
      ],
    ],
    ['STATE_WINDOW(s, 1) TRUE_FOR(4999a)', [[at(0), at(4.999), 5, 10]]],
    ['STATE_WINDOW(s, 2, 2) TRUE_FOR(COUNT 3)', [[at(0), at(3), 4, 6]]],
    ['STATE_WINDOW(s) TRUE_FOR(1s AND COUNT 3)', [[at(0), at(3), 4, 6]]],
    [
      'STATE_WINDOW(s, 2) TRUE_FOR(2999a OR COUNT 4)',
      [
        [at(0), at(3), 4, 6],
        [at(3.001), at(6), 3, 15],
      ],
    ],
    ['STATE_WINDOW(s, 3)', 0x2803],
    ['STATE_WINDOW(s, -1)', 0x2803],
    ['STATE_WINDOW(s) EXTEND(3)', 0x2803],
    ['STATE_WINDOW(s) ZEROTH_STATE(1, 2)', 0x2600],
    ['STATE_WINDOW(s, d)', 0x2628],
    ['STATE_WINDOW(s) EXTEND(2) ZEROTH_STATE(2) TRUE_FOR(COUNT 3)', [[at(0), at(3), 4, 6]]],
    ['STATE_WINDOW(sum(n))', 0x264f],
    ['STATE_WINDOW(missing)', 0x2602],
  ]),
  {
    sql: 'SELECT tbname, k, _wstart, count(*) FROM st PARTITION BY tbname, k STATE_WINDOW(k)',
    rows: [
      ['s1', 'lo', at(0), 4],
      ['s2', 'hi', at(2), 3],
      ['s3', 'hi', at(7), 2],
    ],
  },
  {
    // In time: lo 0, hi 2, lo 5, hi 7, NULL 8, lo 10, hi 12, lo 40, hi 41, hi 50.
    sql: 'SELECT _wstart, count(*), last(k) FROM st STATE_WINDOW(k)',
    rows: [
      [at(0), 1, 'lo'],
      [at(2), 1, 'hi'],
      [at(5), 1, 'lo'],
      [at(7), 1, 'hi'],
      [at(10), 1, 'lo'],
      [at(12), 1, 'hi'],
      [at(40), 1, 'lo'],
      [at(41), 2, 'hi'],
    ],
  },
  { sql: 'SELECT k, count(*) FROM s1 PARTITION BY k STATE_WINDOW(k)', rows: [['lo', 4]] },
  {
    sql: 'SELECT count(*), first(ts), s FROM states STATE_WINDOW(s)',
    rows: [
      [4, at(0), 1],
      [2, at(5), 2],
      [2, at(7), 1],
    ],
    meta: [
      ['count(*)', 'BIGINT', 8],
      ['first(ts)', 'TIMESTAMP', 8],
      ['s', 'INT', 4],
    ],
  },
  {
    sql: 'SELECT * FROM (SELECT count(*) AS cnt, first(ts) AS fst, s FROM states STATE_WINDOW(s)) t WHERE s = 2',
    rows: [[2, at(5), 2]],
  },
  {
    sql: "SELECT _wstart, CASE WHEN n < 3 THEN 'low' ELSE 'high' END AS level FROM states STATE_WINDOW(CASE WHEN n < 3 THEN 'low' ELSE 'high' END)",
    rows: [
      [at(0), 'low'],
      [at(3), 'high'],
    ],
  },
  { sql: 'SELECT s, sum(n) FROM states STATE_WINDOW(s) HAVING s = 1 ORDER BY sum(n) DESC LIMIT 1', rows: [[1, 15]] },
  {
    sql: 'SELECT tbname, k, count(*) FROM st PARTITION BY tbname STATE_WINDOW(k)',
    rows: [
      ['s1', 'lo', 4],
      ['s2', 'hi', 3],
      ['s3', 'hi', 3],
    ],
  },
  ...cases('SELECT _wstart, count(*), s, n < 3 AS low FROM states', [
    [
      'STATE_WINDOW(s, n < 3)',
      [
        [at(0), 2, 1, true],
        [at(3), 1, 1, false],
        [at(5), 2, 2, false],
        [at(7), 2, 1, false],
      ],
    ],
    [
      'STATE_WINDOW(s, n < 3) EXTEND(1) ZEROTH_STATE(1, FALSE)',
      [
        [at(0), 3, 1, true],
        [at(5), 2, 2, false],
      ],
    ],
    ['STATE_WINDOW(s, n < 3) ZEROTH_STATE(1, NO_ZEROTH)', [[at(5), 2, 2, false]]],
  ]),
  { sql: 'SELECT d, count(*) FROM states STATE_WINDOW(s)', error: 0x260c },
  { sql: 'SELECT count(*) FROM st STATE_WINDOW(g)', error: 0x2629 },
  { sql: 'SELECT count(*) FROM s1 STATE_WINDOW(n)', error: 0x2629 },
  {
    sql: 'SELECT _wstart, count(*) FROM (SELECT ts, v % 4 = 0 AS even FROM r) STATE_WINDOW(even)',
    rows: [
      [at(1), 3],
      [at(16), 2],
      [at(26), 2],
      [at(36), 1],
    ],
  },
]);
