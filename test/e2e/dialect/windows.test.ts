import test from 'ava';
import { sharedService } from '../../support/service/shared-service.js';
import { statements } from '../../support/sql/statement-cases.js';
import { at, between, cases, tick, writeWindowData } from '../../support/sql/window-data.js';

const { service, end } = await sharedService();
test.after.always(end);
test.before(() => writeWindowData(service));

statements(
  'INTERVAL cuts time into half-open windows on a grid',
  service,
  'w',
  cases('SELECT _wstart, count(*), sum(v) FROM r', [
    [
      'INTERVAL(10s)',
      [
        [at(0), 2, 7],
        [at(10), 2, 26],
        [at(20), 2, 46],
        [at(30), 2, 66],
      ],
    ],
    [
      "INTERVAL('20s')",
      [
        [at(0), 4, 33],
        [at(20), 4, 112],
      ],
    ],
    [
      'INTERVAL(20000)',
      [
        [at(0), 4, 33],
        [at(20), 4, 112],
      ],
    ],
    [
      'INTERVAL(1000a) LIMIT 2',
      [
        [at(1), 1, 1],
        [at(6), 1, 6],
      ],
    ],
    [
      'INTERVAL(10s, 2s)',
      [
        [at(-8), 1, 1],
        [at(2), 2, 16],
        [at(12), 2, 36],
        [at(22), 2, 56],
        [at(32), 1, 36],
      ],
    ],
    [
      'INTERVAL(10s, 2s) SLIDING(5s)',
      [
        [at(-8), 1, 1],
        [at(-3), 2, 7],
        [at(2), 2, 16],
        [at(7), 2, 26],
        [at(12), 2, 36],
        [at(17), 2, 46],
        [at(22), 2, 56],
        [at(27), 2, 66],
        [at(32), 1, 36],
      ],
    ],
    [
      `WHERE ts >= ${tick(6)} AND ts <= ${tick(20)} INTERVAL(10s)`,
      [
        [at(0), 1, 6],
        [at(10), 2, 26],
        [at(20), 1, 20],
      ],
    ],
    [
      `WHERE ts >= ${tick(6)} INTERVAL(20s, AUTO)`,
      [
        [at(6), 4, 52],
        [at(26), 3, 92],
      ],
    ],
    ['WHERE v > 100 INTERVAL(10s)', []],
    [
      'WHERE v % 20 = 10 INTERVAL(10s)',
      [
        [at(10), 1, 10],
        [at(30), 1, 30],
      ],
    ],
  ]),
);

statements('INTERVAL counts calendar days, weeks, months and years', service, 'w', [
  {
    sql: 'SELECT _wstart, _wend, _wduration, count(*) FROM cal WHERE v < 3 INTERVAL(1d)',
    rows: [
      ['2024-01-05T00:00:00.000Z', '2024-01-06T00:00:00.000Z', 86_400_000, 1],
      ['2024-01-06T00:00:00.000Z', '2024-01-07T00:00:00.000Z', 86_400_000, 1],
    ],
  },
  {
    sql: 'SELECT _wstart, count(*) FROM cal WHERE v < 3 INTERVAL(1d, 8h)',
    rows: [
      ['2024-01-04T08:00:00.000Z', 1],
      ['2024-01-05T08:00:00.000Z', 1],
    ],
  },
  {
    // Weeks begin on Thursdays: 2024-01-04 is one.
    sql: 'SELECT _wstart, count(*) FROM cal WHERE v < 4 INTERVAL(1w)',
    rows: [
      ['2024-01-04T00:00:00.000Z', 2],
      ['2024-02-29T00:00:00.000Z', 1],
    ],
  },
  {
    sql: 'SELECT _wstart, _wend, count(*) FROM cal INTERVAL(1n)',
    rows: [
      ['2024-01-01T00:00:00.000Z', '2024-02-01T00:00:00.000Z', 2],
      ['2024-02-01T00:00:00.000Z', '2024-03-01T00:00:00.000Z', 1],
      ['2024-03-01T00:00:00.000Z', '2024-04-01T00:00:00.000Z', 2],
      ['2025-01-01T00:00:00.000Z', '2025-02-01T00:00:00.000Z', 1],
    ],
  },
  {
    sql: 'SELECT _wstart, count(*) FROM cal INTERVAL(1n, 5d)',
    rows: [
      ['2023-12-06T00:00:00.000Z', 1],
      ['2024-01-06T00:00:00.000Z', 1],
      ['2024-02-06T00:00:00.000Z', 2],
      ['2024-03-06T00:00:00.000Z', 1],
      ['2024-12-06T00:00:00.000Z', 1],
    ],
  },
  {
    sql: 'SELECT _wstart, count(*) FROM cal INTERVAL(3n)',
    rows: [
      ['2024-01-01T00:00:00.000Z', 5],
      ['2025-01-01T00:00:00.000Z', 1],
    ],
  },
  {
    sql: 'SELECT _wstart, count(*) FROM cal INTERVAL(1y) SLIDING(6n)',
    rows: [
      ['2023-07-01T00:00:00.000Z', 5],
      ['2024-01-01T00:00:00.000Z', 5],
      ['2024-07-01T00:00:00.000Z', 1],
      ['2025-01-01T00:00:00.000Z', 1],
    ],
  },
  {
    sql: 'SELECT _wstart, count(*) FROM cal INTERVAL(1y, 2n)',
    rows: [
      ['2023-03-01T00:00:00.000Z', 3],
      ['2024-03-01T00:00:00.000Z', 3],
    ],
  },
  { sql: 'SELECT count(*) FROM (SELECT count(*) FROM cal WHERE v = 1 INTERVAL(1d) SLIDING(1h))', rows: [[24]] },
  {
    // The row is at 05:30 there.
    sql: 'SELECT _wstart, _wend, count(*) FROM cal WHERE v = 1 INTERVAL(1d) SLIDING(12h)',
    query: { conn_tz: 'Asia/Kolkata' },
    rows: [
      ['2024-01-04T12:00:00.000+05:30', '2024-01-05T12:00:00.000+05:30', 1],
      ['2024-01-05T00:00:00.000+05:30', '2024-01-06T00:00:00.000+05:30', 1],
    ],
  },
  {
    sql: 'SELECT _wstart FROM (SELECT _wstart, count(*) FROM cal WHERE v = 1 INTERVAL(1d, 1h) SLIDING(12h))',
    query: { conn_tz: 'Asia/Kolkata' },
    rows: [['2024-01-04T13:00:00.000+05:30'], ['2024-01-05T01:00:00.000+05:30']],
  },
  {
    sql: "SELECT _wstart, count(*) FROM cal WHERE ts >= '2024-01-05' AND ts < '2024-01-06T12:00:00' INTERVAL(1d) SLIDING(12h) FILL(VALUE, 0)",
    query: { conn_tz: 'Europe/Berlin' },
    rows: [
      ['2024-01-04T12:00:00.000+01:00', 1],
      ['2024-01-05T00:00:00.000+01:00', 1],
      ['2024-01-05T12:00:00.000+01:00', 1],
      ['2024-01-06T00:00:00.000+01:00', 1],
    ],
  },
  {
    sql: 'SELECT _wstart, count(*) FROM cal WHERE v = 1 INTERVAL(24h) SLIDING(12h)',
    query: { conn_tz: 'Asia/Kolkata' },
    rows: [
      ['2024-01-04T17:30:00.000+05:30', 1],
      ['2024-01-05T05:30:00.000+05:30', 1],
    ],
  },
]);

statements('windows have values, companions, conditions and an order', service, 'w', [
  {
    sql: 'SELECT _wstart, max(v), ts FROM r INTERVAL(20s)',
    rows: [
      [at(0), 16, at(16)],
      [at(20), 36, at(36)],
    ],
  },
  {
    sql: 'SELECT first(v), last(v), avg(v), sum(v) / count(*) + 1, spread(v) FROM r INTERVAL(20s)',
    rows: [
      [1, 16, 8.25, 9.25, 15],
      [20, 36, 28, 29, 16],
    ],
  },
  { sql: 'SELECT _wstart, count(*) FROM r INTERVAL(12s) HAVING count(*) > 2', rows: [[at(0), 3]] },
  { sql: 'SELECT sum(v) FROM r INTERVAL(10s) HAVING sum(v) > 7 AND max(v) < 30', rows: [[26], [46]] },
  { sql: 'SELECT sum(v) AS total FROM r INTERVAL(10s) ORDER BY total DESC LIMIT 2', rows: [[66], [46]] },
  { sql: 'SELECT sum(v) FROM r INTERVAL(10s) ORDER BY _wstart DESC LIMIT 1 OFFSET 1', rows: [[46]] },
  { sql: 'SELECT sum(v) FROM r INTERVAL(10s) LIMIT 1, 2', rows: [[26], [46]] },
  { sql: 'SELECT sum(v) FROM r INTERVAL(10s) LIMIT 0', rows: [] },
  {
    sql: `SELECT _qstart, _qend, _qduration, count(*) FROM r ${between(0, 20)} INTERVAL(1m)`,
    rows: [[at(0), new Date(tick(20) - 1).toISOString(), 19_999, 4]],
  },
  {
    sql: "SELECT CASE WHEN count(*) > 2 THEN 'many' ELSE 'few' END, _wstart + 1s FROM r INTERVAL(12s)",
    rows: [
      ['many', at(1)],
      ['few', at(13)],
      ['few', at(25)],
      ['few', at(37)],
    ],
  },
]);

statements('windows are made slice by slice', service, 'w', [
  {
    sql: 'SELECT _wstart, count(*), sum(v) FROM st INTERVAL(10s)',
    rows: [
      [at(0), 5, 113],
      [at(10), 2, 23],
      [at(40), 2, 34],
      [at(50), 1, 200],
    ],
  },
  {
    sql: 'SELECT tbname, g, n, _wstart, count(*) FROM st PARTITION BY tbname INTERVAL(40s)',
    rows: [
      ['s1', 'x', 1, at(0), 3],
      ['s1', 'x', 1, at(40), 1],
      ['s2', 'x', 2, at(0), 2],
      ['s2', 'x', 2, at(40), 1],
      ['s3', 'y', 2, at(0), 2],
      ['s3', 'y', 2, at(40), 1],
    ],
  },
  {
    sql: 'SELECT g, _wstart, sum(v) FROM st PARTITION BY g INTERVAL(40s)',
    rows: [
      ['x', at(0), 36],
      ['x', at(40), 34],
      ['y', at(0), 100],
      ['y', at(40), 200],
    ],
  },
  {
    sql: 'SELECT n % 2, _wstart, sum(v) FROM st PARTITION BY n % 2 INTERVAL(40s)',
    rows: [
      [0, at(0), 130],
      [0, at(40), 230],
      [1, at(0), 6],
      [1, at(40), 4],
    ],
  },
  {
    sql: 'SELECT k, _wstart, count(*) FROM st PARTITION BY k INTERVAL(40s) ORDER BY k DESC, _wstart',
    rows: [
      ['lo', at(0), 3],
      ['lo', at(40), 1],
      ['hi', at(0), 3],
      ['hi', at(40), 2],
      [null, at(0), 1],
    ],
  },
  {
    sql: 'SELECT tbname, count(*) FROM st PARTITION BY tbname INTERVAL(10s) LIMIT 1',
    rows: [
      ['s1', 2],
      ['s2', 1],
      ['s3', 2],
    ],
  },
  { sql: 'SELECT tbname, sum(v) FROM st PARTITION BY tbname INTERVAL(1h) SLIMIT 1', rows: [['s1', 10]] },
  { sql: 'SELECT tbname, sum(v) FROM st PARTITION BY tbname INTERVAL(1h) SLIMIT 2 SOFFSET 2', rows: [['s3', 300]] },
  { sql: 'SELECT tbname, sum(v) FROM st PARTITION BY tbname INTERVAL(1h) SLIMIT 1, 1 LIMIT 1', rows: [['s2', 60]] },
  {
    sql: 'SELECT tbname, g, _wstart, sum(v) FROM s1 INTERVAL(40s)',
    rows: [
      ['s1', 'x', at(0), 6],
      ['s1', 'x', at(40), 4],
    ],
  },
  {
    sql: 'SELECT _wstart, max(c) FROM (SELECT _wstart AS ts, count(*) AS c FROM st INTERVAL(1s)) INTERVAL(20s)',
    rows: [
      [at(0), 1],
      [at(40), 1],
    ],
  },
]);

statements('subqueries give time lines too', service, 'w', [
  {
    sql: `SELECT _wstart, sum(c) FROM (SELECT _wstart AS t, count(*) AS c FROM gaps INTERVAL(5s)) WHERE t >= ${tick(0)} AND t < ${tick(40)} INTERVAL(20s) FILL(VALUE, 0)`,
    rows: [
      [at(0), 1],
      [at(20), 1],
    ],
  },
  {
    // A first time of nothing is NULL, and a row without a time is in no window.
    sql: 'SELECT _wstart, count(*) FROM (SELECT first(ts) AS t FROM st WHERE v > 3 PARTITION BY k) INTERVAL(10s) SLIDING(5s)',
    rows: [
      [at(-5), 1],
      [at(0), 1],
      [at(35), 1],
      [at(40), 1],
    ],
  },
  {
    sql: 'SELECT _wstart, count(*) FROM (SELECT CASE WHEN v > 1 THEN ts END AS t FROM s1) INTERVAL(10s)',
    rows: [
      [at(0), 1],
      [at(10), 1],
      [at(40), 1],
    ],
  },
  {
    sql: 'SELECT _wstart, _wend, count(*) FROM (SELECT CASE WHEN v > 1 THEN ts END AS t FROM s1) SESSION(t, 5s)',
    rows: [
      [at(5), at(10), 2],
      [at(40), at(40), 1],
    ],
  },
]);

statements('what makes no windows of time is refused', service, 'w', [
  ...cases('SELECT count(*) FROM r', [
    ['INTERVAL(10s, 10s)', 0x262f],
    ['INTERVAL(10s, -1s)', 0x262d],
    ['INTERVAL(1n) SLIDING(29d)', 0x2631],
    ['INTERVAL(10s) SLIDING(11s)', 0x2631],
    ['INTERVAL(1000s) SLIDING(1s)', 0x2632],
    ['INTERVAL(0s)', 0x2615],
    ['INTERVAL(1u)', 0x2615],
    ['INTERVAL(10s) GROUP BY v', 0x2624],
    ['INTERVAL(10s) SLIMIT 1', 0x2638],
    ['INTERVAL(10s) LIMIT -1', 0x2637],
    ['INTERVAL(10s) FILL(NULL)', 0x263b],
    ['INTERVAL(10s) FILL(SOMETIMES)', 0x2600],
    [`${between(0, 20)} INTERVAL(10s) FILL(VALUE, v)`, 0x260c],
    [`${between(0, 20)} INTERVAL(10s) FILL(VALUE, count(*))`, 0x2605],
  ]),
  { sql: 'SELECT _wstart, 1 FROM r INTERVAL(10s) LIMIT 2', rows: [0, 10].map((start) => [at(start), 1]) },
  { sql: `SELECT _wstart FROM r ${between(40, 60)} INTERVAL(10s) FILL(NULL_F)`, rows: [[at(40)], [at(50)]] },
  { sql: 'SELECT _wstart FROM r', error: 0x2658 },
  { sql: 'SELECT v, count(*) FROM r INTERVAL(10s)', error: 0x260c },
  { sql: 'SELECT sum(max(v)) FROM r INTERVAL(10s)', error: 0x2627 },
  { sql: 'SELECT tbname, count(*) FROM (SELECT v FROM r) INTERVAL(10s)', error: 0x2650 },
  { sql: `SELECT count(*) FROM gaps ${between(0, 60)} INTERVAL(10s) FILL(NEAR)`, error: 0x265d },
]);
