import test from 'ava';
import { Catalogue } from '../../../src/database/catalogue/catalogue.js';
import type { Operation } from '../../../src/database/catalogue/operations.js';
import { Changes } from '../../../src/database/store/changes.js';
import { dropOldRows } from '../../../src/database/store/retention.js';
import { Storage } from '../../../src/database/store/storage.js';
import { dataType } from '../../../src/model/schema.js';
import { silentLog } from '../../support/engine/engine.js';
import { sharedEngine } from '../../support/engine/shared-engine.js';

const { client, end } = await sharedEngine();
test.after.always(end);

const dayMs = 86_400_000;
const day = (number: number): number => number * dayMs;

function createDatabase(name: string): Operation {
  return { op: 'create-database', name, precision: 'ms', keepDays: 100, options: {} };
}

function createTable(database: string, name: string): Operation {
  return {
    op: 'create-table',
    database,
    name,
    kind: 'super',
    timeColumn: 'ts',
    columns: [{ name: 'v', type: dataType('INT') }],
    tags: [{ name: 'g', type: dataType('INT') }],
    comment: undefined,
    ttl: 0,
  };
}

test.serial(
  'rows go with their partition once all of it is older than the database keeps, by the retention of the moment',
  async (t) => {
    const catalogue = new Catalogue(client, silentLog);
    const storage = new Storage(client, catalogue);
    await catalogue.submit([createDatabase('d'), createTable('d', 's')]);
    const table = catalogue.table('d', 's')!;
    await storage.ensure(catalogue.database('d')!, table);
    // Partitions of ten days: -2, 0 (both sides of 1970), 1, 100, 101 and 109.
    const days = [-25, -5, 5, 15, 1000, 1009, 1010, 1095];
    const values = days.map((number) => `(1, ${day(number)})`);
    await client.exec(`INSERT INTO ${table.storage} (id, ts) VALUES ${values.join(', ')}`);
    const left = async (): Promise<readonly number[]> =>
      (await client.rows(`SELECT toString(ts) FROM ${table.storage} ORDER BY ts`)).map(([ts]) => Number(ts) / dayMs);

    t.is(await dropOldRows({ engine: client, catalogue }, day(90)), 1);
    t.deepEqual(await left(), days.slice(1));
    t.is(await dropOldRows({ engine: client, catalogue }, day(1109), AbortSignal.abort()), 0);
    t.is(await dropOldRows({ engine: client, catalogue }, day(1109)), 2);
    t.deepEqual(await left(), days.slice(4));
    t.is(await dropOldRows({ engine: client, catalogue }, day(1110)), 1);
    t.deepEqual(await left(), [1010, 1095]);

    await catalogue.submit([{ op: 'alter-database', name: 'd', keepDays: 10, options: {} }]);
    t.is(await dropOldRows({ engine: client, catalogue }, day(1031)), 1);
    t.deepEqual(await left(), [1095]);
  },
);

test.serial(
  'a table whose changes are followed gives no number twice, also when its newest partition goes',
  async (t) => {
    const catalogue = new Catalogue(client, silentLog);
    const storage = new Storage(client, catalogue);
    await catalogue.submit([
      createDatabase('f'),
      ...['followed', 'other', 'newer'].map((name) => createTable('f', name)),
    ]);
    const database = catalogue.database('f')!;
    const changes = new Changes(client, storage);
    for (const name of ['followed', 'other', 'newer']) {
      const { storage: place } = catalogue.table('f', name)!;
      await storage.ensure(database, catalogue.table('f', name)!);
      if (name !== 'other') await changes.track(database, catalogue.table('f', name)!);
      await client.exec(`INSERT INTO ${place} (id, ts) VALUES (1, ${day(5)})`);
      if (name === 'newer') await client.exec(`INSERT INTO ${place} (id, ts) VALUES (1, ${day(500)})`);
    }
    t.is(await dropOldRows({ engine: client, catalogue }, day(400)), 3);
    const held = await client.rows(
      `SELECT concat(database, '.', table), block_numbers.number[1] FROM system.mutations WHERE database = '${database.id}'`,
    );
    t.deepEqual(held, [[catalogue.table('f', 'followed')!.storage, 2]]);
  },
);
