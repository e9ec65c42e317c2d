import { rmSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { EngineClient } from '../../../src/database/engine/client.js';
import { hasRoomFor } from '../../../src/database/engine/definition-room.js';
import { startEngine } from '../../support/engine/engine.js';
import { fillDisk, smallDisk } from '../../support/small-disk.js';

test('a table keeps its rows when it is altered, or a DELETE comes, while the disk is full', async (t) => {
  const disk = smallDisk(t, 64 * 1024);
  if (disk === undefined) return;
  const path = join(disk, 'data');
  const first = await startEngine({ path });
  const client = new EngineClient(first.endpoint);
  const create = 'CREATE TABLE IF NOT EXISTS default.m (a Int64) ENGINE = MergeTree ORDER BY a';
  await client.exec(create);
  await client.insert('INSERT INTO default.m FORMAT TSV', Buffer.from('1\n2\n'));
  const filler = join(disk, 'filler');
  fillDisk(filler);
  const isFull = { message: /The disk of the database is full/ };
  await t.throwsAsync(client.exec('ALTER TABLE default.m ADD COLUMN b Int64'), isFull);
  await t.throwsAsync(client.exec('DELETE FROM default.m WHERE a = 1'), isFull);
  await t.throwsAsync(client.exec('CREATE TABLE default.n (a Int64) ENGINE = MergeTree ORDER BY a'), isFull);
  await client.exec(create);
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

test('only what writes a definition needs room', async (t) => {
  const queries: string[] = [];
  const exists = async (query: string): Promise<boolean> => queries.push(query) > 0;
  const isRefused = async (statement: string) => !(await hasRoomFor(statement, { freeBytes: async () => 0, exists }));
  for (const statement of [
    'CREATE DATABASE d1_0',
    '\n CREATE TABLE d1_0.t (a Int64) ENGINE = Memory',
    'ALTER TABLE d1_0.t ADD COLUMN a Int64',
    'ALTER TABLE `d1_0`.t MODIFY COLUMN a CODEC(LZ4)',
    'ALTER TABLE d1_0.t DROP COLUMN a',
    'RENAME TABLE d1_0.t TO d1_0.u',
    'ALTER TABLE d1_0.t DELETE WHERE 0',
    'DELETE FROM d1_0.t WHERE 0',
  ]) {
    t.true(await isRefused(statement), statement);
  }
  for (const statement of [
    'SELECT 1',
    'DROP TABLE IF EXISTS d1_0.t SYNC',
    'ALTER TABLE d1_0.t DROP PARTITION ID 7',
    'INSERT INTO d1_0.t SELECT 1',
    'CREATE DATABASE IF NOT EXISTS d1_0',
    'CREATE TABLE IF NOT EXISTS d1_0.`t` (a Int64) ENGINE = Memory',
  ]) {
    t.false(await isRefused(statement), statement);
  }
  t.deepEqual(queries, ['EXISTS DATABASE d1_0', 'EXISTS TABLE d1_0.`t`']);
});
