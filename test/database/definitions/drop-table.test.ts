import test from 'ava';
import { Catalogue } from '../../../src/database/catalogue/catalogue.js';
import type { Operation } from '../../../src/database/catalogue/operations.js';
import { Storage } from '../../../src/database/catalogue/storage.js';
import { SubTables } from '../../../src/database/catalogue/sub-tables.js';
import { EngineClient } from '../../../src/database/client.js';
import { dropSubTable, dropWhole } from '../../../src/database/definitions/drop-table.js';
import { dataType } from '../../../src/model/schema.js';
import { silentLog, startEngine } from '../../support/engine.js';

const engine = await startEngine();
const client = new EngineClient(engine.endpoint);
test.after.always(async () => {
  await client.close();
  await engine.end();
});

test('a super table takes its sub-tables out of the registry, and no others', async (t) => {
  const catalogue = new Catalogue(client, silentLog);
  const storage = new Storage(client, catalogue);
  const subTables = new SubTables(client, catalogue);
  const superTable = (name: string): Operation => ({
    op: 'extend-table',
    database: 'd',
    name,
    timeColumn: 'ts',
    columns: [{ name: 'v', type: dataType('INT') }],
    tags: [{ name: 'g', type: dataType('INT') }],
  });
  const database = { op: 'create-database', name: 'd', precision: 'ms', keepDays: 3650, options: {} } as const;
  await catalogue.submit([database, superTable('a'), superTable('b')]);
  const d = catalogue.database('d')!;
  const [a, b] = [catalogue.table('d', 'a')!, catalogue.table('d', 'b')!];
  for (const table of [a, b]) {
    await storage.ensure(d, table);
    const made = [1, 2].map((n) => subTables.make(d, table.name, `${table.name}${n}`, new Map([['g', `${n}`]]), 0));
    t.is(await subTables.register(d, table, made), undefined);
  }
  const context = { catalogue, storage, subTables };
  const registered = async () => {
    const rows = await client.rows('SELECT name FROM sluice.sub_tables FINAL WHERE dropped = 0 ORDER BY name');
    return rows.map(([name]) => name);
  };
  t.deepEqual(await registered(), ['a1', 'a2', 'b1', 'b2']);
  await dropWhole(d, a, context);
  t.deepEqual(await registered(), ['b1', 'b2']);

  const b1 = (await subTables.lookUp(d, ['b1'])).get('b1')!;
  await dropSubTable(d, b, b1, context);
  t.deepEqual(await registered(), ['b2']);
  // What was dropped already, by whomever, is dropped once.
  await dropSubTable(d, b, b1, context);
  t.is(catalogue.generation('d', 'b1'), 1);

  // A name that was free again is registered under its new super table.
  const again = subTables.make(d, 'b', 'a1', new Map([['g', '7']]), 0);
  t.is(await subTables.register(d, b, [again]), undefined);
  t.deepEqual(await registered(), ['a1', 'b2']);
});
