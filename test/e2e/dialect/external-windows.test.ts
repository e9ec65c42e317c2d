import test from 'ava';
import { sharedService } from '../../support/service/shared-service.js';
import { statements } from '../../support/sql/statement-cases.js';

const { service, end } = await sharedService();
test.after.always(end);

/** 2023-11-26T12:00:00Z. */
const base = 1_701_000_000_000;
const minute = 60_000;

/**
 * `ext.src`: s1 (1) with 10, 12, 30, 40 at 0, 1, 20 and 30 min, s2 (2) with 21, 41 at 10 and 30 min, far (9) with 1 after a day. `win` lists four
 * windows of 9 min, 10 min apart, with marks 101 to 104; `sliced` has windows of its own for the tables 1 and 2.
 */
test.before(async () => {
  const at = (minutes: number): number => base + minutes * minute;
  await service.run('CREATE DATABASE ext');
  await service.run('CREATE STABLE ext.src (ts TIMESTAMP, v INT) TAGS (g INT)');
  await service.run('CREATE TABLE ext.win (ts TIMESTAMP, until TIMESTAMP, mark INT)');
  await service.run('CREATE STABLE ext.sliced (ts TIMESTAMP, until TIMESTAMP, mark INT) TAGS (g INT)');
  await service.run(
    `INSERT INTO ext.s1 USING ext.src TAGS (1) VALUES (${at(0)}, 10) (${at(1)}, 12) (${at(20)}, 30) (${at(30)}, 40)
      ext.s2 USING ext.src TAGS (2) VALUES (${at(10)}, 21) (${at(30)}, 41)
      ext.far USING ext.src TAGS (9) VALUES (${at(1440)}, 1)
      ext.win VALUES ${[0, 10, 20, 30].map((from, n) => `(${at(from)}, ${at(from + 9)}, ${101 + n})`).join(' ')}
      ext.p1 USING ext.sliced TAGS (1) VALUES (${at(0)}, ${at(9)}, 11) (${at(20)}, ${at(29)}, 12)
      ext.p2 USING ext.sliced TAGS (2) VALUES (${at(10)}, ${at(19)}, 21)`,
  );
});

const marks = 'EXTERNAL_WINDOW ((SELECT ts, until, mark FROM win) w)';
const minutes = `(_wstart - ${base}) / ${minute}`;

statements('EXTERNAL_WINDOW counts the rows of windows that a query lists, with both ends', service, 'ext', [
  {
    sql: `SELECT w.mark, _wend - _wstart, _wduration, count(*), avg(v) FROM src ${marks}`,
    rows: [
      [101, 540_000, 540_000, 2, 11],
      [102, 540_000, 540_000, 1, 21],
      [103, 540_000, 540_000, 1, 30],
      [104, 540_000, 540_000, 2, 40.5],
    ],
  },
  {
    sql: `SELECT CAST(_wstart AS BIGINT) - ${base} AS s, count(*), max(v) FROM src
      EXTERNAL_WINDOW ((SELECT _wstart, _wend FROM s1 INTERVAL(10m)) w)`,
    rows: [
      [0, 3, 21],
      [20 * minute, 3, 41],
      [30 * minute, 2, 41],
    ],
  },
  {
    sql: `SELECT max(a.v), w.mark FROM src a WHERE a.v > 10 ${marks} HAVING count(*) > 1 ORDER BY w.mark DESC`,
    rows: [[41, 104]],
  },
  {
    sql: `SELECT tbname, count(*), twa(v) FROM src PARTITION BY tbname
      EXTERNAL_WINDOW ((SELECT ts, ts + 60s FROM s1 WHERE v < 12 OR v = 40) w)`,
    rows: [
      ['s1', 2, 11],
      ['s1', 1, 40],
      ['s2', 1, 41],
    ],
  },
  { sql: `SELECT sum(c) FROM (SELECT count(*) c FROM src ${marks})`, rows: [[6]] },
  {
    sql: `SELECT count(*) FROM win EXTERNAL_WINDOW ((SELECT _wstart, _wend FROM src ${marks}))`,
    rows: [[1], [1], [1], [1]],
  },
  { sql: 'SELECT count(*) FROM src EXTERNAL_WINDOW ((SELECT ts, until FROM win WHERE mark > 900) w)', rows: [] },
]);

statements('without functions EXTERNAL_WINDOW gives rows or windows', service, 'ext', [
  {
    sql: `SELECT w.mark, v FROM src WHERE v > 20 ${marks} ORDER BY v`,
    rows: [
      [102, 21],
      [103, 30],
      [104, 40],
      [104, 41],
    ],
  },
  {
    sql: `SELECT w.mark, v FROM s1 ${marks}`,
    rows: [
      [101, 10],
      [101, 12],
      [103, 30],
      [104, 40],
    ],
  },
  { sql: `SELECT w.mark + 1 FROM src ${marks}`, rows: [[102], [103], [104], [105]] },
  { sql: `SELECT v, g FROM src ${marks} LIMIT 1`, rows: [[10, 1]] },
]);

statements('windows that are sliced are for the rows of their slice', service, 'ext', [
  {
    sql: `SELECT g, w.mark, count(*) FROM src PARTITION BY g
      EXTERNAL_WINDOW ((SELECT ts, until, mark FROM sliced PARTITION BY g) w)`,
    rows: [
      [1, 11, 2],
      [1, 12, 1],
      [2, 21, 1],
    ],
  },
  {
    sql: `SELECT g, w.mark, sum(v) FROM src WHERE v < 20 PARTITION BY g
      EXTERNAL_WINDOW ((SELECT ts, until, mark FROM sliced PARTITION BY g) w) FILL(VALUE, 0)`,
    rows: [
      [1, 11, 22],
      [1, 12, 0],
    ],
  },
]);

statements('FILL gives values to listed windows without rows', service, 'ext', [
  {
    sql: `SELECT w.mark, count(*), sum(v) FROM s1 ${marks} FILL(NULL)`,
    rows: [
      [101, 2, 22],
      [102, null, null],
      [103, 1, 30],
      [104, 1, 40],
    ],
  },
  {
    sql: `SELECT ${minutes}, count(*), sum(v) FROM s1 ${marks} FILL(VALUE, 8, 9) HAVING count(*) = 8`,
    rows: [[10, 8, 9]],
  },
  { sql: `SELECT sum(v) FROM s1 ${marks} FILL(NONE)`, rows: [[22], [30], [40]] },
  { sql: `SELECT sum(v) FROM s1 ${marks} FILL(PREV)`, rows: [[22], [22], [30], [40]] },
  { sql: `SELECT sum(v) FROM s1 ${marks} FILL(NEXT) ORDER BY _wstart DESC`, rows: [[40], [30], [30], [22]] },
  {
    sql: `SELECT g, sum(v) FROM src WHERE g < 9 PARTITION BY g ${marks} FILL(PREV)`,
    rows: [
      [1, 22],
      [1, 22],
      [1, 30],
      [1, 40],
      [2, null],
      [2, 21],
      [2, 21],
      [2, 41],
    ],
  },
  { sql: `SELECT w.mark, sum(v) FROM far ${marks} FILL(VALUE, 9)`, rows: [] },
  {
    sql: `SELECT w.mark, sum(v) FROM far ${marks} FILL(VALUE_F, 9)`,
    rows: [
      [101, 9],
      [102, 9],
      [103, 9],
      [104, 9],
    ],
  },
]);

statements('what EXTERNAL_WINDOW cannot be is refused', service, 'ext', [
  {
    sql: 'SELECT count(*) FROM src EXTERNAL_WINDOW ((SELECT ts, until FROM sliced PARTITION BY g) w)',
    error: 0x2624,
    says: 'PARTITION BY',
  },
  { sql: 'SELECT count(*) FROM src EXTERNAL_WINDOW ((SELECT mark, until FROM win) w)', error: 0x2605, says: 'times' },
  { sql: `SELECT count(*) FROM src WHERE w.mark = 1 ${marks}`, error: 0x2603, says: 'w' },
  { sql: `SELECT diff(v) FROM src ${marks}`, error: 0x2667 },
  { sql: `SELECT count(*) FROM src ${marks} FILL(LINEAR)`, error: 0x265d },
  { sql: 'SELECT count(*) FROM src EXTERNAL_WINDOW (SELECT ts, until FROM win)', error: 0x2600 },
  {
    sql: `CREATE STREAM x INTO ext.y AS SELECT _wstart, count(*) FROM src ${marks}`,
    error: 0x2645,
    says: 'EXTERNAL_WINDOW',
  },
]);
