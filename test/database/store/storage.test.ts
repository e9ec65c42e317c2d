import test from 'ava';
import { Catalogue } from '../../../src/database/catalogue/catalogue.js';
import { EngineClient } from '../../../src/database/engine/client.js';
import { Storage } from '../../../src/database/store/storage.js';
import { dataType } from '../../../src/model/schema.js';
import { silentLog } from '../../support/engine/engine.js';
import { sharedEngine } from '../../support/engine/shared-engine.js';
import { until } from '../../support/until.js';

const engine = await sharedEngine();
test.after.always(engine.end);

for (const kind of ['super', 'normal'] as const) {
  test.serial(`a column that a ${kind} table was given after it was made is in its storage`, async (t) => {
    await engine.clear();
    const client = new EngineClient(engine.endpoint);
    const catalogue = new Catalogue(client, silentLog);
    const storage = new Storage(client, catalogue);
    const column = { name: 'v', type: dataType('INT') };
    const tags = kind === 'super' ? [{ name: 'g', type: dataType('INT') }] : [];
    const name = { database: 'd', name: 't' };
    const definition = { kind, timeColumn: 'ts', columns: [column], tags, comment: undefined, ttl: 0 };
    await catalogue.submit([
      { op: 'create-database', name: 'd', precision: 'ms', keepDays: 3650, options: {} },
      { op: 'create-table', ...name, ...definition },
    ]);
    const ensured = async () => {
      const table = catalogue.table('d', 't')!;
      await storage.ensure(catalogue.database('d')!, table);
      return (await client.rows(`DESCRIBE TABLE ${table.storage}`)).length;
    };
    // Beside the columns: the id and the time.
    t.is(await ensured(), 3);
    await catalogue.submit([
      { op: 'alter-table', ...name, change: { kind: 'add-column', column: { ...column, name: 'w' } } },
    ]);
    t.is(await ensured(), 4);
    await client.close();
  });
}

test.serial('a database goes although others, who do not know of it yet, make tables in it meanwhile', async (t) => {
  await engine.clear();
  const client = new EngineClient(engine.endpoint);
  const catalogue = new Catalogue(client, silentLog);
  const storage = new Storage(client, catalogue);
  for (const name of ['a', 'b', 'c', 'd', 'e']) {
    await catalogue.submit([{ op: 'create-database', name, precision: 'ms', keepDays: 3650, options: {} }]);
    const database = catalogue.database(name)!;
    await client.exec(`CREATE DATABASE ${database.id}`);
    let created = 0;
    const others = [1, 2, 3].map(async () => {
      while (created < 5_000)
        await client.exec(`CREATE TABLE ${database.id}.t${++created} (a UInt8) ENGINE = MergeTree ORDER BY a`);
    });
    t.true(await until(() => created >= 20));
    await t.notThrowsAsync(storage.dropDatabase(database));
    for (const other of others) await t.throwsAsync(other, { message: /does not exist|is dropped|dropped/ });
  }
  t.deepEqual(await client.rows("SELECT name FROM system.databases WHERE match(name, '^d[0-9]')"), []);
  await client.close();
});
