import test from 'ava';
import { Catalogue } from '../../../src/database/catalogue/catalogue.js';
import type { Operation } from '../../../src/database/catalogue/operations.js';
import { removeOrphanedTables } from '../../../src/database/store/orphaned-tables.js';
import { Storage } from '../../../src/database/store/storage.js';
import { SubTables } from '../../../src/database/store/sub-tables.js';
import { dataType } from '../../../src/model/schema.js';
import { silentLog } from '../../support/engine/engine.js';
import { sharedEngine } from '../../support/engine/shared-engine.js';

const { client, end } = await sharedEngine();
test.after.always(end);

test('what a crash in the middle of a drop has left is removed at the next start, and nothing else', async (t) => {
  const catalogue = new Catalogue(client, silentLog);
  const storage = new Storage(client, catalogue);
  const subTables = new SubTables(client, catalogue);
  const database = (name: string): Operation => ({
    op: 'create-database',
    name,
    precision: 'ms',
    keepDays: 36500,
    options: {},
  });
  /** With one column its storage is shared. */
  const table = (name: string, of: string, ...columns: readonly string[]): Operation => ({
    op: 'extend-table',
    database: of,
    name,
    timeColumn: '_ts',
    columns: columns.map((column) => ({ name: column, type: dataType('INT') })),
    tags: [{ name: 'g', type: dataType('NCHAR', 8) }],
  });
  await catalogue.submit([
    database('db'),
    database('gone'),
    table('m', 'db', 'v', 'w'),
    table('dead', 'db', 'v', 'w'),
    table('shared', 'db', 'v'),
    table('shareddead', 'db', 'v'),
    table('x', 'gone', 'v'),
  ]);
  const [db, gone] = [catalogue.database('db')!, catalogue.database('gone')!];
  const [m, dead] = [catalogue.table('db', 'm')!, catalogue.table('db', 'dead')!];
  const [shared, sharedDead] = [catalogue.table('db', 'shared')!, catalogue.table('db', 'shareddead')!];
  t.deepEqual([shared.storage, shared.tagStorage], [sharedDead.storage, sharedDead.tagStorage]);
  for (const table of [m, dead, shared, sharedDead]) await storage.ensure(db, table);
  await storage.ensure(gone, catalogue.table('gone', 'x')!);
  const subTable = (of: string, name: string) => subTables.make(db, of, name, new Map([['g', 'x']]), 0);
  const children = ['kept', 'dropped'].map((name) => subTable('m', name));
  t.is(await subTables.register(db, m, children), undefined);
  for (const { id } of children) {
    await client.exec(`INSERT INTO ${m.storage} (id, ts, ${m.columns[0]!.physical}) VALUES (${id}, 1, 1)`);
  }
  for (const { name, number, storage: place, columns } of [shared, sharedDead]) {
    const series = ['a', 'b'].map((series) => subTable(name, `${name}_${series}`));
    t.is(await subTables.register(db, name === 'shared' ? shared : sharedDead, series), undefined);
    const values = series.map(({ id }) => `(${number}, ${id}, 1, 1)`);
    await client.exec(`INSERT INTO ${place} (t, id, ts, ${columns[0]!.physical}) VALUES ${values.join(', ')}`);
  }
  await client.exec('CREATE DATABASE d999999_0');

  // The process dies between the log and the engine: only the log knows of the drops.
  await catalogue.submit([
    { op: 'drop-database', name: 'gone', id: gone.id },
    { op: 'drop-table', database: 'db', name: 'dead', id: dead.id },
    { op: 'drop-table', database: 'db', name: 'shareddead', id: sharedDead.id },
    { op: 'drop-sub-table', database: 'db', superTable: 'shared', name: 'shared_b', generation: 0 },
    { op: 'drop-sub-table', database: 'db', superTable: 'm', name: 'dropped', generation: 0 },
  ]);
  const next = new Catalogue(client, silentLog);
  for (let repeat = 0; repeat < 2; repeat++) {
    await removeOrphanedTables({
      engine: client,
      catalogue: next,
      storage: new Storage(client, next),
      subTables: new SubTables(client, next),
    });
  }
  const databases = await client.rows("SELECT name FROM system.databases WHERE match(name, '^d[0-9]') ORDER BY name");
  t.deepEqual(databases, [[db.id], ['d999999_0']].sort());
  const tables = await client.rows(`SELECT name FROM system.tables WHERE database = '${db.id}' ORDER BY name`);
  t.deepEqual(
    tables.map(([name]) => `${db.id}.${name}`),
    [m.tagStorage, shared.tagStorage, shared.storage, m.storage],
  );
  t.deepEqual(await client.rows(`SELECT t, name FROM ${shared.tagStorage} FINAL WHERE dropped = 0`), [
    [shared.number, 'shared_a'],
  ]);
  t.deepEqual(await client.rows(`SELECT t, toUInt32(count()) FROM ${shared.storage} GROUP BY t`), [[shared.number, 1]]);
  t.deepEqual(await client.rows(`SELECT name FROM ${m.tagStorage} FINAL WHERE dropped = 0`), [['kept']]);
  t.deepEqual(await client.rows(`SELECT toString(id) FROM ${m.storage}`), [[String(children[0]!.id)]]);
});
