import test from 'ava';
import { createNormalTable, createSuperTable, encodeCreateTables } from '../../../src/load/encode/definitions.js';
import { FaultError } from '../../../src/model/fault.js';
import { parseStatement } from '../../../src/sql/parser/statement.js';
import { field, loadPlan } from '../../support/load/plan.js';

const names = { database: 'shop', quoted: false, nameOf: (table: number) => `d${table}` };
const tags = [field('t0', 'INT', { kind: 'null' }), field('t1', 'VARCHAR', { kind: 'null' }, 9)];
const using = {
  superTable: 'meters',
  tags,
  tagRows: (from: number, count: number) => Array.from({ length: count }, (_, i) => [String(from + i), "a'b"]),
};

test('one statement makes several sub-tables', (t) => {
  const { sql, tables } = encodeCreateTables(names, using, { from: 3, count: 2, ttl: 0 }, 10_000);
  t.is(tables, 2);
  t.is(
    sql,
    "CREATE TABLE IF NOT EXISTS shop.d3 USING shop.meters TAGS (3,'a\\'b') IF NOT EXISTS shop.d4 USING shop.meters TAGS (4,'a\\'b')",
  );
});

test('days to live stand behind the tags of each', (t) => {
  const { sql } = encodeCreateTables(names, using, { from: 0, count: 1, ttl: 7 }, 10_000);
  t.true(sql.endsWith("TAGS (0,'a\\'b') TTL 7"));
});

test('a statement that would be too long holds fewer tables', (t) => {
  const { sql, tables } = encodeCreateTables(names, using, { from: 0, count: 100, ttl: 0 }, 500);
  t.true(Buffer.byteLength(sql) <= 500);
  t.true(tables > 1 && tables < 100);
  t.throws(() => encodeCreateTables(names, using, { from: 0, count: 1, ttl: 0 }, 20), { instanceOf: FaultError });
});

test('super tables and normal tables are made with the types of their columns', (t) => {
  const columns = [
    field('a', 'INT UNSIGNED', { kind: 'null' }),
    field('B', 'NCHAR', { kind: 'null' }, 9),
    field('my col', 'BOOL', { kind: 'null' }),
  ];
  const plan = loadPlan({ columns, tags, options: ["COMMENT 'x'", 'SMA(a)'] });
  t.is(
    createSuperTable(names, 'meters', plan),
    "CREATE TABLE IF NOT EXISTS shop.meters (ts TIMESTAMP,a INT UNSIGNED,B NCHAR(9),`my col` BOOL) TAGS (t0 INT,t1 VARCHAR(9)) COMMENT 'x' SMA(a)",
  );
  t.is(
    createNormalTable({ ...names, quoted: true }, 'd0', columns.slice(0, 1)),
    'CREATE TABLE IF NOT EXISTS `shop`.`d0` (ts TIMESTAMP,a INT UNSIGNED)',
  );
});

test('the dialect reads the statements as what they are meant to be', (t) => {
  const kinds = [
    encodeCreateTables(names, using, { from: 0, count: 3, ttl: 7 }, 10_000).sql,
    createSuperTable(names, 'meters', loadPlan({ tags })),
    createNormalTable(names, 'd0', loadPlan().columns),
  ].map((sql) => parseStatement(sql).kind);
  t.deepEqual(kinds, ['create-child-tables', 'create-table', 'create-table']);
});
