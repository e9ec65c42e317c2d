import { existsSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { directoryFor, type Listening, rowsOf, sql, startAdapter, writeLines } from '../support/service/processes.js';
import { fillDisk, smallDisk } from '../support/small-disk.js';
import { until } from '../support/until.js';

const startMs = Date.UTC(2026, 0, 1);

const lines = (table: string, from: number): string =>
  Array.from({ length: 1000 }, (_, i) => `${table},k=x v=${from + i}i64 ${startMs + from + i}`).join('\n');

function freeBytes(path: string): number {
  const { bavail, bsize } = statfsSync(path);
  return bavail * bsize;
}

async function countOf(adapter: Listening, table: string): Promise<unknown> {
  return (await rowsOf(adapter, `SELECT count(*) FROM d.${table}`))[0]?.[0];
}

test('a database whose disk is full answers what is stored, and takes DROP and DELETE', async (t) => {
  const disk = smallDisk(t, 96 * 1024);
  if (disk === undefined) return;
  const [data, filler] = [join(disk, 'data'), join(disk, 'filler')];
  const adapter = await startAdapter(t, [`--database.path=${data}`, `--wal.path=${directoryFor(t)}`]);
  for (const table of ['a', 'b', 'c']) {
    t.is((await writeLines(adapter, 'd', lines(table, 0))).status, 204);
    t.is(await countOf(adapter, table), 1000);
  }
  t.is((await sql(adapter, 'CREATE DATABASE o')).code, 0);
  t.true(await until(() => existsSync(join(data, 'sluice.reserve'))));
  fillDisk(filler);

  t.is((await writeLines(adapter, 'd', lines('a', 1000))).status, 204, 'the log lies on another disk');
  t.is(await countOf(adapter, 'a'), 1000, 'what is stored');
  t.deepEqual(await rowsOf(adapter, 'SHOW d.stables'), [['a'], ['b'], ['c']]);
  const refused = await sql(adapter, 'CREATE DATABASE e');
  t.like(refused, { status: 503, code: 65535, desc: 'The disk of the database is full' });

  t.is((await sql(adapter, "DELETE FROM d.c WHERE _ts < '2026-01-01 00:00:00.500Z'")).code, 0);
  t.is(await countOf(adapter, 'c'), 500);
  for (const statement of ['DROP TABLE d.b', 'DROP DATABASE o', 'DROP TABLE d.c']) {
    const { code, desc } = await sql(adapter, statement);
    t.is(code, 0, `${statement}: ${desc}`);
  }
  t.deepEqual(await rowsOf(adapter, 'SHOW d.stables'), [['a']]);

  rmSync(filler);
  t.true(await until(async () => (await countOf(adapter, 'a')) === 2000), 'the waiting rows are stored');
});

test('a service that is started on a nearly full disk answers what is stored', async (t) => {
  const disk = smallDisk(t, 96 * 1024);
  if (disk === undefined) return;
  const start = () => startAdapter(t, [`--database.path=${join(disk, 'data')}`, `--wal.path=${directoryFor(t)}`]);
  const first = await start();
  t.is((await writeLines(first, 'd', lines('a', 0))).status, 204);
  t.is(await countOf(first, 'a'), 1000);
  t.is((await sql(first, 'CREATE TABLE d.n (ts TIMESTAMP, v INT)')).code, 0);
  t.is((await sql(first, 'INSERT INTO d.n VALUES (NOW, 7)')).code, 0);
  t.deepEqual(await rowsOf(first, 'SELECT v FROM d.n'), [[7]]);
  first.child.kill('SIGTERM');
  await first.ended;
  writeFileSync(join(disk, 'filler'), Buffer.alloc(freeBytes(disk) - 2 * 1024 * 1024));
  const adapter = await start();
  t.is(await countOf(adapter, 'a'), 1000);
  t.deepEqual(await rowsOf(adapter, 'SELECT v FROM d.n'), [[7]]);
  t.is((await writeLines(adapter, 'd', lines('b', 0))).status, 204);
  t.is(await countOf(adapter, 'a'), 1000, 'also while rows wait');
});

test('without its reserve a full disk refuses DROP in words of its own', async (t) => {
  const disk = smallDisk(t, 64 * 1024);
  if (disk === undefined) return;
  const reserve = join(disk, 'data', 'sluice.reserve');
  const adapter = await startAdapter(t, [`--database.path=${join(disk, 'data')}`, `--wal.path=${directoryFor(t)}`]);
  t.is((await sql(adapter, 'CREATE DATABASE o')).code, 0);
  t.true(await until(() => existsSync(reserve)));
  fillDisk(join(disk, 'filler'));
  rmSync(reserve);
  fillDisk(join(disk, 'filler'));
  t.like(await sql(adapter, 'DROP DATABASE o'), { status: 503, code: 65535, desc: 'The disk of the database is full' });
});
