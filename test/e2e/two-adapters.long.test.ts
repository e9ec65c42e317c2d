import test from 'ava';
import {
  directoryFor,
  execute,
  fileScope,
  type Listening,
  post,
  rowsOf,
  type Scope,
  sql,
  startAdapter,
  startEngineHost,
  store,
} from '../support/service/processes.js';
import { basicOf } from '../support/service/service.js';
import { until } from '../support/until.js';

const startMs = Date.UTC(2026, 0, 1);
const secret = 'secret-of-the-engine';
/** DDL of one process is visible to the others within this time. */
const visibleWithinMs = 1_000;

/** Two adapters on one engine host that was started by hand, and the host. */
async function startPair(t: Scope): Promise<readonly [Listening, Listening, Listening]> {
  const engine = await startEngineHost(t, [`--path=${directoryFor(t)}`, `--password=${secret}`]);
  const urls = `--database.urls=${engine.engineUrl}`;
  // What one answers the other one reads at once.
  const args = ['--database.mode=cluster', urls, `--database.password=${secret}`, '--write.ack=stored'];
  const [a, b] = await Promise.all([startAdapter(t, args), startAdapter(t, args)]);
  return [a, b, engine];
}

const { scope, end } = fileScope();
/** What all tests share but the one that counts the engine's tables, and the one in which nobody else asks for news. */
const [a, b] = await startPair(scope);
test.after.always(end);

/** Tables in the engine that hold data of the dialect's databases. */
async function storedTables(engine: Listening): Promise<number> {
  const statement = "SELECT count() FROM system.tables WHERE match(database, '^d[0-9]')";
  const { text } = await post(engine.port, '/', statement, { authorization: basicOf('default', secret) });
  return Number(text);
}

test('two adapters on one engine work as one', async (t) => {
  // A table made through one is written and read through the other at once, both ways.
  for (const [maker, user, name] of [
    [a, b, 'one'],
    [b, a, 'other'],
  ] as const) {
    await execute(maker, `CREATE DATABASE ${name}`, `CREATE TABLE ${name}.n (ts TIMESTAMP, v INT)`);
    await execute(user, `INSERT INTO ${name}.n VALUES (${startMs}, 1)`);
    t.deepEqual(await rowsOf(maker, `SELECT v FROM ${name}.n`), [[1]]);
    await execute(user, `CREATE STABLE ${name}.s (ts TIMESTAMP, v INT) TAGS (g INT)`);
    await execute(maker, `INSERT INTO ${name}.c1 USING ${name}.s TAGS (7) VALUES (${startMs}, 5)`);
    t.deepEqual(await rowsOf(user, `SELECT v, g FROM ${name}.s`), [[5, 7]]);
    t.deepEqual(await rowsOf(user, `SELECT v FROM ${name}.c1`), [[5]]);
  }
  await execute(a, 'ALTER TABLE one.n ADD COLUMN w INT');
  const seesColumn = async () => (await sql(b, `INSERT INTO one.n (ts, w) VALUES (${startMs}, 2)`)).code === 0;
  t.true(await until(seesColumn, visibleWithinMs), 'a new column is known within a second');
  t.deepEqual(await rowsOf(a, 'SELECT v, w FROM one.n'), [[1, 2]]);
});

test('both create the same tables and columns at once by line protocol and lose no row', async (t) => {
  const pair = [a, b];
  const bodies = 20;
  const writeAll = async (adapter: Listening, side: number): Promise<void> => {
    for (let body = 0; body < bodies; body++) {
      // The same new measurement and column on both sides at the same time; times differ by side.
      const lines = [
        `m${body % 10},k=k${body} c${body}=${body}i64 ${startMs + body * 2 + side}`,
        `shared,side=s${side} c${body}=${body}i64,d=1 ${startMs + body}`,
      ];
      await store(adapter, 'race', lines.join('\n'));
    }
  };
  await Promise.all(pair.map(writeAll));
  const countShared = 'SELECT count(*), count(d), count(c0), count(c19) FROM race.shared';
  for (const adapter of pair) {
    await until(async () => (await rowsOf(adapter, countShared))[0]?.[0] === bodies * 2, visibleWithinMs);
    t.deepEqual(await rowsOf(adapter, countShared), [[bodies * 2, bodies * 2, 2, 2]]);
    for (let measurement = 0; measurement < 10; measurement++) {
      t.deepEqual(await rowsOf(adapter, `SELECT count(*) FROM race.m${measurement}`), [[(bodies / 10) * 2]]);
    }
  }
});

test('a table or database dropped through one and made again through the other holds new rows only', async (t) => {
  const [a, b, engine] = await startPair(t);
  await store(a, 'd', `m,k=x v=1 ${startMs}`);
  await store(b, 'd', `m,k=x v=2 ${startMs + 1}`);
  t.deepEqual(await rowsOf(b, 'SELECT count(*) FROM d.m'), [[2]]);
  for (let round = 0; round < 4; round++) {
    const [dropper, writer] = round % 2 === 0 ? [a, b] : [b, a];
    await execute(dropper, 'DROP STABLE d.m');
    await store(writer, 'd', `m,k=x v=${round} ${startMs + 10 + round}`);
    await store(dropper, 'd', `m,k=y v=${round} ${startMs + 10 + round}`);
    for (const adapter of [a, b]) {
      t.deepEqual(await rowsOf(adapter, 'SELECT k, v FROM d.m ORDER BY k'), [
        ['x', round],
        ['y', round],
      ]);
    }
  }
  for (let round = 0; round < 4; round++) {
    const [dropper, writer] = round % 2 === 0 ? [a, b] : [b, a];
    await execute(dropper, 'DROP DATABASE d');
    await store(writer, 'd', `m,k=x v=${round} ${startMs + 20 + round}`);
    await store(dropper, 'd', `m,k=y v=${round} ${startMs + 20 + round}`);
    for (const adapter of [a, b]) {
      t.deepEqual(await rowsOf(adapter, 'SELECT k, v FROM d.m ORDER BY k'), [
        ['x', round],
        ['y', round],
      ]);
    }
  }
  await execute(a, 'CREATE DATABASE e', 'CREATE TABLE e.n (ts TIMESTAMP, v INT)');
  await execute(a, `INSERT INTO e.n VALUES (${startMs}, 1)`);
  await execute(b, 'DROP TABLE e.n', 'CREATE TABLE e.n (ts TIMESTAMP, v INT)');
  t.deepEqual(await rowsOf(b, 'SELECT count(*) FROM e.n'), [[0]]);
  await until(async () => (await rowsOf(a, 'SELECT count(*) FROM e.n'))[0]?.[0] === 0, visibleWithinMs);
  await execute(a, `INSERT INTO e.n VALUES (${startMs + 1}, 2)`);
  t.deepEqual(await rowsOf(b, 'SELECT v FROM e.n'), [[2]]);
  // What one made again while the other did not know yet is still the one that the other drops.
  await execute(a, 'DROP STABLE d.m');
  await store(b, 'd', `m,k=x v=1 ${startMs}`);
  await execute(a, 'DROP STABLE d.m', 'DROP DATABASE d');
  await execute(b, 'DROP DATABASE e');
  t.is(await storedTables(engine), 0, 'nothing is left in the engine');
});

test('a sub-table dropped through one and made again through the other holds new rows only', async (t) => {
  await execute(a, 'CREATE DATABASE again', 'CREATE STABLE again.s (ts TIMESTAMP, v INT) TAGS (g INT)');
  for (let round = 0; round < 2; round++) {
    const [dropper, maker] = round % 2 === 0 ? [a, b] : [b, a];
    await execute(dropper, `INSERT INTO again.c USING again.s TAGS (${round}) VALUES (${startMs + round}, ${round})`);
    t.deepEqual(await rowsOf(maker, 'SELECT v, g FROM again.c'), [[round, round]]);
    await execute(dropper, 'DROP TABLE again.c');
    t.deepEqual(await rowsOf(maker, 'SELECT count(*) FROM again.s'), [[0]]);
    await execute(maker, `CREATE TABLE again.c USING again.s TAGS (${round + 100})`);
    await execute(maker, `INSERT INTO again.c VALUES (${startMs + 50}, 50)`);
    for (const adapter of [a, b]) t.deepEqual(await rowsOf(adapter, 'SELECT v, g FROM again.s'), [[50, round + 100]]);
    await execute(maker, 'DROP TABLE again.c');
    const count = 'SELECT count(*) FROM again.s';
    await until(async () => (await rowsOf(dropper, count))[0]?.[0] === 0, visibleWithinMs);
  }
});

test('users and passwords of one are those of the other within a second', async (t) => {
  // Statements of other tests would bring the news that is to come by itself.
  const [a, b] = await startPair(t);
  const isLetIn = async (adapter: Listening, password: string): Promise<boolean> =>
    (await sql(adapter, 'SHOW DATABASES', 'eve', password)).status === 200;
  await execute(a, "CREATE USER eve PASS 'First-pass1'");
  t.true(await until(() => isLetIn(b, 'First-pass1'), visibleWithinMs));
  await execute(a, "ALTER USER eve PASS 'Second-pass2'");
  t.false(await isLetIn(a, 'First-pass1'));
  t.true(await until(async () => !(await isLetIn(b, 'First-pass1')), visibleWithinMs), 'the old one is refused');
  t.true(await isLetIn(b, 'Second-pass2'));
  await execute(b, 'DROP USER eve');
  t.true(await until(async () => !(await isLetIn(a, 'Second-pass2')), visibleWithinMs), 'the user is gone');
});

test('columns of one key written through both in turn come together in one row', async (t) => {
  const rows = 10;
  for (let row = 0; row < rows; row++) {
    await store(a, 'parts', `m,k=x a=${row}i64 ${startMs + row}`);
    await store(b, 'parts', `m,k=x b=${row + 1}i64 ${startMs + row}`);
    await store(a, 'parts', `m,k=x c=${row + 2}i64 ${startMs + row}`);
    await store(b, 'parts', `m,k=x a=${row + 3}i64 ${startMs + row}`);
  }
  const expected = Array.from({ length: rows }, (_, row) => [row + 3, row + 1, row + 2]);
  for (const adapter of [a, b])
    t.deepEqual(await rowsOf(adapter, 'SELECT a, b, c FROM parts.m ORDER BY _ts'), expected);
});

test('sub-tables made through both at once are one each', async (t) => {
  await execute(a, 'CREATE DATABASE once', 'CREATE STABLE once.s (ts TIMESTAMP, v INT) TAGS (g INT)');
  const count = 15;
  const make = async (adapter: Listening, side: number): Promise<void> => {
    for (let i = 0; i < count; i++) {
      await execute(adapter, `CREATE TABLE IF NOT EXISTS once.c${i} USING once.s TAGS (${i})`);
      await execute(adapter, `INSERT INTO once.c${i} VALUES (${startMs + side}, ${side})`);
      await store(adapter, 'once', `lines,k=k${i} v=${side} ${startMs + side}`);
    }
  };
  await Promise.all([make(a, 0), make(b, 1)]);
  const expected = Array.from({ length: count }, (_, i) => [i, 2]);
  for (const adapter of [a, b]) {
    t.deepEqual(await rowsOf(adapter, 'SELECT g, count(*) FROM once.s GROUP BY g ORDER BY g'), expected);
    t.is((await rowsOf(adapter, 'SELECT DISTINCT tbname FROM once.s')).length, count);
    t.is((await rowsOf(adapter, 'SELECT DISTINCT tbname FROM once.lines')).length, count);
    t.deepEqual(await rowsOf(adapter, 'SELECT count(*) FROM once.lines'), [[count * 2]]);
  }
});
