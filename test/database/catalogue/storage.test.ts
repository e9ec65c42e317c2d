import test from 'ava';
import { Catalogue } from '../../../src/database/catalogue/catalogue.js';
import { Storage } from '../../../src/database/catalogue/storage.js';
import { EngineClient } from '../../../src/database/client.js';
import { dataType } from '../../../src/model/schema.js';
import { silentLog, startEngine } from '../../support/engine.js';

for (const kind of ['super', 'normal'] as const) {
  test(`a column that a ${kind} table was given after it was made is in its storage`, async (t) => {
    const engine = await startEngine();
    const client = new EngineClient(engine.endpoint);
    const catalogue = new Catalogue(client, silentLog);
    const storage = new Storage(client, catalogue);
    const column = { name: 'v', type: dataType('INT') };
    const tags = kind === 'super' ? [{ name: 'g', type: dataType('INT') }] : [];
    const name = { database: 'd', name: 't' };
    const made = { kind, timeColumn: 'ts', columns: [column], tags, comment: undefined, ttl: 0 };
    await catalogue.submit([
      { op: 'create-database', name: 'd', precision: 'ms', keepDays: 3650, options: {} },
      { op: 'create-table', ...name, ...made },
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
    await engine.end();
  });
}
