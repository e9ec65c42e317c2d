import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { Catalogue } from '../../../src/database/catalogue/catalogue.js';
import { EngineClient } from '../../../src/database/engine/client.js';
import { Changes } from '../../../src/database/store/changes.js';
import { dropOldRows } from '../../../src/database/store/retention.js';
import { Storage } from '../../../src/database/store/storage.js';
import { dataType } from '../../../src/model/schema.js';
import { silentLog, startEngine } from '../../support/engine/engine.js';
import { fillDisk, smallDisk } from '../../support/small-disk.js';
import { until } from '../../support/until.js';

const dayMs = 86_400_000;

test('old rows are dropped from a disk that is full, again and again', async (t) => {
  const disk = smallDisk(t, 96 * 1024);
  if (disk === undefined) return;
  const path = join(disk, 'data');
  const { endpoint, end } = await startEngine({ path });
  t.teardown(end);
  const client = new EngineClient(endpoint);
  t.teardown(() => client.close());
  const catalogue = new Catalogue(client, silentLog);
  const storage = new Storage(client, catalogue);
  await catalogue.submit([
    { op: 'create-database', name: 'd', precision: 'ms', keepDays: 100, options: {} },
    {
      op: 'create-table',
      database: 'd',
      name: 's',
      kind: 'super',
      timeColumn: 'ts',
      columns: [{ name: 'v', type: dataType('BIGINT') }],
      tags: [{ name: 'g', type: dataType('INT') }],
      comment: undefined,
      ttl: 0,
    },
  ]);
  const [database, table] = [catalogue.database('d')!, catalogue.table('d', 's')!];
  await storage.ensure(database, table);
  await new Changes(client, storage).track(database, table);
  const [column] = table.columns;
  // Ten megabytes of each day: they cannot be compressed.
  for (const day of [5, 15, 25]) {
    const values = `SELECT 1, ${day * dayMs} + number, reinterpretAsInt64(rand64()) FROM numbers(1250000)`;
    await client.exec(`INSERT INTO ${table.storage} (id, ts, ${column!.physical}) ${values}`);
  }
  const filler = join(disk, 'filler');
  const left = async () =>
    Number((await client.rows(`SELECT uniq(intDiv(ts, ${dayMs})) FROM ${table.storage}`))[0]?.[0]);
  for (const [nowDay, days] of [
    [110, 2],
    [120, 1],
    [130, 0],
  ] as const) {
    t.true(await until(() => existsSync(join(path, 'sluice.reserve'))));
    fillDisk(filler);
    t.is(await dropOldRows({ engine: client, catalogue }, nowDay * dayMs), 1);
    t.is(await left(), days);
  }
  rmSync(filler);
  await client.exec(`INSERT INTO ${table.storage} (id, ts) VALUES (1, 0)`);
  const held = await client.rows(`SELECT count() FROM system.mutations WHERE database = '${database.id}'`);
  t.is(Number(held[0]?.[0]), 1, 'the number of the newest insert is not given again');
});
