import test from 'ava';
import { sharedService } from '../../support/service/shared-service.js';
import { statements } from '../../support/sql/statement-cases.js';
import { at, cases, writeWindowData } from '../../support/sql/window-data.js';

const { service, end } = await sharedService();
test.after.always(end);
test.before(() => writeWindowData(service));

statements('EVENT_WINDOW runs from a row that starts it to a row that ends it', service, 'w', [
  ...cases('SELECT _wstart, _wend, count(*), sum(v) FROM r', [
    [
      'EVENT_WINDOW START WITH v > 1 END WITH v > 15',
      [
        [at(6), at(16), 3, 32],
        [at(20), at(20), 1, 20],
        [at(26), at(26), 1, 26],
        [at(30), at(30), 1, 30],
        [at(36), at(36), 1, 36],
      ],
    ],
    ['EVENT_WINDOW START WITH v = 6 END WITH v = 20', [[at(6), at(20), 4, 52]]],
    [
      'EVENT_WINDOW START WITH v >= 1 END WITH v % 10 = 0',
      [
        [at(1), at(10), 3, 17],
        [at(16), at(20), 2, 36],
        [at(26), at(30), 2, 56],
      ],
    ],
    ['EVENT_WINDOW START WITH v >= 1 END WITH v % 10 = 0 TRUE_FOR(5s)', [[at(1), at(10), 3, 17]]],
    ['EVENT_WINDOW START WITH v = 30 END WITH v = 1', []],
    ['EVENT_WINDOW START WITH v = 1 END WITH false', []],
    [
      'EVENT_WINDOW START WITH v = 1 OR v = 26 END WITH v = 16 OR v = 36 ORDER BY _wstart DESC',
      [
        [at(26), at(36), 3, 92],
        [at(1), at(16), 4, 33],
      ],
    ],
    [`WHERE v <> 10 EVENT_WINDOW START WITH v >= 1 END WITH v % 10 = 0 HAVING count(*) > 2`, [[at(1), at(20), 4, 43]]],
    ['EVENT_WINDOW START WITH count(*) > 1 END WITH v > 1', 0x264f],
    ['EVENT_WINDOW START WITH v > 1', 0x2601],
    ['EVENT_WINDOW START WITH missing END WITH v > 1', 0x2602],
  ]),
  {
    // NULL is not true: 7 s neither starts nor ends anything.
    sql: 'SELECT _wstart, _wend, count(*) FROM states EVENT_WINDOW START WITH s IS NOT NULL END WITH on_',
    rows: [
      [at(1), at(1), 1],
      [at(3), at(4), 2],
      [at(5), at(5), 1],
      [at(6), at(8), 3],
    ],
  },
  {
    sql: 'SELECT tbname, _wstart, _wend, sum(v) FROM st PARTITION BY tbname EVENT_WINDOW START WITH v > 1 END WITH v > 2',
    rows: [
      ['s1', at(5), at(10), 5],
      ['s1', at(40), at(40), 4],
      ['s2', at(2), at(2), 10],
      ['s2', at(12), at(12), 20],
      ['s2', at(41), at(41), 30],
      ['s3', at(7), at(7), 100],
      ['s3', at(50), at(50), 200],
    ],
  },
  {
    sql: "SELECT _wstart, _wend, count(*) FROM st EVENT_WINDOW START WITH g = 'y' END WITH v = 20 OR n = 1 AND v > 3",
    rows: [[at(7), at(12), 4]],
  },
]);

statements('what ORDER BY leaves open is in the order of slices and time', service, 'w', [
  {
    sql: 'SELECT g, _wstart, count(*) FROM st PARTITION BY g, tbname SESSION(ts, 10s) ORDER BY g DESC',
    rows: [
      ['y', at(7), 2],
      ['y', at(50), 1],
      ['x', at(0), 3],
      ['x', at(40), 1],
      ['x', at(2), 2],
      ['x', at(41), 1],
    ],
  },
  {
    sql: 'SELECT tbname, _wstart, count(*) FROM st PARTITION BY tbname INTERVAL(1m) ORDER BY count(*) > 0',
    rows: [
      ['s1', at(0), 4],
      ['s2', at(0), 3],
      ['s3', at(0), 3],
    ],
  },
  {
    sql: 'SELECT tbname, g, count(*) FROM st GROUP BY tbname ORDER BY g',
    rows: [
      ['s1', 'x', 4],
      ['s2', 'x', 3],
      ['s3', 'y', 3],
      ['s4', 'y', 0],
    ],
  },
]);

statements('COUNT_WINDOW takes so many rows each', service, 'w', [
  ...cases('SELECT _wstart, _wend, count(*), sum(v) FROM r', [
    [
      'COUNT_WINDOW(3)',
      [
        [at(1), at(10), 3, 17],
        [at(16), at(26), 3, 62],
        [at(30), at(36), 2, 66],
      ],
    ],
    ['COUNT_WINDOW(8)', [[at(1), at(36), 8, 145]]],
    ['COUNT_WINDOW(100)', [[at(1), at(36), 8, 145]]],
    [
      'COUNT_WINDOW(1) LIMIT 2',
      [
        [at(1), at(1), 1, 1],
        [at(6), at(6), 1, 6],
      ],
    ],
    [
      'COUNT_WINDOW(4, 3)',
      [
        [at(1), at(16), 4, 33],
        [at(16), at(30), 4, 92],
        [at(30), at(36), 2, 66],
      ],
    ],
    [
      'COUNT_WINDOW(4, 4)',
      [
        [at(1), at(16), 4, 33],
        [at(20), at(36), 4, 112],
      ],
    ],
    [
      'COUNT_WINDOW(2, 1) ORDER BY _wstart DESC LIMIT 2',
      [
        [at(36), at(36), 1, 36],
        [at(30), at(36), 2, 66],
      ],
    ],
    [
      'WHERE v > 6 COUNT_WINDOW(3) HAVING count(*) = 3',
      [
        [at(10), at(20), 3, 46],
        [at(26), at(36), 3, 92],
      ],
    ],
    ['COUNT_WINDOW(0)', 0x2803],
    ['COUNT_WINDOW(-1)', 0x2803],
    ['COUNT_WINDOW(3, 0)', 0x2803],
    ['COUNT_WINDOW(3, 4)', 0x2631],
    ['COUNT_WINDOW(1000000, 1)', 0x070a],
    ['COUNT_WINDOW(3, missing)', 0x2602],
  ]),
  {
    sql: 'SELECT _wstart, _wend, count(*) FROM states COUNT_WINDOW(2, s)',
    rows: [
      [at(1), at(3), 2],
      [at(5), at(6), 2],
      [at(7), at(7), 1],
    ],
  },
  {
    sql: 'SELECT _wstart, count(*) FROM states COUNT_WINDOW(3, 2, s, on_)',
    rows: [
      [at(0), 3],
      [at(2), 3],
      [at(4), 3],
      [at(6), 3],
      [at(8), 1],
    ],
  },
  {
    sql: 'SELECT tbname, _wstart, count(*) FROM st PARTITION BY tbname COUNT_WINDOW(2)',
    rows: [
      ['s1', at(0), 2],
      ['s1', at(10), 2],
      ['s2', at(2), 2],
      ['s2', at(41), 1],
      ['s3', at(7), 2],
      ['s3', at(50), 1],
    ],
  },
  {
    sql: 'SELECT _wstart, _wend, first(v), last_row(v) FROM st COUNT_WINDOW(5)',
    rows: [
      [at(0), at(8), 1, null],
      [at(10), at(50), 3, 200],
    ],
  },
  { sql: 'SELECT g, sum(v) FROM st PARTITION BY g COUNT_WINDOW(100) SLIMIT 1', rows: [['x', 70]] },
  { sql: 'SELECT count(*) FROM (SELECT count(*) FROM r COUNT_WINDOW(3, 1))', rows: [[8]] },
]);

statements('functions of time see the rows of their window alone', service, 'w', [
  {
    sql: 'SELECT twa(v), elapsed(ts, 1s), irate(v) FROM r SESSION(ts, 5s)',
    rows: [
      [5.5, 9, 1],
      [18, 4, 1],
      [28, 4, 1],
      [36, 0, 0],
    ],
  },
  { sql: 'SELECT twa(v) FROM r COUNT_WINDOW(4, 3)', rows: [[8.5], [23], [33]] },
  { sql: 'SELECT twa(v) FROM r EVENT_WINDOW START WITH v = 6 END WITH v = 20', rows: [[13]] },
  {
    sql: 'SELECT tbname, n, twa(v), count(*) FROM st PARTITION BY tbname STATE_WINDOW(k)',
    rows: [
      ['s1', 1, (1.5 * 5 + 2.5 * 5 + 3.5 * 30) / 40, 4],
      ['s2', 2, (15 * 10 + 25 * 29) / 39, 3],
      ['s3', 2, 150, 3],
    ],
  },
]);

statements('joined tables make windows too', service, 'w', [
  ...cases(
    'SELECT _wstart, count(*), sum(l.v), sum(m.v) FROM r l JOIN (SELECT ts, v * 10 AS v FROM r WHERE v <> 6) m ON l.ts = m.ts',
    [
      [
        'SESSION(l.ts, 5s)',
        [
          [at(1), 1, 1, 10],
          [at(10), 1, 10, 100],
          [at(16), 2, 36, 360],
          [at(26), 2, 56, 560],
          [at(36), 1, 36, 360],
        ],
      ],
      [
        'STATE_WINDOW(CASE WHEN m.v < 200 THEN 0 ELSE 1 END)',
        [
          [at(1), 3, 27, 270],
          [at(20), 4, 112, 1120],
        ],
      ],
      [
        'EVENT_WINDOW START WITH l.v > 1 END WITH m.v >= 200',
        [
          [at(10), 3, 46, 460],
          [at(26), 1, 26, 260],
          [at(30), 1, 30, 300],
          [at(36), 1, 36, 360],
        ],
      ],
      [
        'COUNT_WINDOW(4)',
        [
          [at(1), 4, 47, 470],
          [at(26), 3, 92, 920],
        ],
      ],
      [
        'INTERVAL(20s)',
        [
          [at(0), 3, 27, 270],
          [at(20), 4, 112, 1120],
        ],
      ],
    ],
  ),
]);

statements('functions of one table stay refused over the windows of a super table', service, 'w', [
  { sql: 'SELECT percentile(v, 50) FROM st SESSION(ts, 5s)', error: 0x265f },
  { sql: 'SELECT percentile(v, 50) FROM r SESSION(ts, 6s)', rows: [[18]] },
]);

statements('plain columns alone give every row of each window', service, 'w', [
  ...cases('SELECT _wstart, _wend, v FROM r WHERE v < 20', [
    [
      'INTERVAL(10s)',
      [
        [at(0), at(9.999), 1],
        [at(0), at(9.999), 6],
        [at(10), at(19.999), 10],
        [at(10), at(19.999), 16],
      ],
    ],
    [
      'COUNT_WINDOW(3) ORDER BY v DESC LIMIT 2',
      [
        [at(16), at(16), 16],
        [at(1), at(10), 10],
      ],
    ],
    ['SESSION(ts, 4s) LIMIT 1', [[at(1), at(1), 1]]],
    ['INTERVAL(10s) HAVING v > 10', [[at(10), at(19.999), 16]]],
    ['INTERVAL(10s) HAVING count(*) > 1', 0x260c],
    ['INTERVAL(10s) FILL(PREV)', 0x2657],
  ]),
  { sql: 'SELECT n FROM states STATE_WINDOW(s)', rows: [[0], [1], [2], [3], [5], [6], [7], [8]] },
  {
    sql: 'SELECT g, v FROM st PARTITION BY g INTERVAL(10s) LIMIT 1',
    rows: [
      ['x', 1],
      ['y', 100],
    ],
  },
  { sql: 'CREATE STREAM rows_of INTO w.rows_of AS SELECT _wstart, v FROM r INTERVAL(10s)', error: 0x2645 },
]);

statements('ANOMALY_WINDOW belongs to an add-on', service, 'w', [
  { sql: 'SELECT count(*) FROM r ANOMALY_WINDOW(v)', error: 0x0100, says: 'ANOMALY_WINDOW' },
]);
