import test from 'ava';
import type { Engine } from '../../../src/database/engine/engine.js';
import { UniqueRowsLooks } from '../../../src/database/store/unique-rows.js';
import type { UniqueRows } from '../../../src/model/unique-rows.js';
import { sharedEngine } from '../../support/engine/shared-engine.js';
import { until } from '../../support/until.js';

const { client, end } = await sharedEngine();
test.before(() => client.exec('CREATE DATABASE d'));
test.after.always(end);

const columns = '(id UInt64, ts Int64, v Int64) ENGINE = ReplacingMergeTree';
/** A table of ten series, its rows in four inserts that overlap in time. */
async function table(name: string): Promise<string> {
  const storage = `d.${name}`;
  await client.exec(`CREATE TABLE ${storage} ${columns} PARTITION BY intDiv(ts, 1000000) ORDER BY (id, ts)`);
  await client.exec(`SYSTEM STOP MERGES ${storage}`);
  for (let part = 0; part < 4; part++) await insert(storage, part * 100, 200, `id % 2 = ${part % 2}`);
  return storage;
}

function insert(storage: string, first: number, times: number, condition = '1'): Promise<void> {
  const rows = `SELECT number % 10 AS id, ${first} + intDiv(number, 10) AS ts, rand() % 100 FROM numbers(${times * 10})`;
  return client.exec(
    `INSERT INTO ${storage} SELECT * FROM (${rows}) WHERE ${condition} SETTINGS optimize_on_insert = 0`,
  );
}

/** What is known at the end of the look that is begun at once. */
async function looked(looks: UniqueRowsLooks, storage: string, isIt: (look: UniqueRows | undefined) => boolean) {
  let now = performance.now();
  // Each check comes after the pauses.
  await until(() => {
    now += 1_000_000;
    return isIt(looks.of(storage, now));
  });
  return looks.of(storage, 0);
}

test('all rows are unique while no key is stored twice, and a piece of time where one is', async (t) => {
  const storage = await table('steady');
  const looks = new UniqueRowsLooks(client, 10);
  t.is(looks.of(storage), undefined);
  const first = await looked(looks, storage, (look) => look !== undefined);
  t.like(first, { insert: 4, from: undefined, until: undefined, isAll: true });
  t.deepEqual(
    first?.parts.map(({ rows }) => rows),
    [1000, 1000, 1000, 1000],
  );
  // Nothing has changed.
  t.is(await looked(looks, storage, () => true), first);
  await insert(storage, 500, 100);
  // Somebody finds the newer rows before they are looked at.
  looks.assumptionFailed(storage);
  t.like(looks.of(storage, 0), { insert: 4, from: undefined, until: undefined, isAll: false });
  const more = await looked(looks, storage, (look) => look?.insert === 5);
  t.like(more, { from: undefined, until: undefined, isAll: true });
  // Three keys once more: what is behind them has most rows.
  await insert(storage, 100, 1, 'id < 3');
  const behind = await looked(looks, storage, (look) => look?.insert === 6);
  t.true(behind?.from !== undefined && behind.from > 100n && behind.from < 150n, String(behind?.from));
  t.like(behind, { until: undefined, isAll: false });
  await client.exec(`SYSTEM START MERGES ${storage}`);
  await client.exec(`OPTIMIZE TABLE ${storage} FINAL`);
  // A part that was merged has each key once.
  const merged = await looked(looks, storage, (look) => look?.parts.length === 1);
  t.like(merged, { insert: 6, from: undefined, until: undefined, isAll: true });
  t.is(await looked(looks, storage, () => true), merged);
});

test('nothing is known once it is forgotten, also by a look that is under way', async (t) => {
  const storage = await table('forgotten');
  let queries = 0;
  let goOn = (): void => {};
  const held = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  const rows: Engine['rows'] = async (sql) => {
    queries++;
    if (queries === 3) await held;
    return client.rows(sql);
  };
  const looks = new UniqueRowsLooks({ rows, system: { rows } }, 10);
  looks.of(storage, 0);
  await until(() => queries === 3);
  looks.forget();
  goOn();
  t.is(looks.of(storage, Number.NEGATIVE_INFINITY), undefined);
  t.like(await looked(looks, storage, (look) => look !== undefined), { insert: 4 });
});

test('where a statement does not see one state of a table nothing is known', async (t) => {
  const storage = await table('other');
  let queries = 0;
  const rows: Engine['rows'] = async (sql) => {
    queries++;
    return sql.includes('system.settings') ? [] : client.rows(sql);
  };
  const looks = new UniqueRowsLooks({ rows, system: { rows } }, 10);
  t.is(await looked(looks, storage, () => queries > 0), undefined);
  t.is(queries, 1);
});

test('one state of a table is what a statement sees, while rows are written', async (t) => {
  const storage = await table('watched');
  const count = `(SELECT count() FROM ${storage} WHERE ts >= 0)`;
  const slow = `(SELECT count() + max(sleepEachRow(0.5)) FROM (SELECT 1 FROM ${storage} LIMIT 2) WHERE ${count} > 0)`;
  const query = client.rows(`SELECT ${slow} > 0, (SELECT count() FROM ${storage} FINAL WHERE v >= 0), ${count}`);
  let isOver = false;
  const over = query.finally(() => {
    isOver = true;
  });
  await until(
    async () =>
      (
        await client.rows(
          `SELECT 1 FROM system.processes WHERE query LIKE '%sleepEachRow(0.5)%' AND query NOT LIKE '%processes%'`,
        )
      ).length > 0,
  );
  await insert(storage, 5_000, 10);
  t.false(isOver);
  t.deepEqual(
    (await over).map((row) => row.map(Number)),
    [[1, 4000, 4000]],
  );
});
