import test from 'ava';
import { Catalogue } from '../../../src/database/catalogue/catalogue.js';
import type { Operation } from '../../../src/database/catalogue/operations.js';
import { removeOrphanedTables } from '../../../src/database/store/orphaned-tables.js';
import { Storage } from '../../../src/database/store/storage.js';
import { SubTables } from '../../../src/database/store/sub-tables.js';
import { dataType } from '../../../src/model/schema.js';
import { dropSubTables, dropWhole } from '../../../src/statements/definitions/drop-table.js';
import { silentLog } from '../../support/engine/engine.js';
import { sharedEngine } from '../../support/engine/shared-engine.js';
import { until } from '../../support/until.js';

const { client, end } = await sharedEngine();
test.after.always(end);

const superTable = (database: string, name: string, ...columns: readonly string[]): Operation => ({
  op: 'extend-table',
  database,
  name,
  timeColumn: 'ts',
  columns: columns.map((column) => ({ name: column, type: dataType('INT') })),
  tags: [{ name: 'g', type: dataType('INT') }],
});
const newDatabase = (name: string): Operation => ({
  op: 'create-database',
  name,
  precision: 'ms',
  keepDays: 3650,
  options: {},
});

test.serial('metrics that share storage are dropped at once, and what they leave goes a little later', async (t) => {
  const catalogue = new Catalogue(client, silentLog);
  const storage = new Storage(client, catalogue);
  const subTables = new SubTables(client, catalogue);
  const names = ['a', 'b', 'c', 'd'];
  await catalogue.submit([newDatabase('s'), ...names.map((name) => superTable('s', name, 'v'))]);
  const s = catalogue.database('s')!;
  const tables = names.map((name) => catalogue.table('s', name)!);
  for (const table of tables) {
    await storage.ensure(s, table);
    const subTable = subTables.make(s, table.name, `s_${table.name}`, new Map([['g', '1']]), 0);
    t.is(await subTables.register(s, table, [subTable]), undefined);
    await client.exec(`INSERT INTO ${table.storage} (t, id, ts) VALUES (${table.number}, ${subTable.id}, 1)`);
  }
  const left = async () => {
    const { storage: rows, tagStorage: tags, number } = tables[3]!;
    const [checks] = await client.rows(
      `SELECT (SELECT groupArray(t) FROM ${rows}) = [${number}], (SELECT groupArray(t) FROM ${tags}) = [${number}],
       (SELECT groupArray(name) FROM sluice.sub_tables FINAL WHERE database = '${s.id}') = ['s_d']`,
    );
    return checks?.every((cell) => Number(cell) === 1) === true;
  };
  for (const table of tables.slice(0, -1)) await dropWhole(s, table, { catalogue, storage, subTables });
  t.deepEqual(
    catalogue.tables('s').map(({ name }) => name),
    ['d'],
  );
  t.true(await until(left));
});

test.serial('a super table takes its sub-tables out of the registry, and no others', async (t) => {
  const catalogue = new Catalogue(client, silentLog);
  const storage = new Storage(client, catalogue);
  const subTables = new SubTables(client, catalogue);
  await catalogue.submit([newDatabase('d'), superTable('d', 'a', 'v', 'w'), superTable('d', 'b', 'v', 'w')]);
  const d = catalogue.database('d')!;
  const [a, b] = [catalogue.table('d', 'a')!, catalogue.table('d', 'b')!];
  for (const table of [a, b]) {
    await storage.ensure(d, table);
    const children = [1, 2].map((n) => subTables.make(d, table.name, `${table.name}${n}`, new Map([['g', `${n}`]]), 0));
    t.is(await subTables.register(d, table, children), undefined);
  }
  const context = { catalogue, storage, subTables };
  const registered = async () => {
    const rows = await client.rows(
      `SELECT name FROM sluice.sub_tables FINAL WHERE dropped = 0 AND database = '${d.id}' ORDER BY name`,
    );
    return rows.map(([name]) => name);
  };
  t.deepEqual(await registered(), ['a1', 'a2', 'b1', 'b2']);
  await dropWhole(d, a, context);
  t.deepEqual(await registered(), ['b1', 'b2']);

  const b1 = (await subTables.lookUp(d, ['b1'])).get('b1')!;
  await dropSubTables(d, b, [b1], context);
  t.deepEqual(await registered(), ['b2']);
  // What was dropped already, by whomever, is dropped once.
  await dropSubTables(d, b, [b1], context);
  t.is(catalogue.generation('d', 'b1'), 1);

  // A name that was free again is registered under its new super table.
  const again = subTables.make(d, 'b', 'a1', new Map([['g', '7']]), 0);
  t.is(await subTables.register(d, b, [again]), undefined);
  t.deepEqual(await registered(), ['a1', 'b2']);
});

test.serial(
  'rows of dropped sub-tables are removed later, together, and until then the catalogue lists them',
  async (t) => {
    const catalogue = new Catalogue(client, silentLog);
    const storage = new Storage(client, catalogue);
    const subTables = new SubTables(client, catalogue);
    await catalogue.submit([newDatabase('later'), superTable('later', 'a', 'v', 'w')]);
    const database = catalogue.database('later')!;
    const table = catalogue.table('later', 'a')!;
    await storage.ensure(database, table);
    const children = [0, 1, 2].map((n) => subTables.make(database, 'a', `a${n}`, new Map([['g', `${n}`]]), 0));
    t.is(await subTables.register(database, table, children), undefined);
    for (const { id } of children) await client.exec(`INSERT INTO ${table.storage} (id, ts) VALUES (${id}, 1)`);
    const context = { catalogue, storage, subTables };
    for (const one of children.slice(1)) await dropSubTables(database, table, [one], context);
    t.is(catalogue.removals('later', 'a').size, 2);
    // What a writer does that has not read the drop.
    const { key, name } = children[1]!;
    const registered = `database = '${database.id}' AND id = ${key}`;
    await client.exec(`INSERT INTO sluice.sub_tables (database, id, name, parent)
      VALUES ('${database.id}', ${key}, '${name}', '${table.id}')`);
    t.true(await until(() => catalogue.removals('later', 'a').size === 0));
    t.deepEqual(await client.rows(`SELECT dropped FROM sluice.sub_tables FINAL WHERE ${registered}`), [[1]]);
    t.deepEqual(await client.rows(`SELECT toString(id) FROM ${table.storage}`), [[String(children[0]!.id)]]);
    // Another process reads the same in the log.
    const other = new Catalogue(client, silentLog);
    await other.sync();
    t.is(other.removals('later', 'a').size, 0);
  },
);

test.serial('a removal that a crash broke off is finished at the next start', async (t) => {
  const catalogue = new Catalogue(client, silentLog);
  const storage = new Storage(client, catalogue);
  const subTables = new SubTables(client, catalogue);
  await catalogue.submit([newDatabase('crash'), superTable('crash', 'a', 'v', 'w')]);
  const database = catalogue.database('crash')!;
  const table = catalogue.table('crash', 'a')!;
  await storage.ensure(database, table);
  const children = [0, 1].map((n) => subTables.make(database, 'a', `a${n}`, new Map([['g', `${n}`]]), 0));
  t.is(await subTables.register(database, table, children), undefined);
  for (const { id } of children) await client.exec(`INSERT INTO ${table.storage} (id, ts) VALUES (${id}, 1)`);
  const drop = { op: 'drop-sub-table', database: 'crash', superTable: 'a', name: 'a1', generation: 0 } as const;
  await catalogue.submit([{ ...drop, removal: 'broken off' }]);
  t.deepEqual([...catalogue.removals('crash', 'a').keys()], ['broken off']);
  await removeOrphanedTables({ engine: client, catalogue, storage, subTables });
  t.is(catalogue.removals('crash', 'a').size, 0);
  t.deepEqual(await client.rows(`SELECT toString(id) FROM ${table.storage}`), [[String(children[0]!.id)]]);
});
