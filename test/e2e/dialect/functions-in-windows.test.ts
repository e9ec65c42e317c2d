import test from 'ava';
import { sharedService } from '../../support/service/shared-service.js';
import { statements } from '../../support/sql/statement-cases.js';
import { at, between, cases, tick } from '../../support/sql/window-data.js';

const { service, end } = await sharedService();
test.after.always(end);

/** `r`: v 10 to 60 at 1, 2, 3, 20, 21, 22 s, in the states 1, 1, 2, 3, 3, 4; m is 1, 3, 4 twice. `st`: the same in a, and b with 5, 15 at 2, 3 s. */
test.before(async () => {
  await service.run('CREATE DATABASE fw');
  await service.run('CREATE TABLE fw.r (ts TIMESTAMP, s INT, m INT, v INT)');
  await service.run('CREATE STABLE fw.st (ts TIMESTAMP, s INT, m INT, v INT) TAGS (g INT)');
  const states = [1, 1, 2, 3, 3, 4];
  const rows = [1, 2, 3, 20, 21, 22].map((second, i) => {
    return `(${tick(second)}, ${states[i]}, ${[1, 3, 4][i % 3]}, ${(i + 1) * 10})`;
  });
  await service.run(`INSERT INTO fw.r VALUES ${rows.join(' ')} fw.a USING fw.st TAGS (1) VALUES ${rows.join(' ')}`);
  await service.run(`INSERT INTO fw.b USING fw.st TAGS (2) VALUES (${tick(2)}, 1, 3, 5) (${tick(3)}, 1, 4, 15)`);
});

const events = 'EVENT_WINDOW START WITH m >= 3 END WITH m >= 4';

statements('functions over rows begin anew in every window', service, 'fw', [
  ...cases('SELECT _wstart, csum(v) FROM r', [
    [
      'INTERVAL(10s)',
      [1, 1, 1, 20, 20, 20].map((second, i) => [second === 1 ? at(0) : at(20), [10, 30, 60, 40, 90, 150][i]]),
    ],
    ['SESSION(ts, 10s)', [1, 1, 1, 20, 20, 20].map((second, i) => [at(second), [10, 30, 60, 40, 90, 150][i]])],
    ['STATE_WINDOW(s)', [1, 1, 3, 20, 20, 22].map((second, i) => [at(second), [10, 30, 30, 40, 90, 60][i]])],
    [events, [2, 2, 21, 21].map((second, i) => [at(second), [20, 50, 50, 110][i]])],
    ['COUNT_WINDOW(4) LIMIT 5', [1, 1, 1, 1, 21].map((second, i) => [at(second), [10, 30, 60, 100, 50][i]])],
    ['STATE_WINDOW(s) TRUE_FOR(COUNT 2)', [1, 1, 20, 20].map((second, i) => [at(second), [10, 30, 40, 90][i]])],
  ]),
  { sql: 'SELECT diff(v) FROM r INTERVAL(10s)', rows: [[10], [10], [10], [10]] },
  { sql: 'SELECT derivative(v, 1s, 0) FROM r STATE_WINDOW(s)', rows: [[10], [10]] },
  { sql: `SELECT mavg(v, 2) FROM r ${events}`, rows: [[25], [55]] },
  { sql: "SELECT statecount(v, 'GE', 20) FROM r STATE_WINDOW(s)", rows: [[-1], [1], [1], [1], [2], [1]] },
  { sql: `SELECT stateduration(v, 'GE', 20, 1s) FROM r ${events}`, rows: [[0], [1], [0], [1]] },
  { sql: 'SELECT fill_forward(v) FROM r STATE_WINDOW(s)', rows: [[10], [20], [30], [40], [50], [60]] },
  { sql: `SELECT top(v, 1) FROM r ${events}`, rows: [[30], [60]] },
  {
    sql: 'SELECT _wstart AS w, csum(v) AS c FROM r WHERE v < 40 INTERVAL(4s) SLIDING(2s) ORDER BY w, c',
    rows: [
      [at(-2), 10],
      [at(0), 10],
      [at(0), 30],
      [at(0), 60],
      [at(2), 20],
      [at(2), 50],
    ],
  },
  {
    sql: `SELECT tbname, _wstart, _wend, csum(v) FROM st PARTITION BY tbname ${events}`,
    rows: [
      ['a', at(2), at(3), 20],
      ['a', at(2), at(3), 50],
      ['a', at(21), at(22), 50],
      ['a', at(21), at(22), 110],
      ['b', at(2), at(3), 5],
      ['b', at(2), at(3), 20],
    ],
  },
  {
    sql: 'SELECT max(c) FROM (SELECT _wstart AS w, csum(v) AS c FROM r INTERVAL(10s)) GROUP BY w ORDER BY w',
    rows: [[60], [150]],
  },
  { sql: 'SELECT csum(v), count(*) FROM r INTERVAL(10s)', error: 0x2667 },
  { sql: 'SELECT diff(v) FROM st SESSION(ts, 1s)', error: 0x2805 },
  { sql: 'SELECT lag(v, 1, -1) FROM r STATE_WINDOW(s)', error: 0x2659, says: 'LAG function' },
]);

statements('plain columns give the rows of windows that last long enough, of events too', service, 'fw', [
  {
    sql: `SELECT ts, v, _wstart FROM r ${events}`,
    rows: [
      [at(2), 20, at(2)],
      [at(3), 30, at(2)],
      [at(21), 50, at(21)],
      [at(22), 60, at(21)],
    ],
  },
  { sql: `SELECT v FROM r ${events} TRUE_FOR(2s)`, rows: [] },
  { sql: 'SELECT v FROM r STATE_WINDOW(s) TRUE_FOR(1s)', rows: [[10], [20], [40], [50]] },
  { sql: 'SELECT v FROM r STATE_WINDOW(s) ZEROTH_STATE(1)', rows: [[30], [40], [50], [60]] },
  {
    sql: 'SELECT v, _wend FROM r STATE_WINDOW(s) EXTEND(1) LIMIT 1',
    rows: [[10, new Date(tick(3) - 1).toISOString()]],
  },
]);

statements('SCALAR gives every row of each window, although its columns are those of the window', service, 'fw', [
  {
    sql: 'SELECT SCALAR _wstart, _wend FROM r INTERVAL(10s) LIMIT 4',
    rows: [
      [at(0), at(9.999)],
      [at(0), at(9.999)],
      [at(0), at(9.999)],
      [at(20), at(29.999)],
    ],
  },
  {
    sql: 'SELECT AGG _wstart, _wend FROM r INTERVAL(10s)',
    rows: [
      [at(0), at(10)],
      [at(20), at(30)],
    ],
  },
  { sql: 'SELECT SCALAR v FROM r LIMIT 1', rows: [[10]] },
]);

statements('FILL gives rows to windows without any', service, 'fw', [
  ...cases('SELECT _wstart, csum(v) FROM r', [
    [
      `${between(2, 22)} INTERVAL(5s) FILL(NULL)`,
      [
        [at(0), 20],
        [at(0), 50],
        [at(5), null],
        [at(10), null],
        [at(15), null],
        [at(20), 40],
        [at(20), 90],
      ],
    ],
    [
      `${between(2, 10)} INTERVAL(5s) FILL(NULL)`,
      [
        [at(0), 20],
        [at(0), 50],
        [at(5), null],
      ],
    ],
    [
      `${between(2, 10)} INTERVAL(5s) FILL(VALUE, -1)`,
      [
        [at(0), 20],
        [at(0), 50],
        [at(5), -1],
      ],
    ],
    [`${between(30, 40)} INTERVAL(5s) FILL(VALUE, -1)`, []],
    [
      `${between(30, 40)} INTERVAL(5s) FILL(VALUE_F, -1)`,
      [
        [at(30), -1],
        [at(35), -1],
      ],
    ],
    [
      `${between(2, 10)} INTERVAL(5s) FILL(NONE)`,
      [
        [at(0), 20],
        [at(0), 50],
      ],
    ],
    [`${between(2, 10)} INTERVAL(5s) FILL(LINEAR)`, 0x2657],
    ['INTERVAL(5s) FILL(NULL)', 0x263b],
  ]),
  // A window with a single row has no difference.
  { sql: `SELECT diff(v) FROM r ${between(2, 21)} INTERVAL(5s) FILL(VALUE, -1)`, rows: [[10], [-1], [-1], [-1], [-1]] },
  { sql: `SELECT top(v, 1) FROM r ${between(2, 10)} INTERVAL(5s) FILL(NULL)`, error: 0x2657 },
  {
    sql: `SELECT _wend, ts, v * 2 FROM r ${between(3, 10)} INTERVAL(5s) FILL(VALUE, 1, 2)`,
    rows: [
      [at(4.999), at(3), 60],
      [at(9.999), '1970-01-01T00:00:00.001Z', 2],
    ],
  },
  {
    sql: `SELECT v FROM r ${between(3, 21)} INTERVAL(5s) FILL(NULL) HAVING _wstart > ${tick(5)} ORDER BY _wstart DESC`,
    rows: [[40], [null], [null]],
  },
  {
    sql: `SELECT tbname, g, _wstart, v FROM st ${between(3, 10)} PARTITION BY tbname INTERVAL(5s) FILL(NULL) SLIMIT 1 SOFFSET 1`,
    rows: [
      ['b', 2, at(0), 15],
      ['b', 2, at(5), null],
    ],
  },
  {
    sql: `SELECT tbname, _wstart, v FROM st ${between(2, 10)} PARTITION BY tbname INTERVAL(5s) FILL(NULL) LIMIT 1 OFFSET 2`,
    rows: [
      ['a', at(5), null],
      ['b', at(5), null],
    ],
  },
]);
