import test from 'ava';
import { sharedService } from '../../support/service/shared-service.js';
import { statements } from '../../support/sql/statement-cases.js';

const { service, end } = await sharedService();
test.after.always(end);

/** `a` has v 4, 3, NULL and 1, `b` has v 30 and 50. */
test.before(async () => {
  await service.run('CREATE DATABASE d');
  await service.run('CREATE TABLE d.a (ts TIMESTAMP, v INT)');
  await service.run('CREATE TABLE d.b (ts TIMESTAMP, v INT)');
  await service.run(`INSERT INTO d.a VALUES (1700000000000, 4) (1700000001000, 3) (1700000002000, NULL) (1700000003000, 1)
    d.b VALUES (1700000001000, 30) (1700000005000, 50)`);
});

const members = (levels: number): string =>
  `${'SELECT v FROM a WHERE v IN ('.repeat(levels)}SELECT v FROM a${')'.repeat(levels)} ORDER BY v`;

statements('queries of IN may be nested, and too many levels are refused before they take memory', service, 'd', [
  { sql: members(9), rows: [[1], [3], [4]] },
  { sql: members(40), error: 0x0219, says: 'SQL statement too long' },
  {
    sql: 'SELECT v, v IN (SELECT v FROM a), v NOT IN (SELECT v FROM a), v IN (SELECT v FROM b), v NOT IN (SELECT v FROM b) FROM a ORDER BY ts',
    rows: [
      [4, true, false, false, true],
      [3, true, false, false, true],
      [null, null, null, null, null],
      [1, true, false, false, true],
    ],
  },
  {
    sql: 'SELECT v IN (SELECT v FROM a), v NOT IN (SELECT v FROM a), v IN (SELECT v FROM a WHERE v > 90) FROM b ORDER BY ts',
    rows: [
      [null, null, false],
      [null, null, false],
    ],
  },
  {
    sql: 'SELECT v IN (SELECT v FROM a WHERE v > 90), v NOT IN (SELECT v FROM a WHERE v > 90) FROM a WHERE v IS NULL',
    rows: [[false, true]],
  },
]);

const nothing = '(SELECT NULL FROM b LIMIT 1)';

statements('a query of NULL as a value is NULL for every function', service, 'd', [
  { sql: `SELECT avg(${nothing}), sum(${nothing}), round(avg(${nothing})) FROM a`, rows: [[null, null, null]] },
  { sql: `SELECT abs(${nothing}), ceil(${nothing}), ${nothing} + 1 FROM a LIMIT 1`, rows: [[null, null, null]] },
  { sql: `SELECT v FROM a WHERE v = ${nothing}`, rows: [] },
]);
