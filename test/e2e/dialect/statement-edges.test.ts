import test from 'ava';
import { startService } from '../../support/service.js';
import { statements } from '../../support/statement-cases.js';

const { service, end } = await startService();

for (const database of ['names']) await service.run(`CREATE DATABASE ${database}`);
// Arriving data may make names that hold back quotes: the super table m`1 has a field f`1 and a tag t`1.
await service.ask({ path: '/lineproto/v1/write?db=names', body: 'm`1,t`1=x f`1=1.5 1700000000000000000\n' });
test.after.always(end);

const done = (...list: readonly string[]) => list.map((sql) => ({ sql, affected: 0 }));

statements('names of arriving data with back quotes are reached by doubling them', service, 'names', [
  {
    sql: 'SHOW CREATE STABLE `m``1`',
    rows: [['m`1', 'CREATE STABLE `m``1` (`_ts` TIMESTAMP, `f``1` DOUBLE) TAGS (`t``1` NCHAR(2))']],
  },
  {
    sql: "SELECT `f``1`, m.`t``1`, sum(`f``1`) FROM `m``1` m WHERE `t``1` = 'x' GROUP BY `f``1`, `t``1`",
    meta: [
      ['f`1', 'DOUBLE', 8],
      ['t`1', 'NCHAR', 2],
      ['sum(`f``1`)', 'DOUBLE', 8],
    ],
    rows: [[1.5, 'x', 1.5]],
  },
  {
    sql: 'SHOW TABLE TAGS `t``1` AS `a``b` FROM names.`m``1`',
    meta: [
      ['tbname', 'VARCHAR', 192],
      ['a`b', 'NCHAR', 2],
    ],
  },
  ...done(
    'ALTER STABLE `m``1` RENAME TAG `t``1` ```plain```',
    'ALTER STABLE `m``1` ADD COLUMN `f``2` INT',
    "CREATE TABLE `c``\n\t1` USING `m``1` (```plain```) TAGS ('y')",
  ),
  { sql: 'INSERT INTO `c``\n\t1` (`_ts`, `f``2`) VALUES (1700000000001, 7)', affected: 1 },
  {
    sql: 'SELECT tbname, `f``2` FROM `m``1` WHERE tbname = "c`\\n\\t1"',
    rows: [['c`\n\t1', 7]],
  },
  {
    sql: 'SHOW CREATE TABLE `c``\n\t1`',
    rows: [['c`\n\t1', 'CREATE TABLE `c``\n\t1` USING `m``1` (```plain```) TAGS ("y")']],
  },
  { sql: 'SHOW TAGS FROM `c``\n\t1`', rows: [['c`\n\t1', 'names', 'm`1', '`plain`', 'NCHAR(2)', 'y']] },
  ...done('CREATE VIEW `v``1` AS SELECT `f``2` AS `x``y` FROM `c``\n\t1`'),
  { sql: 'SELECT `x``y` FROM `v``1`', meta: [['x`y', 'INT', 4]], rows: [[7]] },
  ...done('DROP TABLE `c``\n\t1`', 'DROP STABLE `m``1`'),
  { sql: 'SHOW TABLES', rows: [] },
  { sql: 'CREATE TABLE `` (ts TIMESTAMP, v INT)', error: 0x2617 },
  { sql: 'CREATE TABLE `open`` (ts TIMESTAMP, v INT)', error: 0x2600 },
]);
