import test from 'ava';
import { sharedService } from '../../support/service/shared-service.js';
import { statements } from '../../support/sql/statement-cases.js';
import { typeValues } from '../../support/sql/type-values.js';

const { service, end } = await sharedService();
test.after.always(end);

/** A row of one value. */
const keyed = /\[((?:"(?:[^"\\]|\\.)*"|[^[\]"])+)\]/g;

const base = 1_700_000_000_000;

/** The bytes of an answer's `data`. */
async function data(statement: string, query: Readonly<Record<string, string>> = {}): Promise<string> {
  const { text, body } = await service.sql(statement, { database: 'val', query });
  if (body.code !== 0) throw new Error(`${statement}\n${text}`);
  return text.slice(text.indexOf('"data":') + '"data":'.length, text.lastIndexOf(',"rows":'));
}

/** Types of the columns an answer shows. */
async function types(statement: string): Promise<(readonly [type: string, length: number])[]> {
  const { body } = await service.sql(statement, { database: 'val' });
  return body.column_meta.map(([, type, length]) => [type, length] as const);
}

test.before(async () => {
  await service.run('CREATE DATABASE val');
});

typeValues.forEach(({ type, shown = type, length, values, columnOnly = false, ordered = true }, at) => {
  const all = `[${values.map(([, json]) => `[${json}]`).join(',')}]`;
  const [lowest, highest] = [values[0]![1], values[values.length - 1]![1]];
  const rows = values.map(([literal], row) => `(${base + row}, ${literal})`).join(' ');

  test(`${type} of a normal table comes back exactly, plain, computed and aggregated`, async (t) => {
    await service.run(`CREATE TABLE n${at} (ts TIMESTAMP, v ${type})`, { database: 'val' });
    await service.run(`INSERT INTO n${at} VALUES ${rows} (${base + 999}, NULL)`, { database: 'val' });
    const known = `FROM n${at} WHERE ts < ${base + 999}`;
    const sources = ['v', 'CASE WHEN ts > 0 THEN v END', 'IFNULL(v, NULL)'];
    const computed = `SELECT ${sources.join(', ')} ${known}`;
    t.is(await data(computed), `[${values.map(([, json]) => `[${json},${json},${json}]`).join(',')}]`);
    t.deepEqual(
      await types(computed),
      sources.map(() => [shown, length]),
    );
    t.is(await data(`SELECT v FROM (SELECT ts, v ${known})`), all);
    t.is(await data(`SELECT v ${known}`, { row_with_meta: 'true' }), all.replaceAll(keyed, '{"v":$1}'));
    t.is(await data(`SELECT v FROM n${at} WHERE ts = ${base + 999}`), '[[null]]');
    t.is(await data(`SELECT last_row(v) FROM n${at}`), '[[null]]');
    const gathered = `SELECT first(v), last(v), count(v), count(*) FROM n${at}`;
    t.is(await data(gathered), `[[${lowest},${highest},${values.length},${values.length + 1}]]`);
    t.deepEqual((await types(gathered))[1], [shown, length]);
    if (ordered && !['BOOL', 'TIMESTAMP'].includes(type)) {
      t.is(await data(`SELECT min(v), max(v) FROM n${at}`), `[[${lowest},${highest}]]`);
    }
  });

  test(`${type} of a super table comes back exactly, as column${columnOnly ? '' : ' and as tag'}`, async (t) => {
    const tag = columnOnly ? 'INT' : type;
    await service.run(`CREATE STABLE s${at} (ts TIMESTAMP, v ${type}) TAGS (k ${tag})`, { database: 'val' });
    const clauses = values.map(
      ([literal], row) =>
        `c${at}_${row} USING s${at} TAGS (${columnOnly ? row : literal}) VALUES (${base}, ${literal})`,
    );
    const none = `c${at}_9 USING s${at} TAGS (NULL) VALUES (${base}, NULL)`;
    await service.run(`INSERT INTO ${[...clauses, none].join(' ')}`, { database: 'val' });
    const known = `FROM s${at} WHERE tbname != 'c${at}_9' ORDER BY tbname`;
    t.is(await data(`SELECT v ${known}`), all);
    t.is(await data(`SELECT v, k FROM s${at} WHERE tbname = 'c${at}_9'`), '[[null,null]]');
    if (columnOnly) return;
    t.deepEqual(await types(`SELECT k ${known}`), [[shown, length]]);
    t.is(await data(`SELECT k ${known}`), all);
    t.is(await data(`SELECT k FROM c${at}_0`), `[[${lowest}]]`);
  });
});

test('what is not finite is null, and a number of any size is a JSON number', async (t) => {
  await service.run('CREATE TABLE huge (ts TIMESTAMP, d DOUBLE, f FLOAT)', { database: 'val' });
  const numbers = ['1.7976931348623157e308', '-1.7976931348623157e308', '1e21', '1e-7', '5e-324', '-0.0'];
  const singles = ['3.4028235e38', '-3.4028235e38', '1e21', '1e-7', '1e-45', '-0.0'];
  const rows = numbers.map((number, row) => `(${base + row}, ${number}, ${singles[row]})`);
  await service.run(`INSERT INTO huge VALUES ${rows.join(' ')}`, { database: 'val' });
  t.deepEqual(
    JSON.parse(await data('SELECT d FROM huge')),
    numbers.map((number) => [Number(number)]),
  );
  // The shortest digits that read back as the same 32-bit number.
  t.deepEqual(
    JSON.parse(await data('SELECT f FROM huge')),
    singles.map((number) => [Number(number)]),
  );
  const endless = 'sqrt(-1), exp(1000), -exp(1000), pow(10, 400), ln(0), CAST(exp(1000) AS FLOAT), d * 10';
  t.is(await data(`SELECT ${endless} FROM huge LIMIT 1`), '[[null,null,null,null,null,null,null]]');
  t.is(await data('SELECT max(d * 10), min(d * 10) FROM huge'), '[[null,null]]');
  await service.write(`line,k=a v=nan,w=inf,x=1.5 ${base}`, { db: 'val', precision: 'ms' });
  t.is(await data('SELECT v, w, x FROM line'), '[[null,null,1.5]]');
});

test('a JSON tag is JSON in the row, whole or by its members', async (t) => {
  await service.run('CREATE STABLE j (ts TIMESTAMP, v INT) TAGS (k JSON)', { database: 'val' });
  const documents = ['{"a":1,"b":"x\\"y","c":true,"d":null,"e.f":-2.5}', '{"a":"1"}'];
  for (const [at, document] of documents.entries()) {
    const text = document.replaceAll('\\', '\\\\');
    await service.run(`INSERT INTO j${at} USING j TAGS ('${text}') VALUES (${base}, ${at})`, { database: 'val' });
  }
  await service.run(`INSERT INTO j9 USING j TAGS (NULL) VALUES (${base}, 9)`, { database: 'val' });
  t.deepEqual(await types('SELECT k FROM j'), [['JSON', 4095]]);
  t.is(await data('SELECT k FROM j ORDER BY tbname'), `[[${documents[0]}],[${documents[1]}],[null]]`);
  const members = "SELECT k->'a', k->'b', k->'c', k->'d', k->'e.f', k->'none' FROM j ORDER BY tbname";
  t.is(
    await data(members),
    '[[1,"x\\"y",true,null,-2.5,null],["1",null,null,null,null,null],[null,null,null,null,null,null]]',
  );
});

test('a decimal beyond its digits is an error of its own, or NULL where it is cast', async (t) => {
  await service.run('CREATE TABLE wide (ts TIMESTAMP, c DECIMAL(10,3), e DECIMAL(38,10))', { database: 'val' });
  const row = `(${base}, -0.007, '1234567890123456789012345678.0123456789')`;
  await service.run(`INSERT INTO wide VALUES ${row}`, { database: 'val' });
  t.is(
    await data('SELECT CAST(e AS BIGINT), CAST(c AS BIGINT), CAST(e AS DOUBLE) FROM wide'),
    '[[null,0,1.2345678901234567e27]]',
  );
  const { body } = await service.sql('SELECT e * e FROM wide', { database: 'val' });
  t.deepEqual([body.code, body.desc], [0x013d, 'Decimal value overflow']);
});

statements('NULL of no type, literals and expressions have their types', service, 'val', [
  { sql: 'SELECT NULL', rows: [[null]], meta: [['null', 'NULL', 0]] },
  {
    sql: 'SELECT NULL AS a, NULL + 1 AS b, CAST(NULL AS INT) AS c UNION ALL SELECT NULL, 2, 3',
    rows: [
      [null, null, null],
      [null, 2, 3],
    ],
    meta: [
      ['a', 'NULL', 0],
      ['b', 'DOUBLE', 8],
      ['c', 'BIGINT', 8],
    ],
  },
  {
    sql: 'SELECT NULL AS a UNION ALL SELECT 1',
    rows: [[null], [1]],
    meta: [['a', 'BIGINT', 8]],
  },
  { sql: 'SELECT 1, -1, 1.5, true', rows: [[1, -1, 1.5, true]] },
  {
    sql: "SELECT 1 AS i, 1.5 AS d, true AS b, 'é' AS s",
    meta: [
      ['i', 'BIGINT', 8],
      ['d', 'DOUBLE', 8],
      ['b', 'BOOL', 1],
      ['s', 'VARCHAR', 2],
    ],
  },
  { sql: 'SELECT 9223372036854775807, 18446744073709551615', rows: [['9223372036854775807', '18446744073709551615']] },
]);

/** Beside the table `truths`: the numbers of the rows that meet a condition. */
const truths: Readonly<Record<string, readonly number[]>> = {
  'b = 3': [],
  '3 = b': [],
  'b <> 3': [-1, 0, 1, 3],
  'NOT (b = 3)': [-1, 0, 1, 3],
  'b = 1': [1, 3],
  'b = 1.0': [1, 3],
  'b = 0.5': [],
  'b > -1': [-1, 0, 1, 3],
  'b < 2': [-1, 0, 1, 3],
  'b = i': [0, 1],
  'i = b': [0, 1],
  'f = b': [0, 1],
  'b <> i': [-1, 3],
  'b IN (3)': [],
  'b IN (1, 3)': [1, 3],
  'b IN (-1, 0.5, 256)': [],
  'b IN (false, 3)': [-1, 0],
  "b IN ('true')": [1, 3],
  'b NOT IN (3)': [-1, 0, 1, 3],
  'b IN (i)': [0, 1],
  'b BETWEEN 1 AND 3': [1, 3],
  'b BETWEEN 2 AND 3': [],
  "b = '3'": [],
  "b = '1'": [1, 3],
  "b = 'TRUE'": [1, 3],
  'b = (i > 2)': [-1, 0, 3],
  'CASE b WHEN 3 THEN true ELSE false END': [],
  'true = 3': [],
  'cast(3 AS BOOL) = b': [1, 3],
  i: [-1, 1, 2, 3],
};

statements('a BOOL beside a number is 0 or 1: only as a condition is every number but 0 true', service, 'val', [
  { sql: 'CREATE TABLE truths (ts TIMESTAMP, b BOOL, i INT, f DOUBLE)', affected: 0 },
  {
    sql: `INSERT INTO truths VALUES ${[-1, 0, 1, 2, 3].map((i, at) => `(${base + at}, ${i === 2 ? null : i > 0}, ${i}, ${i})`).join(' ')}`,
    affected: 5,
  },
  ...Object.entries(truths).map(([condition, numbers]) => ({
    sql: `SELECT i FROM truths WHERE ${condition} ORDER BY i`,
    rows: numbers.map((number) => [number]),
  })),
]);

statements('integers beyond 2^63 keep their value beside signed ones', service, 'val', [
  { sql: 'CREATE TABLE large (ts TIMESTAMP, u BIGINT UNSIGNED, i BIGINT, t TINYINT UNSIGNED, d DOUBLE)', affected: 0 },
  { sql: `INSERT INTO large VALUES (${base}, 18446744073709551615, -1, 200, 1.8e19)`, affected: 1 },
  {
    sql: 'SELECT ifnull(u, 0) AS a, greatest(0, u) AS b, CASE WHEN i < 0 THEN u ELSE 1 END AS c, ifnull(t, 0) AS d FROM large',
    meta: [
      ['a', 'BIGINT UNSIGNED', 8],
      ['b', 'BIGINT UNSIGNED', 8],
      ['c', 'BIGINT UNSIGNED', 8],
      ['d', 'BIGINT', 8],
    ],
    rows: [['18446744073709551615', '18446744073709551615', '18446744073709551615', 200]],
  },
  {
    sql: 'SELECT coalesce(u, i) AS a, greatest(u, i) AS b, least(u, -5) AS c, nullif(u, -1) AS d FROM large',
    meta: [
      ['a', 'DECIMAL(20,0)', 16],
      ['b', 'DECIMAL(20,0)', 16],
      ['c', 'DECIMAL(20,0)', 16],
      ['d', 'BIGINT UNSIGNED', 8],
    ],
    rows: [['18446744073709551615', '18446744073709551615', '-5', '18446744073709551615']],
  },
  { sql: 'SELECT u FROM large UNION ALL SELECT i FROM large ORDER BY u', rows: [['-1'], ['18446744073709551615']] },
  { sql: 'SELECT count(*) FROM large WHERE u IN (SELECT i FROM large)', rows: [[0]] },
  {
    sql: "SELECT cast(1e19 AS BIGINT UNSIGNED), cast(d AS BIGINT UNSIGNED), cast(cast('10000000000000000000' AS DECIMAL(20,0)) AS BIGINT UNSIGNED) FROM large",
    rows: [['10000000000000000000', '18000000000000000000', '10000000000000000000']],
  },
  { sql: 'SELECT cast(-1.5 AS BIGINT UNSIGNED)', rows: [['18446744073709551615']] },
]);

statements('a DECIMAL never holds more digits than it declares', service, 'val', [
  { sql: 'CREATE TABLE narrow (ts TIMESTAMP, a DECIMAL(5,2), b DECIMAL(20,4), c DECIMAL(38,0))', affected: 0 },
  { sql: `INSERT INTO narrow VALUES (${base}, 1, 2, '${'9'.repeat(38)}')`, affected: 1 },
  {
    sql: "SELECT cast(1000 AS DECIMAL(5,2)), cast('-1000' AS DECIMAL(5,2)), cast(999.996 AS DECIMAL(5,2)), cast(1e21 AS DECIMAL(20,4))",
    rows: [[null, null, null, null]],
  },
  {
    sql: "SELECT cast(999.994 AS DECIMAL(5,2)), cast('9999999999999999.9999' AS DECIMAL(20,4)), cast('0.5' AS DECIMAL(2,2))",
    rows: [['999.99', '9999999999999999.9999', '0.50']],
  },
  { sql: `SELECT cast('${'9'.repeat(38)}' AS DECIMAL(38,0))`, rows: [['9'.repeat(38)]] },
  ...['1000', '99999.5', "'99999'", 'c'].map((value) => ({
    sql: `INSERT INTO narrow (ts, a) SELECT ts, ${value} FROM narrow`,
    error: 0x013d,
    says: 'Decimal value overflow',
  })),
  { sql: 'INSERT INTO narrow (ts, b) SELECT ts, c FROM narrow', error: 0x013d },
  { sql: "INSERT INTO narrow (ts, b) SELECT ts, '9999999999999999.9999' FROM narrow", affected: 1 },
  { sql: 'INSERT INTO narrow (ts, a) SELECT ts, 999.994 FROM narrow', affected: 1 },
  { sql: 'SELECT a, b FROM narrow', rows: [['999.99', '9999999999999999.9999']] },
]);

const shape = '0101000000000000000000f03f0000000000000040';

statements('a text that meets a GEOMETRY or VARBINARY is a shape or hex', service, 'val', [
  { sql: 'CREATE TABLE shapes (ts TIMESTAMP, g GEOMETRY(64), x VARBINARY(8))', affected: 0 },
  { sql: `INSERT INTO shapes VALUES (${base}, 'POINT(1 2)', '\\xDEAD')`, affected: 1 },
  { sql: "SELECT count(*) FROM shapes WHERE g = 'POINT(1.0 2)' AND 'POINT(3 4)' <> g", rows: [[1]] },
  { sql: `SELECT count(*) FROM shapes WHERE g IN ('\\x${shape}', 'POINT(3 4)')`, rows: [[1]] },
  {
    sql: "SELECT cast('POINT(1 2)' AS GEOMETRY(64)), cast('\\x4142' AS VARBINARY(8)), cast('ab' AS VARBINARY(8))",
    rows: [[shape, '4142', '6162']],
  },
  {
    sql: `SELECT first(g), first(x) FROM shapes WHERE ts >= ${base - 1000} AND ts < ${base + 1000} INTERVAL(1s) FILL(VALUE, 'POINT(1 2)', '\\xff')`,
    rows: [
      [shape, 'ff'],
      [shape, 'dead'],
    ],
  },
]);
