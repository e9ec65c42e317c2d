import { rmSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { EngineClient } from '../../../src/database/engine/client.js';
import { hasRoomFor } from '../../../src/database/engine/definition-room.js';
import { alters, type Effect, makes } from '../../../src/database/engine/request.js';
import { effectOf } from '../../../src/database/engine/table-change.js';
import { startEngine } from '../../support/engine/engine.js';
import { fillDisk, smallDisk } from '../../support/small-disk.js';

test('a table keeps its rows when it is altered, or a DELETE comes, while the disk is full', async (t) => {
  const disk = smallDisk(t, 64 * 1024);
  if (disk === undefined) return;
  const path = join(disk, 'data');
  const first = await startEngine({ path });
  const client = new EngineClient(first.endpoint);
  const create = 'CREATE TABLE IF NOT EXISTS default.m (a Int64) ENGINE = MergeTree ORDER BY a';
  await client.exec(create, makes('default.m'));
  await client.insert({ table: 'default.m', format: 'TSV' }, Buffer.from('1\n2\n'));
  const filler = join(disk, 'filler');
  fillDisk(filler);
  const isFull = { message: /The disk of the database is full/ };
  await t.throwsAsync(client.exec('ALTER TABLE default.m ADD COLUMN b Int64', alters('default.m')), isFull);
  await t.throwsAsync(client.exec('DELETE FROM default.m WHERE a = 1', alters('default.m')), isFull);
  await t.throwsAsync(
    client.exec('CREATE TABLE default.n (a Int64) ENGINE = MergeTree ORDER BY a', makes('default.n')),
    isFull,
  );
  await client.exec(create, makes('default.m'));
  const columns = { change: 'add-columns', table: 'default.m' } as const;
  await client.define({ ...columns, columns: ['`a` Int64'] });
  await t.throwsAsync(client.define({ ...columns, columns: ['`a` Int64', 'b Int64'] }), isFull);
  rmSync(filler);
  await client.close();
  await first.end();
  const { endpoint, end } = await startEngine({ path });
  const again = new EngineClient(endpoint);
  t.deepEqual(await again.rows('SELECT * FROM default.m'), [[1], [2]]);
  await again.close();
  await end();
});

test('only what writes a definition needs room, unless everything is there', async (t) => {
  const queries: string[] = [];
  const value = async (query: string): Promise<string> => (queries.push(query) > 0 ? '1' : '');
  const isRefused = async (effect: Effect) => !(await hasRoomFor(effect, { freeBytes: async () => 0, value }));
  const table = 'd1_0.t';
  t.true(await isRefused(alters(table)));
  t.true(await isRefused(alters(table)));
  t.true(await isRefused(effectOf({ change: 'add-columns', table, columns: ['a Int64'] })));
  t.deepEqual(queries, []);
  t.false(await isRefused(effectOf({ change: 'drop-table', table })));
  t.false(await isRefused({ changes: [table], continues: true }));
  t.deepEqual(queries, []);
  t.false(await isRefused(effectOf({ change: 'make-database', database: 'd1_0' })));
  t.false(await isRefused(makes(table)));
  t.deepEqual(queries, ['EXISTS DATABASE d1_0', 'EXISTS TABLE d1_0.t']);
  t.false(await hasRoomFor(makes(table), { freeBytes: async () => 0, value: async () => '0' }));
  t.true(await hasRoomFor(makes(table), { freeBytes: async () => 1e9, value: async () => '0' }));
});
