import test from 'ava';
import { EngineClient } from '../../../src/database/engine/client.js';
import { RestingTables } from '../../../src/database/host/resting-tables.js';
import { startEngine } from '../../support/engine/engine.js';
import { ManualClock } from '../../support/manual-clock.js';
import { until } from '../../support/until.js';

const { endpoint, end } = await startEngine();
const client = new EngineClient(endpoint);
test.after.always(async () => {
  await client.close();
  await end();
});

const looks: string[] = [];
const resting = new RestingTables(
  async (statement) => {
    looks.push(statement);
    return String(await client.bytes(statement.startsWith('SELECT') ? `${statement} FORMAT TSVRaw` : statement));
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

test('parts of a table into which nothing is inserted any more are merged, where there are some with many rows', async (t) => {
  await inserts('many', 5, 15_000);
  await inserts('few', 5, 100);
  await inserts('once', 2, 50_000);
  t.deepEqual(await Promise.all(['many', 'few', 'once'].map(partsOf)), [5, 5, 2]);
  for (let at = 0; at < 5; at++) {
    for (const table of ['many', 'few']) resting.inserted(`INSERT INTO default.${table} (a) FORMAT Native`);
    if (at < 2) resting.inserted('INSERT INTO default.once ');
    // None of these is a table that is known by its name.
    resting.inserted('INSERT INTO many VALUES (1)');
    resting.inserted("INSERT INTO FUNCTION file('x') VALUES (1)");
  }
  t.true(await until(async () => (await partsOf('many')) === 1));
  t.deepEqual(await Promise.all(['few', 'once'].map(partsOf)), [5, 2]);
  // The parts that were merged are removed before the engine itself looks for such.
  const all = "SELECT count() FROM system.parts WHERE table = 'many'";
  t.true(await until(async () => (await client.rows(all))[0]?.[0] === 1, 5_000));
  t.is(looks.length, 3);
  resting.stop();
  resting.inserted('INSERT INTO default.few FORMAT Native');
  t.is(looks.length, 3);
});

test('a table is looked at as soon as it has rested, whenever the others were written', async (t) => {
  const clock = new ManualClock();
  const asked: [atMs: number, tables: string][] = [];
  const begun: Promise<void>[] = [];
  const run = async (statement: string) => {
    asked.push([clock.now(), /IN \((.*)\) GROUP/s.exec(statement)?.[1] ?? statement]);
    return '';
  };
  const tables = new RestingTables(run, (look) => begun.push(look), 1_000, 1_000, clock);
  const insert = (table: string): void => {
    for (let at = 0; at < 4; at++) tables.inserted(`INSERT INTO default.${table} FORMAT Native`);
  };
  const pass = async (ms: number): Promise<void> => {
    clock.pass(ms);
    await Promise.all(begun);
  };
  insert('a');
  await pass(600);
  insert('b');
  await pass(200);
  insert('a');
  for (let at = 0; at < 12; at++) await pass(100);
  t.deepEqual(asked, [
    [1_600, "('default', 'b')"],
    [1_800, "('default', 'a')"],
  ]);
});
