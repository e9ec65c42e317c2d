import test from 'ava';
import { startService } from '../../support/service/service.js';
import { statements } from '../../support/sql/statement-cases.js';

const { service, end } = await startService('--limits.sqlBytes=4MB', '--smlAutoCreateDB=true');
test.after.always(end);

test.before('a table', async () => {
  await service.run('CREATE DATABASE d');
  await service.run('CREATE TABLE d.n (ts TIMESTAMP, v INT)');
  await service.run('INSERT INTO d.n VALUES (1700000000000, 1)');
});

const nested = (open: string, inner: string, close: string, levels: number): string =>
  `SELECT ${open.repeat(levels)}${inner}${close.repeat(levels)} FROM d.n`;
const nestedUnions = (levels: number): string =>
  `${'SELECT v FROM ('.repeat(levels)}SELECT v FROM d.n${' UNION ALL SELECT v FROM d.n)'.repeat(levels)}`;
const nestedIn = (operator: string, levels: number): string =>
  `${`SELECT v FROM d.n WHERE v ${operator} (`.repeat(levels)}SELECT v FROM d.n${')'.repeat(levels)}`;
const where = (condition: string): string => `SELECT v FROM d.n WHERE ${condition}`;
const columns = (count: number, type = 'INT'): string =>
  Array.from({ length: count }, (_, i) => `c${i} ${type}`).join(', ');
const notSupported = 0x0100;
const syntax = 0x2600;

statements('what is nested too deeply is refused, what is not is answered', service, 'd', [
  { sql: nested('(', 'v', ')', 100_000), error: syntax },
  { sql: `SELECT ${'('.repeat(100_000)}`, error: syntax },
  { sql: nested('abs(', 'v', ')', 100_000), error: syntax },
  { sql: nested('CAST(', 'v', ' AS INT)', 50_000), error: syntax },
  { sql: nested('- ', 'v', '', 100_000), error: syntax },
  { sql: nested('CASE WHEN v = 1 THEN ', 'v', ' END', 30_000), error: syntax },
  { sql: where(`${'NOT '.repeat(100_000)}v = 1`), error: syntax },
  { sql: `${'SELECT * FROM ('.repeat(50_000)}SELECT v FROM d.n${')'.repeat(50_000)}`, error: syntax },
  { sql: `SELECT v${"->'a'".repeat(100_000)} FROM d.n`, error: syntax },
  { sql: nested('(', 'v', ')', 150), rows: [[1]] },
  { sql: nested('abs(', 'v', ')', 150), rows: [[1]] },
  { sql: where(`${'NOT '.repeat(150)}v = 1`), rows: [[1]] },
  { sql: `${'SELECT * FROM ('.repeat(20)}SELECT v FROM d.n${')'.repeat(20)}`, rows: [[1]] },
  { sql: `SELECT v${' + v'.repeat(400)} FROM d.n`, rows: [[401]] },
  { sql: `SELECT v${' + v'.repeat(1000)} FROM d.n`, error: syntax },
  { sql: nestedIn('IN', 12), rows: [[1]] },
  { sql: nestedIn('IN', 13), error: 0x0219, says: 'queries in conditions are nested too deeply' },
  { sql: nestedIn('NOT IN', 6), rows: [[1]] },
  { sql: nestedIn('NOT IN', 7), error: 0x0219 },
  { sql: nestedIn('>= ALL', 3), rows: [[1]] },
  { sql: nestedIn('>= ALL', 4), error: 0x0219 },
  { sql: nestedIn('=', 13), error: 0x0219 },
  { sql: nestedUnions(32), rows: Array.from({ length: 33 }, () => [1]) },
  { sql: nestedUnions(33), error: 0x0219, says: 'queries with UNION are nested too deeply' },
  { sql: nestedUnions(60), error: 0x0219 },
]);

statements('what there is too much of is refused, what is not is answered', service, 'd', [
  { sql: `${'SELECT v FROM d.n UNION ALL '.repeat(10_000)}SELECT v FROM d.n`, error: syntax },
  { sql: `${'SELECT v FROM d.n UNION '.repeat(20)}SELECT v FROM d.n`, rows: [[1]] },
  { sql: `${'SELECT v FROM d.n UNION ALL '.repeat(99)}SELECT v FROM d.n ORDER BY v LIMIT 2`, rows: [[1], [1]] },
  { sql: `${'SELECT v FROM d.n UNION ALL SELECT v FROM d.n UNION '.repeat(49)}SELECT 2 ORDER BY 1`, rows: [[1], [2]] },
  { sql: where(`v IN (${'1,'.repeat(400_000)}1)`), error: notSupported, says: 'values' },
  { sql: where(`v IN (${'1,'.repeat(1_000_000)}1)`), error: 0x0219, says: 'SQL statement too long' },
  { sql: where(`v IN (${'7,'.repeat(20_000)}1)`), rows: [[1]] },
  { sql: where(`v = 1${' AND v = 1'.repeat(50_000)}`), error: notSupported, says: 'conditions' },
  { sql: where(`v = 1${' OR v = 2'.repeat(2000)}`), rows: [[1]] },
  { sql: where(`v IN (${'v + 1, '.repeat(11_000)}1)`), error: notSupported, says: 'conditions' },
  { sql: where(`v IN (${'-7, '.repeat(11_000)}v + 0)`), rows: [[1]] },
  { sql: where(`v NOT IN (${'-7, '.repeat(500)}v + 0, NULL)`), rows: [] },
  { sql: `SELECT CASE${' WHEN v = 2 THEN 1'.repeat(5000)} END FROM d.n`, error: notSupported, says: 'CASE branches' },
  { sql: `SELECT v${', v'.repeat(4096)} FROM d.n`, error: 0x2640 },
  { sql: `SELECT COUNT(*) FROM d.n GROUP BY v${', v'.repeat(600)}`, error: notSupported, says: 'keys' },
  { sql: `SELECT v FROM d.n ORDER BY v${', v'.repeat(600)}`, error: notSupported, says: 'keys' },
  { sql: `INSERT INTO d.n VALUES${' (1700000000000, 1)'.repeat(60_000)}`, affected: 60_000 },
  { sql: `SELECT v FROM d.n -- ${'x'.repeat(1_100_000)}`, error: 0x0219 },
]);

statements('names, columns, tags and rows have their limits when they are made', service, 'd', [
  { sql: `CREATE DATABASE ${'x'.repeat(65)}`, error: 0x2617 },
  { sql: `CREATE TABLE ${'x'.repeat(193)} (ts TIMESTAMP, v INT)`, error: 0x2617 },
  { sql: `CREATE TABLE ${'x'.repeat(192)} (ts TIMESTAMP, v INT)`, affected: 0 },
  { sql: `CREATE TABLE t1 (ts TIMESTAMP, ${'x'.repeat(193)} INT)`, error: 0x2617 },
  { sql: `CREATE TABLE t1 (ts TIMESTAMP, ${columns(4096)})`, error: 0x2640 },
  { sql: `CREATE STABLE t1 (ts TIMESTAMP, v INT) TAGS (${columns(129)})`, error: 0x2643 },
  { sql: `CREATE STABLE t1 (ts TIMESTAMP, v INT) TAGS (${columns(2, 'VARCHAR(10000)')})`, error: 0x263d },
  { sql: `CREATE TABLE t1 (ts TIMESTAMP, ${columns(2, 'VARCHAR(40000)')})`, error: 0x263e },
  { sql: `CREATE TABLE t1 (ts TIMESTAMP, ${columns(1, 'VARCHAR(40000)')})`, affected: 0 },
  { sql: 'ALTER TABLE t1 ADD COLUMN w VARCHAR(40000)', error: 0x263e },
  { sql: 'ALTER TABLE t1 MODIFY COLUMN c0 VARCHAR(65517)', affected: 0 },
]);

test('a row that grows beyond 64 KB by writes is refused, and the table stays as it was', async (t) => {
  const write = async (line: string) => (await service.write(line, { db: 'grown' })).status;
  const text = 'x'.repeat(30_000);
  t.is(await write(`m a="${text}",b="${text}" 1700000000000000001`), 204);
  t.is(await write(`m c="${text}" 1700000000000000002`), 400);
  t.is(await write(`m a="${text}",b="${text}" 1700000000000000003`), 204);
  t.deepEqual(
    (await service.rows('DESCRIBE grown.m'))
      .map(([name]) => name)
      .filter((name) => ['a', 'b', 'c'].includes(String(name))),
    ['a', 'b'],
  );
});
