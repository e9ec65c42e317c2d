import test from 'ava';
import { Catalogue } from '../../../src/database/catalogue/catalogue.js';
import type { Operation } from '../../../src/database/catalogue/operations.js';
import { Storage } from '../../../src/database/store/storage.js';
import { SubTables } from '../../../src/database/store/sub-tables.js';
import { dataType } from '../../../src/model/schema.js';
import { dropExpired } from '../../../src/statements/definitions/table-expiry.js';
import { silentLog } from '../../support/engine/engine.js';
import { sharedEngine } from '../../support/engine/shared-engine.js';

const { client, end } = await sharedEngine();
test.after.always(end);

const dayMs = 86_400_000;

test('tables are dropped when they have lived for their TTL, and no others', async (t) => {
  const catalogue = new Catalogue(client, silentLog);
  const storage = new Storage(client, catalogue);
  const subTables = new SubTables(client, catalogue);
  const table = (name: string, kind: 'super' | 'normal', ttl: number): Operation => ({
    op: 'create-table',
    database: 'd',
    name,
    kind,
    timeColumn: 'ts',
    columns: [{ name: 'v', type: dataType('INT') }],
    tags: kind === 'super' ? [{ name: 'g', type: dataType('INT') }] : [],
    comment: undefined,
    ttl,
  });
  const refused = await catalogue.submit([
    { op: 'create-database', name: 'd', precision: 'ms', keepDays: 3650, options: {} },
    table('s', 'super', 0),
    table('n2', 'normal', 2),
    table('n0', 'normal', 0),
  ]);
  t.deepEqual(refused, [undefined, undefined, undefined, undefined]);
  const [d, s] = [catalogue.database('d')!, catalogue.table('d', 's')!];
  await storage.ensure(d, s);
  await storage.ensure(d, catalogue.table('d', 'n2')!);
  const children = [0, 1, 3].map((ttl) => subTables.make(d, 's', `c${ttl}`, new Map([['g', '1']]), ttl));
  t.is(await subTables.register(d, s, children), undefined);
  const context = { engine: client, catalogue, storage, subTables };
  const left = async (): Promise<readonly string[]> => {
    const shown = await client.rows(`SELECT name FROM ${s.tagStorage} FINAL WHERE dropped = 0 ORDER BY name`);
    return [...catalogue.tables('d').map(({ name }) => name), ...shown.map(([name]) => String(name))];
  };

  const now = Date.now();
  t.is(await dropExpired(context, now), 0);
  t.deepEqual(await left(), ['s', 'n2', 'n0', 'c0', 'c1', 'c3']);
  t.is(await dropExpired(context, now + 1.5 * dayMs), 1);
  t.deepEqual(await left(), ['s', 'n2', 'n0', 'c0', 'c3']);
  t.is(await dropExpired(context, now + 10 * dayMs, AbortSignal.abort()), 0);
  t.is(await dropExpired(context, now + 10 * dayMs), 2);
  t.deepEqual(await left(), ['s', 'n0', 'c0']);
  t.is(await dropExpired(context, now + 1000 * dayMs), 0);
});
