import test from 'ava';
import { sharedService } from '../../support/service/shared-service.js';
import { until } from '../../support/until.js';

const { service, end } = await sharedService();
test.after.always(end);

const database = 'compared';
const base = 1_700_000_000_000;

/** Two ids that are one number to a DOUBLE. */
const [near, id] = ['1234567890123456768', '1234567890123456781'];

/** Texts that begin with a number, and that number. */
const texts: readonly (readonly [text: string, whole: bigint, millionths: bigint])[] = [
  ['0', 0n, 0n],
  ['-5', -5n, 0n],
  ['5.0', 5n, 0n],
  ['5.25', 5n, 250_000n],
  ['-5.25e0', -5n, -250_000n],
  ['5e0x', 5n, 0n],
  ['  7 days', 7n, 0n],
  ['none', 0n, 0n],
  ['', 0n, 0n],
  ['.5e1', 5n, 0n],
  [near, BigInt(near), 0n],
  [id, BigInt(id), 0n],
  [`${id}.000001`, BigInt(id), 1n],
  ['9223372036854775807', 2n ** 63n - 1n, 0n],
  ['9223372036854775808', 2n ** 63n, 0n],
  ['-9223372036854775808', -(2n ** 63n), 0n],
  ['18446744073709551615', 2n ** 64n - 1n, 0n],
  ['1e300', 10n ** 300n, 0n],
  ['-1e300', -(10n ** 300n), 0n],
];

const columns: Readonly<Record<string, readonly bigint[]>> = {
  i: [-5n, 0n, 5n, 7n],
  b: [-(2n ** 63n), -5n, 0n, 5n, 7n, BigInt(near), BigInt(id), 2n ** 63n - 1n],
  u: [0n, 5n, 7n, BigInt(id), 2n ** 63n, 2n ** 64n - 1n],
  dc: [-5n, 0n, 5n, 7n, BigInt(near), BigInt(id), 2n ** 63n, 2n ** 64n - 1n],
};

const operators: Readonly<Record<string, (order: number) => boolean>> = {
  '=': (order) => order === 0,
  '<>': (order) => order !== 0,
  '<': (order) => order < 0,
  '<=': (order) => order <= 0,
  '>': (order) => order > 0,
  '>=': (order) => order >= 0,
};

function orderOf(value: bigint, whole: bigint, millionths: bigint): number {
  const difference = value * 1_000_000n - (whole * 1_000_000n + millionths);
  return difference === 0n ? 0 : difference < 0n ? -1 : 1;
}

async function rows(statement: string): Promise<readonly unknown[]> {
  return (await service.rows(statement, { database })).map((row) => String(row[0])).sort();
}

/** How many rows meet a condition. */
async function count(condition: string, from = 't'): Promise<unknown> {
  return (await service.rows(`SELECT COUNT(*) FROM ${from} WHERE ${condition}`, { database }))[0]?.[0];
}

async function run(statement: string): Promise<void> {
  await service.run(statement, { database });
}

async function makeDevices(name: string): Promise<void> {
  await run(`CREATE STABLE ${name} (ts TIMESTAMP, v INT) TAGS (dev BIGINT, g INT)`);
  const device = (suffix: string, tag: string): string =>
    `${name}_${suffix} USING ${name} TAGS (${tag}, 0) VALUES (${base}, 1)`;
  await run(`INSERT INTO ${device('near', near)} ${device('id', id)}`);
}

test.before(async () => {
  await service.run(`CREATE DATABASE ${database}`);
  const types = 'i INT, b BIGINT, u BIGINT UNSIGNED, dc DECIMAL(30,4), d DOUBLE, f FLOAT, bo BOOL, s VARCHAR(40)';
  await run(`CREATE TABLE t (ts TIMESTAMP, ${types})`);
  const all = Object.entries(columns).flatMap(([column, values]) => values.map((value) => [column, value] as const));
  for (const [at, [column, value]] of all.entries()) {
    await run(`INSERT INTO t (ts, ${column}) VALUES (${base + at}, '${value}')`);
  }
  await run('CREATE TABLE words (ts TIMESTAMP, s VARCHAR(40))');
  await run(`INSERT INTO words VALUES ${texts.map(([text], at) => `(${base + at}, '${text}')`).join(' ')}`);
});

test('an integer and a DECIMAL compare with the number that a text begins with to the digit', async (t) => {
  for (const [column, values] of Object.entries(columns)) {
    for (const [text, whole, millionths] of texts) {
      const orders = values.map((value) => orderOf(value, whole, millionths));
      const answers: string[] = [];
      const right: number[] = [];
      const query = (condition: string, holds: (order: number) => boolean): void => {
        answers.push(`SUM(CASE WHEN ${condition} THEN 1 ELSE 0 END)`);
        right.push(orders.filter(holds).length);
      };
      for (const [operator, holds] of Object.entries(operators)) {
        query(`${column} ${operator} '${text}'`, holds);
        query(`'${text}' ${operator} ${column}`, (order) => holds(-order));
        query(`${column} ${operator} CONCAT('${text}', '')`, holds);
      }
      query(`${column} IN ('${text}', '3')`, (order) => order === 0);
      query(`${column} NOT IN ('${text}', '3')`, (order) => order !== 0);
      query(`${column} BETWEEN '${text}' AND '1e400'`, (order) => order >= 0);
      query(`CASE ${column} WHEN '${text}' THEN TRUE END`, (order) => order === 0);
      query(`${column} IS NOT NULL AND NULLIF(${column}, '${text}') IS NULL`, (order) => order === 0);
      const [row] = await service.rows(`SELECT ${answers.join(', ')} FROM t`, { database });
      t.deepEqual(row, right, `${column} and '${text}'`);
    }
  }
});

test('a column of texts compares with integers to the digit, in lists and in queries, too', async (t) => {
  const expected = [id, `${id}.000001`];
  t.deepEqual(await rows(`SELECT s FROM words WHERE s = ${id}`), [id]);
  t.deepEqual(await rows(`SELECT s FROM words WHERE s IN (${id}, 3)`), [id]);
  t.deepEqual(await rows(`SELECT s FROM words WHERE s >= ${id} AND s < 1234567890123456782`), expected);
  t.deepEqual(await rows('SELECT s FROM words WHERE s > 18446744073709551615'), ['1e300']);
  t.deepEqual(
    await rows('SELECT s FROM words WHERE s IN (SELECT b FROM t WHERE b > 7)'),
    [near, id, '9223372036854775807'].sort(),
  );
  t.deepEqual(
    await rows('SELECT b FROM t WHERE b IN (SELECT s FROM words) AND b > 7'),
    [near, id, '9223372036854775807'].sort(),
  );
  t.deepEqual(await rows('SELECT u FROM t WHERE u NOT IN (SELECT b FROM t WHERE b IS NOT NULL) AND u > 7'), [
    '18446744073709551615',
    '9223372036854775808',
  ]);
});

test('a quoted id deletes, changes, shows and counts its own device alone', async (t) => {
  await makeDevices('gone');
  t.deepEqual(await rows(`SELECT tbname FROM gone WHERE dev = '${id}'`), ['gone_id']);
  await run(`ALTER TABLE USING gone SET TAG g = 7 WHERE dev = '${id}'`);
  t.deepEqual(await rows('SELECT TAGS tbname FROM gone WHERE g = 7'), ['gone_id']);
  await service.run("CREATE USER quoted PASS 'Secret-12345'");
  await service.run(`GRANT READ ON ${database}.gone WITH dev = '${id}' TO quoted`);
  const reply = await service.sql('SELECT tbname FROM gone', { database, auth: basicFor('quoted') });
  t.deepEqual(reply.body.data, [['gone_id']]);
  await service.run('DROP USER quoted');
  await run(
    `CREATE STREAM counted TRIGGER AT_ONCE INTO counts AS SELECT _wstart AS w, COUNT(*) AS n FROM gone WHERE dev = '${id}' INTERVAL(1d)`,
  );
  await run(`INSERT INTO gone_near VALUES (${base + 1}, 1) gone_id VALUES (${base + 1}, 1) (${base + 2}, 1)`);
  await until(async () => (await service.sql('SELECT n FROM counts', { database })).body.data?.[0]?.[0] === 3);
  await run('DROP STREAM counted');
  await run(`DELETE FROM gone WHERE dev = '${id}'`);
  t.deepEqual(await rows(`SELECT tbname FROM gone WHERE ts = ${base}`), ['gone_near']);
});

function basicFor(user: string): string {
  return `Basic ${Buffer.from(`${user}:Secret-12345`).toString('base64')}`;
}

test('a number beyond a DECIMAL is larger or smaller than each value of it', async (t) => {
  await run(
    'CREATE TABLE money (ts TIMESTAMP, dc DECIMAL(12,3), tiny DECIMAL(38,38), u BIGINT UNSIGNED, b BIGINT, d DOUBLE)',
  );
  await run(`INSERT INTO money VALUES (${base}, 255, 0.5, 18446744073709551615, -9223372036854775807, 1e300)`);
  const conditions: Readonly<Record<string, number>> = {
    'dc IN (255, 18446744073709551615)': 1,
    'dc NOT IN (255, 18446744073709551615)': 0,
    'dc IN (999999999.999)': 0,
    'dc IN (1e300, 255.0)': 1,
    "dc IN ('1e300', '255.0000')": 1,
    'dc BETWEEN 1 AND 9223372036854775807': 1,
    'dc BETWEEN -9223372036854775808 AND 18446744073709551615': 1,
    'dc < 18446744073709551615': 1,
    'dc > -1e300': 1,
    "dc < '1e300'": 1,
    "dc = '1e300'": 0,
    'dc < u': 1,
    'dc > b': 1,
    'dc < d': 1,
    'tiny < u': 1,
    'tiny < dc': 1,
    'tiny > b': 1,
    "CASE dc WHEN 18446744073709551615 THEN false WHEN '255' THEN true END": 1,
    'dc < ts': 1,
    "dc <> '255.00000000000000000000000000000000000000000000001'": 1,
  };
  for (const [condition, expected] of Object.entries(conditions))
    t.is(await count(condition, 'money'), expected, condition);
});

test('a DECIMAL of many digits compares with literals to the digit', async (t) => {
  await run('CREATE TABLE sums (ts TIMESTAMP, dd DECIMAL(30,2))');
  await run(`INSERT INTO sums VALUES (${base}, '${id}.25')`);
  for (const literal of [`'${id}.25'`, `${id}.25`]) {
    t.is(await count(`dd = ${literal} AND dd IN (${literal}, 1) AND dd >= ${literal}`, 'sums'), 1);
  }
  t.is(await count(`-dd = -${id}.25 AND -dd <> -${id}.26`, 'sums'), 1);
  t.is(await count(`dd = '${id}.26' OR dd = ${id}.26 OR dd IN (${id}.24, '${id}')`, 'sums'), 0);
});

test('a literal beside a FLOAT or DOUBLE is the number that was stored for it', async (t) => {
  await run('CREATE TABLE reals (ts TIMESTAMP, d DOUBLE, f FLOAT)');
  await run(`INSERT INTO reals VALUES (${base}, ${id}, 0.1)`);
  t.is(await count(`d = ${id} AND d = '${id}' AND d IN (${id}) AND d BETWEEN ${id} AND ${id}`, 'reals'), 1);
  t.is(await count("f = 0.1 AND f IN (0.1) AND f = '0.1' AND f IN ('0.1')", 'reals'), 1);
});

test('a whole number of 64 bits in JSON is exact, and every other number a DOUBLE', async (t) => {
  await run('CREATE STABLE labels (ts TIMESTAMP, v INT) TAGS (j JSON)');
  await run(
    `INSERT INTO l1 USING labels TAGS ('{"k":${id},"w":18446744073709551615,"n":-1e20,"h":0.5}') VALUES (${base}, 1)`,
  );
  const equal = `j->'k' = ${id} AND j->'w' = 18446744073709551615 AND j->'n' = -1e20 AND j->'h' = 0.5`;
  t.is(await count(equal, 'labels'), 1);
  t.is(await count("j->'k' < 1 OR j->'w' > 2e19 OR j->'n' > 0 OR j->'h' > 0.5", 'labels'), 0);
  t.is(await count(`j->'k' = ${id.slice(0, -1)}0`, 'labels'), 0);
  const [row] = await service.rows('SELECT j FROM labels', { database });
  t.deepEqual(row, [{ k: id, w: '18446744073709551615', n: '-100000000000000000000', h: 0.5 }]);
});

test('equal values of two types meet in every join as they do in WHERE', async (t) => {
  const names = ['b', 'u', 'd', 'f', 'dc', 's', 'bo', 'x'];
  await run(
    'CREATE TABLE pairs (ts TIMESTAMP, i INT, b BIGINT, u BIGINT UNSIGNED, d DOUBLE, f FLOAT, dc DECIMAL(12,3), dd DECIMAL(30,2), s VARCHAR(40), n NCHAR(40), bo BOOL, x TIMESTAMP)',
  );
  await run(
    `INSERT INTO pairs VALUES (${base}, 5, 5, 5, 5, 5, 5, 5, '5', '5', true, 5) (${base + 1}, 1, ${id}, ${id}, ${id}, 0.5, 0.5, ${id}, '${id}', '0.5', true, 1)
       (${base + 2}, -1, -1, 18446744073709551615, 1.5, 1.5, 1.5, 1.5, '1.5', 'x', false, 0) (${base + 3}${', NULL'.repeat(11)})`,
  );
  for (const [at, left] of names.entries()) {
    for (const right of names.slice(at + 1)) {
      // A text beside a time is a time, and these are none.
      if (right === 'x' && (left === 's' || left === 'n')) continue;
      const equal = await count(`${left} = ${right}`, 'pairs');
      const joined = async (kind: string, counted: string): Promise<unknown> =>
        (
          await service.rows(
            `SELECT ${counted} FROM pairs a ${kind} pairs b ON a.ts = b.ts AND a.${left} = b.${right}`,
            { database },
          )
        )[0]?.[0];
      t.is(await joined('JOIN', 'COUNT(*)'), equal, `${left} ${right}`);
      t.is(await joined('LEFT SEMI JOIN', 'COUNT(*)'), equal, `SEMI ${left} ${right}`);
      t.is(await joined('LEFT ANTI JOIN', 'COUNT(*)'), 4 - Number(equal), `ANTI ${left} ${right}`);
      t.is(await joined('LEFT ASOF JOIN', 'COUNT(b.ts)'), equal, `ASOF ${left} ${right}`);
    }
  }
});
