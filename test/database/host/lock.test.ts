import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, renameSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { DirectoryHeldError, lockDirectory } from '../../../src/database/host/lock.js';
import { temporaryDirectory } from '../../support/engine/engine.js';
import { fillDisk, smallDisk } from '../../support/small-disk.js';

const dead = (pid: number, processStart = '1') =>
  JSON.stringify({ pid, host: '127.0.0.1', port: 1, since: '2026-01-01T00:00:00.000Z', processStart });

test('a directory has one owner, who is named to the second', (t) => {
  const [path, remove] = temporaryDirectory();
  t.teardown(remove);
  const lock = lockDirectory(join(path, 'new/data'), '127.0.0.1', 6030);
  lock.announce(6031);
  const error = t.throws(() => lockDirectory(join(path, 'new/data'), '127.0.0.1', 6030), {
    instanceOf: DirectoryHeldError,
  });
  t.is(error.owner.pid, process.pid);
  t.is(error.owner.port, 6031);
  t.regex(error.message, /port 6031, since 20/);
  lock.release();
  lock.release();
  lockDirectory(join(path, 'new/data'), '127.0.0.1', 6030).release();
  t.false(existsSync(join(path, 'new/data/sluice.lock')));
});

test('a directory that cannot be made or written is refused with the reason', (t) => {
  const [path, remove] = temporaryDirectory();
  t.teardown(remove);
  writeFileSync(join(path, 'file'), '');
  const refusal = (data: string) => t.throws(() => lockDirectory(data, '127.0.0.1', 6030))?.message;
  t.is(refusal(join(path, 'file')), `The data directory ${path}/file cannot be made: it is a file.`);
  t.is(refusal(join(path, 'file/sub')), `The data directory ${path}/file/sub cannot be made: a part of it is a file.`);
  t.is(
    refusal('/proc/nope/data'),
    'The data directory /proc/nope/data cannot be made: the file system has no such place.',
  );
  t.regex(refusal('/proc') ?? '', /^The data directory \/proc cannot be written: .+\.$/);
});

test('a port that cannot be announced, because the disk is full say, is no reason to stop', (t) => {
  const [path, remove] = temporaryDirectory();
  t.teardown(remove);
  const lock = lockDirectory(path, '127.0.0.1', 6030);
  remove();
  t.notThrows(() => lock.announce(6031));
  t.notThrows(() => lock.release());
});

test('the lock of a dead process, of a reused pid and a damaged one are taken over', async (t) => {
  const [path, remove] = temporaryDirectory();
  t.teardown(remove);
  const file = join(path, 'sluice.lock');
  const gone = spawnSync('true').pid;
  const other = spawn('sleep', ['30']);
  t.teardown(async () => {
    other.kill('SIGKILL');
    await once(other, 'exit');
  });
  for (const text of [dead(gone), dead(other.pid ?? 0), dead(process.pid), '', '{"pid":']) {
    writeFileSync(file, text);
    const lock = lockDirectory(path, '127.0.0.1', 6030);
    t.regex(readFileSync(file, 'utf8'), new RegExp(`"pid":${process.pid}`), text);
    lock.release();
  }
});

test('the lock of a dead process is taken over on a full disk, too', (t) => {
  const disk = smallDisk(t, 256);
  if (disk === undefined) return;
  const file = join(disk, 'sluice.lock');
  writeFileSync(file, dead(spawnSync('true').pid));
  fillDisk(join(disk, 'filler'));
  const lock = lockDirectory(disk, '127.0.0.1', 6030);
  t.regex(readFileSync(file, 'utf8'), new RegExp(`"pid":${process.pid}`));
  lock.release();
});

test('a lock is held until it is removed or names another process, also while it cannot be read', (t) => {
  const [path, remove] = temporaryDirectory();
  t.teardown(remove);
  const lock = lockDirectory(path, 'localhost', 1);
  const file = join(path, 'sluice.lock');
  t.true(lock.isHeld());
  renameSync(file, `${file}.away`);
  t.false(lock.isHeld());
  // Reading a directory fails with EISDIR.
  mkdirSync(file);
  t.true(lock.isHeld());
  rmdirSync(file);
  const other = { ...JSON.parse(readFileSync(`${file}.away`, 'utf8')), pid: process.pid + 1 };
  writeFileSync(file, JSON.stringify(other));
  t.false(lock.isHeld());
  renameSync(`${file}.away`, file);
  t.true(lock.isHeld());
  lock.release();
  t.false(lock.isHeld());
});
