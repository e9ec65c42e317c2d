import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { deviceOf, PartSpreader } from '../../../src/database/host/spread.js';
import { skipped } from '../../support/skipped.js';

test('table directories get the attribute once, where the file system profits from it', async (t) => {
  // Beside the compiled tests, which lie on a disk; other files of tests may lie in memory.
  const path = mkdtempSync(join(import.meta.dirname, 'spread-'));
  t.teardown(() => rmSync(path, { recursive: true, force: true }));
  const table = join(path, 'store', 'abc', 'abcdef');
  mkdirSync(table, { recursive: true });
  const spreader = new PartSpreader(path);
  const count = await spreader.spread();
  if (count === 0) skipped(t, 'the file system has a journal or is not ext4');
  else t.regex(execFileSync('lsattr', ['-d', table], { encoding: 'utf8' }), /^\S*T/);
  t.is(await spreader.spread(), 0);
});

test('a directory that does not exist is no error', async (t) => {
  t.is(await new PartSpreader('/nonexistent').spread(), 0);
});

test('the device is that of the longest mount point above a path', (t) => {
  const mounts = [
    '27 1 254:0 / / rw,relatime - ext4 /dev/vda rw',
    '28 27 254:1 / /data rw,relatime - ext4 /dev/vdb1 rw',
    '29 27 254:2 / /database rw,relatime shared:1 - ext4 /dev/vdc rw',
  ].join('\n');
  t.is(deviceOf('/srv', mounts), 'vda');
  t.is(deviceOf('/data/x', mounts), 'vdb1');
  t.is(deviceOf('/database', mounts), 'vdc');
  t.is(deviceOf('/data2', mounts), 'vda');
});

test('tables that are dropped meanwhile keep the others from nothing, and a real refusal ends it', async (t) => {
  const path = mkdtempSync(join(import.meta.dirname, 'spread-'));
  t.teardown(() => rmSync(path, { recursive: true, force: true }));
  const tables = ['a', 'b', 'c'].map((name) => join(path, 'store', name, name));
  for (const table of tables) mkdirSync(table, { recursive: true });
  const marked: string[] = [];
  let isRefused = false;
  const mark = async (directories: readonly string[]): Promise<void> => {
    if (marked.length === 0) rmSync(tables[1]!, { recursive: true, force: true });
    marked.push(...directories);
    if (isRefused || directories.includes(tables[1]!)) throw new Error('chattr: No such file or directory');
  };
  const spreader = new PartSpreader(path, { benefits: async () => true, mark });
  t.is(await spreader.spread(), 2);
  t.deepEqual(marked, [...tables, tables[0]!, tables[2]!]);
  mkdirSync(join(path, 'store', 'd', 'd'), { recursive: true });
  t.is(await spreader.spread(), 1, 'it goes on');
  isRefused = true;
  mkdirSync(join(path, 'store', 'e', 'e'), { recursive: true });
  t.is(await spreader.spread(), 0);
  isRefused = false;
  t.is(await spreader.spread(), 0, 'it has ended');
});
