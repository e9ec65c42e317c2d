import test from 'ava';
import { EngineClient } from '../../../src/database/engine/client.js';
import { IdleTableMerge } from '../../../src/database/host/idle-table-merge.js';
import { startEngine } from '../../support/engine/engine.js';
import { ManualClock } from '../../support/manual-clock.js';
import { until } from '../../support/until.js';

const { endpoint, end } = await startEngine();
const client = new EngineClient(endpoint);
test.after.always(async () => {
  await client.close();
  await end();
});

const statements: string[] = [];
const merge = new IdleTableMerge(
  async (statement) => {
    statements.push(statement);
    if (statement.startsWith('SELECT')) return String(await client.bytes({ statement, format: 'TSVRaw' }));
    await client.exec(statement);
    return '';
  },
  () => {},
  100,
  100,
);

async function inserts(table: string, count: number, rows: number): Promise<void> {
  await client.exec(
    `CREATE TABLE default.${table} (a Int64) ENGINE = MergeTree ORDER BY a
     SETTINGS merge_selector_base = 100, old_parts_lifetime = 0`,
  );
  for (let at = 0; at < count; at++) {
    await client.exec(`INSERT INTO default.${table} SELECT number FROM numbers(${rows})`);
  }
}

const partsOf = async (table: string) => {
  const [[parts] = []] = await client.rows(`SELECT count() FROM system.parts WHERE active AND table = '${table}'`);
  return parts;
};

test('parts of an idle table are merged if there are several with many rows', async (t) => {
  await inserts('many', 5, 15_000);
  await inserts('few', 5, 100);
  await inserts('once', 2, 50_000);
  t.deepEqual(await Promise.all(['many', 'few', 'once'].map(partsOf)), [5, 5, 2]);
  for (let at = 0; at < 5; at++) {
    for (const table of ['many', 'few']) merge.inserted(`default.${table}`);
    if (at < 2) merge.inserted('default.once');
    // None of these names a database and a table.
    merge.inserted('many');
    merge.inserted("INSERT INTO FUNCTION file('x') VALUES (1)");
  }
  t.true(await until(async () => (await partsOf('many')) === 1));
  t.deepEqual(await Promise.all(['few', 'once'].map(partsOf)), [5, 2]);
  // The parts that were merged are removed before the engine itself statements for such.
  const all = "SELECT count() FROM system.parts WHERE table = 'many'";
  t.true(await until(async () => (await client.rows(all))[0]?.[0] === 1, 5_000));
  t.is(statements.length, 3);
  merge.stop();
  merge.inserted('default.few');
  t.is(statements.length, 3);
});

test('a table is checked as soon as it is idle, independent of the others', async (t) => {
  const clock = new ManualClock();
  const queries: [atMs: number, tables: string][] = [];
  const tracked: Promise<void>[] = [];
  const run = async (statement: string) => {
    queries.push([clock.now(), /IN \((.*)\) GROUP/s.exec(statement)?.[1] ?? statement]);
    return '';
  };
  const tables = new IdleTableMerge(run, (work) => tracked.push(work), 1_000, 1_000, clock);
  const insert = (table: string): void => {
    for (let at = 0; at < 4; at++) tables.inserted(`default.${table}`);
  };
  const pass = async (ms: number): Promise<void> => {
    clock.pass(ms);
    await Promise.all(tracked);
  };
  insert('a');
  await pass(600);
  insert('b');
  await pass(200);
  insert('a');
  for (let at = 0; at < 12; at++) await pass(100);
  t.deepEqual(queries, [
    [1_600, "('default', 'b')"],
    [1_800, "('default', 'a')"],
  ]);
});
