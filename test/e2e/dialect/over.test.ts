import { createCipheriv } from 'node:crypto';
import test from 'ava';
import { sharedService } from '../../support/service/shared-service.js';
import { statements } from '../../support/sql/statement-cases.js';

const { service, end } = await sharedService();
test.after.always(end);

/** 2023-11-14T22:13:20Z. */
const base = 1_700_000_000_000;

function at(seconds: number): string {
  return new Date(base + seconds * 1000).toISOString();
}

test.before(async () => {
  await service.run('CREATE DATABASE d');
  await service.run('CREATE STABLE d.s (ts TIMESTAMP, v INT) TAGS (g INT)');
  await service.run(
    `INSERT INTO d.a USING d.s TAGS (1) VALUES (${base}, 1) (${base + 60_000}, 2) (${base + 120_000}, 5)
       d.b USING d.s TAGS (2) VALUES (${base}, 3) (${base + 60_000}, 4) (${base + 180_000}, NULL)`,
  );
});

statements('OVER ranks rows and looks at their neighbours', service, 'd', [
  {
    sql: 'SELECT g, v, row_number() OVER (PARTITION BY g ORDER BY v DESC) AS n FROM s ORDER BY g, n',
    meta: [
      ['g', 'INT', 4],
      ['v', 'INT', 4],
      ['n', 'BIGINT', 8],
    ],
    rows: [
      [1, 5, 1],
      [1, 2, 2],
      [1, 1, 3],
      [2, 4, 1],
      [2, 3, 2],
      [2, null, 3],
    ],
  },
  {
    sql: `SELECT DISTINCT g, rank() OVER (ORDER BY g), dense_rank() OVER (ORDER BY g), percent_rank() OVER (ORDER BY g),
      cume_dist() OVER (ORDER BY g) FROM s ORDER BY g`,
    rows: [
      [1, 1, 1, 0, 0.5],
      [2, 4, 2, 0.6, 1],
    ],
  },
  {
    sql: 'SELECT v, lag(v) OVER (ORDER BY v), lead(v, 1, 99) OVER (ORDER BY v), lag(v, 2) OVER (ORDER BY v) FROM a ORDER BY v',
    rows: [
      [1, null, 2, null],
      [2, 1, 5, null],
      [5, 2, 99, 1],
    ],
  },
  {
    sql: `SELECT v, ntile(2) OVER (ORDER BY v), ntile(9) OVER (PARTITION BY g ORDER BY v DESC) FROM a ORDER BY v`,
    meta: [
      ['v', 'INT', 4],
      ['ntile(2) over (order by v)', 'BIGINT', 8],
      ['ntile(9) over (partition by g order by v desc)', 'BIGINT', 8],
    ],
    rows: [
      [1, 1, 3],
      [2, 1, 2],
      [5, 2, 1],
    ],
  },
  {
    sql: 'SELECT ntile(3) OVER () AS n, ntile(2) OVER (PARTITION BY v) AS m FROM a ORDER BY n',
    rows: [
      [1, 1],
      [2, 1],
      [3, 1],
    ],
  },
  { sql: 'SELECT ntile(0) OVER (ORDER BY v) FROM a', error: 0x2803 },
  { sql: 'SELECT ntile() OVER (ORDER BY v) FROM a', error: 0x2801 },
  {
    sql: `SELECT first_value(v) OVER w1, last_value(v) OVER (ORDER BY ts), 1 FROM a`,
    error: 0x2600,
  },
  {
    sql: `SELECT first_value(v) OVER (ORDER BY ts), last_value(v) OVER (ORDER BY ts),
      nth_value(v, 2) OVER (ORDER BY ts ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) FROM b`,
    rows: [
      [3, 3, 4],
      [3, 4, 4],
      [3, null, 4],
    ],
  },
]);

statements('OVER adds up the rows so far, or those of a frame', service, 'd', [
  {
    sql: 'SELECT sum(v) OVER (ORDER BY ts), count(*) OVER (), max(v) OVER (ORDER BY ts ROWS 1 PRECEDING) FROM a',
    rows: [
      [1, 3, 1],
      [3, 3, 2],
      [8, 3, 5],
    ],
  },
  {
    sql: 'SELECT g, sum(v), rank() OVER (ORDER BY sum(v)) FROM s GROUP BY g ORDER BY g',
    rows: [
      [1, 8, 2],
      [2, 7, 1],
    ],
  },
  {
    sql: `SELECT sum(v), sum(sum(v)) OVER (ORDER BY _wstart) FROM a WHERE ts >= ${base} AND ts < ${base + 200_000} INTERVAL(1m, 20s) FILL(VALUE, 1)`,
    rows: [
      [1, 1],
      [2, 3],
      [5, 8],
      [1, 9],
    ],
  },
  {
    sql: 'SELECT v FROM (SELECT v, row_number() OVER (ORDER BY v DESC) AS n FROM s) WHERE n <= 2 ORDER BY v',
    rows: [[4], [5]],
  },
  { sql: 'SELECT v FROM a ORDER BY row_number() OVER (ORDER BY v DESC)', rows: [[5], [2], [1]] },
  { sql: 'SELECT v FROM a WHERE row_number() OVER (ORDER BY v) = 1', error: 0x264f },
  { sql: 'SELECT row_number() FROM a', error: 0x264d },
  { sql: 'SELECT twa(v) OVER () FROM a', error: 0x0100, says: 'twa with OVER' },
  { sql: 'SELECT lag() OVER (ORDER BY v) FROM a', error: 0x2801 },
  { sql: 'SELECT sum(v) OVER (ORDER BY v RANGE 1 PRECEDING) FROM a', rows: [[1], [3], [5]] },
  { sql: 'SELECT sum(v) OVER (ORDER BY v RANGE BETWEEN 300 PRECEDING AND 3 FOLLOWING) FROM a', rows: [[3], [8], [8]] },
  {
    sql: 'SELECT count(*) OVER (ORDER BY ts RANGE BETWEEN 1m PRECEDING AND CURRENT ROW) FROM a ORDER BY ts',
    rows: [[1], [2], [2]],
  },
  { sql: 'SELECT sum(v) OVER (ORDER BY ts RANGE 59999 PRECEDING) FROM a ORDER BY ts', rows: [[1], [2], [5]] },
  { sql: 'SELECT sum(v) OVER (ORDER BY ts RANGE 1n PRECEDING) FROM a', error: 0x0100, says: 'this duration' },
  { sql: 'SELECT sum(v) OVER (ORDER BY ts RANGE 100d PRECEDING) FROM a', error: 0x0100, says: 'more than 4294967295' },
  { sql: 'SELECT sum(v) OVER (ORDER BY v RANGE 1s PRECEDING) FROM a', error: 0x0100, says: 'this duration' },
  { sql: 'SELECT sum(v) OVER (ORDER BY ts, v RANGE 1 PRECEDING) FROM a', error: 0x0100, says: 'one number or time' },
  { sql: 'SELECT sum(v) OVER (ORDER BY ts ROWS 1s PRECEDING) FROM a', error: 0x2600 },
  { sql: 'SELECT diff(v), row_number() OVER (ORDER BY v) FROM a', error: 0x264f },
  { sql: 'CREATE TOPIC t AS SELECT row_number() OVER (ORDER BY ts) FROM s', error: 0x2639 },
]);

statements('FILL spans ranges of time between which OR stands', service, 'd', [
  {
    sql: `SELECT _wstart, sum(v) FROM a WHERE ts <= ${base} AND ts >= ${base} OR ts BETWEEN ${base + 100_000} AND ${base + 120_000} INTERVAL(1m, 20s) FILL(NULL)`,
    rows: [
      [at(0), 1],
      [at(60), null],
      [at(120), 5],
    ],
  },
  {
    sql: `SELECT sum(v) FROM a WHERE (ts = ${base} AND v > 3) OR ts = ${base + 120_000} INTERVAL(1m, 20s) FILL(VALUE, 0)`,
    rows: [[0], [0], [5]],
  },
  { sql: `SELECT sum(v) FROM a WHERE ts = ${base} OR v = 5 INTERVAL(1m) FILL(VALUE, 0)`, error: 0x263b },
  {
    sql: `SELECT tbname, count(*) FROM s WHERE (ts = ${base} AND v > 3) OR ts = ${base + 120_000} PARTITION BY tbname`,
    rows: [['a', 1]],
  },
  { sql: `DELETE FROM a WHERE ts < 5 OR ts > 6`, error: 0x2655 },
]);

const points = (within: string): string => `RANGE(${base + 40_000}, ${base + 80_000}${within}) EVERY(20s)`;

statements('neighbours of INTERP that are too far away give way to the values of FILL', service, 'd', [
  { sql: `SELECT interp(v) FROM a ${points(', 20s')} FILL(PREV, 77)`, rows: [[77], [2], [2]] },
  { sql: `SELECT interp(v) FROM a ${points(', 10s')} FILL(NEAR)`, rows: [[null], [2], [null]] },
  {
    sql: `SELECT interp(v), _irowts_origin FROM a ${points(', 20s')} FILL(NEXT, 9)`,
    rows: [
      [2, at(60)],
      [2, at(60)],
      [9, at(80)],
    ],
  },
  { sql: `SELECT interp(v) FROM a RANGE(${base + 70_000}, 5s) FILL(PREV, 9)`, rows: [[9]] },
  { sql: `SELECT interp(v) FROM a RANGE(${base + 70_000}, 15s) FILL(PREV, 9)`, rows: [[2]] },
  { sql: `SELECT interp(v) FROM a ${points(', 1n')} FILL(PREV, 9)`, error: 0x265d },
  { sql: `SELECT interp(v) FROM a ${points('')} FILL(PREV, 9)`, error: 0x0100, says: 'without a distance in RANGE' },
]);

/** `text` under the key 0123456789abcdef. */
function encrypted(cipher: string, text = 'text'): string {
  const run = createCipheriv(`${cipher}-ecb`, '0123456789abcdef', null);
  return Buffer.concat([run.update(text), run.final()]).toString('hex');
}

statements('ciphers hide texts and bring them back', service, 'd', [
  { sql: "SELECT aes_encrypt('text', '0123456789abcdef')", rows: [[encrypted('aes-128')]] },
  { sql: "SELECT sm4_encrypt('text', '0123456789abcdef')", rows: [[encrypted('sm4')]] },
  {
    sql: `SELECT sm4_decrypt('${encrypted('sm4')}', '0123456789abcdef'), sm4_decrypt('00', 'k')`,
    rows: [['text', null]],
  },
  {
    sql: "SELECT aes_decrypt(aes_encrypt(tbname, 'a long key of more than 16 bytes'), 'a long key of more than 16 bytes') FROM a LIMIT 1",
    rows: [['a']],
  },
  {
    sql: "SELECT aes_decrypt(aes_encrypt('text', 'k', '0123456789abcdef'), 'k', '0123456789abcdef'), aes_decrypt('text', 'k')",
    rows: [['text', null]],
  },
  { sql: "SELECT aes_encrypt('text', 'k', 'short')", error: 0x2803 },
  { sql: "SELECT aes_encrypt(1, 'k')", error: 0x2802 },
  {
    sql: "SELECT DISTINCT sm4_encrypt(tbname, '0123456789abcdef'), sm4_decrypt(sm4_encrypt(tbname, 'k'), 'k') FROM a",
    rows: [[encrypted('sm4', 'a'), 'a']],
  },
  {
    sql: "SELECT sm4_decrypt(sm4_encrypt('text of more than one block', 'k', '0123456789abcdef'), 'k', '0123456789abcdef')",
    rows: [['text of more than one block']],
  },
  {
    sql: "SELECT sm4_encrypt(null, 'k'), sm4_decrypt('0g', 'k'), sm4_encrypt(lower(null), 'k')",
    rows: [[null, null, null]],
  },
]);
