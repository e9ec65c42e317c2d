import { typeValues } from './type-values.js';

const startMs = Date.UTC(2026, 0, 1);

const columns = typeValues.map(({ type }, at) => `c${at} ${type}`).join(', ');
const tagTypes = typeValues.filter(({ columnOnly }) => columnOnly !== true);
const tags = tagTypes.map(({ type }, at) => `g${at} ${type}`).join(', ');
const literals = (types: typeof typeValues, at: 0 | -1): string =>
  types.map(({ values }) => values.at(at)?.[0]).join(', ');
const nulls = typeValues.map(() => 'NULL').join(', ');

/** A super table with a column and a tag of every type, with the smallest and the largest values, and a table with such columns. */
const typed: readonly string[] = [
  `CREATE STABLE every.typed (ts TIMESTAMP, ${columns}) TAGS (${tags})`,
  ...([0, -1] as const).map(
    (at) =>
      `INSERT INTO every.typed${1 + at} USING every.typed TAGS (${literals(tagTypes, at)})
       VALUES (${startMs + at}, ${literals(typeValues, at)}) (${startMs + 5 + at}, ${nulls})`,
  ),
  `CREATE TABLE every.\`Mixed-Case 1\` (ts TIMESTAMP, ${columns})`,
  `INSERT INTO every.\`Mixed-Case 1\` VALUES (${startMs}, ${literals(typeValues, -1)})`,
];

/** Statements that make one of everything a database may hold: types, tags, keys, changed tables, a view and pre-computed aggregates. */
export const everything: readonly string[] = [
  'CREATE DATABASE every',
  `CREATE STABLE every.s (ts TIMESTAMP, b BOOL, i TINYINT, u BIGINT UNSIGNED, f FLOAT, d DOUBLE, exact DECIMAL(30,5),
     v VARCHAR(20), n NCHAR(20), bin VARBINARY(20), at TIMESTAMP, gone INT) TAGS (labels JSON)`,
  `INSERT INTO every.c1 USING every.s TAGS ('{"site":"x","n":1,"on":true}') VALUES
     (${startMs}, true, -5, 18446744073709551615, 1.5, 2.5, 1234567890123456789012345.54321, 'a', 'ø', '\\x0aff', ${startMs}, 1)
     (${startMs + 1}, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)`,
  'ALTER STABLE every.s DROP COLUMN gone',
  'ALTER STABLE every.s ADD COLUMN late INT',
  `INSERT INTO every.c2 USING every.s TAGS (NULL) (ts, late, d) VALUES (${startMs + 2}, 7, 1) (${startMs + 2}, 8, 2)`,
  'CREATE STABLE every.tagged (ts TIMESTAMP, v INT) TAGS (place VARCHAR(10), floor INT)',
  `INSERT INTO every.t1 USING every.tagged TAGS ('north', 1) VALUES (${startMs}, 1)`,
  'ALTER STABLE every.tagged ADD TAG room NCHAR(10)',
  "ALTER TABLE every.t1 SET TAG room = 'ü', floor = 2",
  'CREATE TABLE every.keyed (ts TIMESTAMP, k INT COMPOSITE KEY, price DECIMAL(10,2))',
  `INSERT INTO every.keyed VALUES (${startMs}, 1, 0.01) (${startMs}, 2, -99999999.99)`,
  ...typed,
  'CREATE VIEW every.seen AS SELECT ts, d, labels FROM every.s WHERE d > 0',
  'CREATE TSMA every.sums ON every.tagged FUNCTION(avg(v), max(v)) INTERVAL(1m)',
  "CREATE USER bob PASS 'Secret-12345'",
  'GRANT WRITE ON every.* TO bob',
];

/** Questions whose answers tell whether all of it is there. */
export const everythingAsked: readonly string[] = [
  'SELECT *, tbname, labels FROM every.s ORDER BY ts',
  "SELECT count(*) FROM every.s WHERE labels->'site' = 'x'",
  'DESCRIBE every.s',
  'SHOW CREATE STABLE every.s',
  'SELECT *, place, floor, room FROM every.tagged',
  'SELECT * FROM every.keyed ORDER BY ts, k',
  'DESCRIBE every.keyed',
  `SELECT *, ${tagTypes.map((_, at) => `g${at}`).join(', ')} FROM every.typed ORDER BY ts`,
  'DESCRIBE every.typed',
  'SELECT * FROM every.`Mixed-Case 1`',
  'SELECT * FROM every.seen ORDER BY ts',
  "SELECT tsma_name, func_list FROM information_schema.ins_tsmas WHERE db_name = 'every'",
  "SELECT table_name, stable_name FROM information_schema.ins_tables WHERE db_name = 'every' ORDER BY table_name",
  'SELECT name FROM information_schema.ins_users ORDER BY name',
  'SHOW GRANTS',
];
