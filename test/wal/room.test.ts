import {
  closeSync,
  openSync,
  readdirSync,
  readlinkSync,
  rmSync,
  statfsSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { FaultError } from '../../src/model/fault.js';
import { type LoggedRecord, WriteAheadLog } from '../../src/wal/log.js';
import { loggedPayload, logSettings } from '../support/blocks/write-log.js';
import { directoryFor } from '../support/service/processes.js';
import { fillDisk, smallDisk } from '../support/small-disk.js';
import { until } from '../support/until.js';

/** A log that keeps what it says of errors and their ends. */
function listening() {
  const lines: string[] = [];
  const note = (_: object, line: string): void => {
    lines.push(line);
  };
  return { lines, log: { ...logSettings.log, error: note, info: note } };
}

function append(wal: WriteAheadLog, bytes: number): Promise<LoggedRecord> {
  return new Promise((resolve, reject) => {
    wal.append(loggedPayload('x'.repeat(bytes)), (result) => {
      if ('kind' in result) reject(new FaultError(result));
      else resolve(result);
    });
  });
}

/** True when a text is taken. */
const isTaken = (wal: WriteAheadLog, bytes: number): Promise<boolean> =>
  append(wal, bytes).then(
    () => true,
    () => false,
  );

/** Replaces an open file by another one under its descriptor. */
function reopen(fd: number, path: string, flags: string): void {
  closeSync(fd);
  const others: number[] = [];
  for (;;) {
    const next = openSync(path, flags);
    if (next === fd) break;
    others.push(next);
  }
  for (const other of others) closeSync(other);
}

function descriptorOf(path: string): number {
  const isOpen = (name: string): boolean => {
    try {
      return readlinkSync(`/proc/self/fd/${name}`) === path;
    } catch {
      return false;
    }
  };
  return Number(readdirSync('/proc/self/fd').find(isOpen));
}

test('without a bound of its own a log takes a quarter of what its disk has free at any time', async (t) => {
  const disk = smallDisk(t, 32 * 1024);
  if (disk === undefined) return;
  const filler = join(disk, 'filler');
  writeFileSync(filler, '');
  const { bavail, bsize } = statfsSync(disk);
  writeFileSync(filler, Buffer.alloc(bavail * bsize - 2 * 1024 ** 2));
  const wal = new WriteAheadLog(join(disk, 'wal'), { ...logSettings, segmentBytes: 1 << 26, maxBytes: 0 });
  const records: LoggedRecord[] = [];
  const error = await t.throwsAsync(async () => {
    for (;;) records.push(await append(wal, 50_000));
  });
  t.is(
    error?.message,
    'The write-ahead log is full: it takes a quarter of the free space of its disk, now 0.5 MiB, and its rows are not stored yet',
  );
  t.true(records.length >= 5, `${records.length}`);
  t.is(wal.refusal?.message, undefined, 'small texts have room');
  while (await isTaken(wal, 3_000));
  t.is(wal.refusal?.message, error?.message);
  truncateSync(filler, 0);
  await until(() => wal.refusal === undefined);
  for (let i = 0; i < 60; i++) await append(wal, 50_000);
  await wal.close();
});

test('bytes of stored rows do not count for the bound of a log', async (t) => {
  const wal = new WriteAheadLog(directoryFor(t), { ...logSettings, segmentBytes: 1 << 26, maxBytes: 300_000 });
  for (let i = 0; i < 60; i++) wal.ended((await append(wal, 50_000)).place);
  t.is(wal.refusal, undefined);
  await wal.close();
});

test('rows that are stored all the time free their room also where the log is smaller than a segment', async (t) => {
  const wal = new WriteAheadLog(directoryFor(t), { ...logSettings, segmentBytes: 1 << 26, maxBytes: 400_000 });
  let open: LoggedRecord | undefined;
  for (let i = 0; i < 200; i++) {
    const next = await append(wal, 20_000);
    if (open !== undefined) wal.ended(open.place);
    open = next;
  }
  t.pass();
  await wal.close();
});

test('a full disk is reported as long as it is full, also when nothing is written any more', async (t) => {
  const disk = smallDisk(t, 2048);
  if (disk === undefined) return;
  const wal = new WriteAheadLog(join(disk, 'wal'), logSettings);
  await append(wal, 1_000);
  const filler = join(disk, 'filler');
  writeFileSync(filler, '');
  fillDisk(filler);
  await until(() => wal.refusal !== undefined);
  t.is(wal.refusal?.message, 'The write-ahead log cannot be written: the disk is full');
  await t.throwsAsync(append(wal, 100_000), { message: 'The write-ahead log cannot be written: the disk is full' });
  rmSync(filler);
  await until(() => wal.refusal === undefined);
  await append(wal, 100_000);
  await wal.close();
});

test('a log whose directory is removed below it refuses texts, says so once, and can be closed', async (t) => {
  const { lines, log } = listening();
  const wal = new WriteAheadLog(directoryFor(t), { ...logSettings, log });
  const { place } = await append(wal, 1_000);
  rmSync(wal.path, { recursive: true });
  await until(() => wal.refusal !== undefined);
  const message = 'The directory of the write-ahead log was removed below the service, which needs a restart';
  t.is(wal.refusal?.message, message);
  await t.throwsAsync(append(wal, 1_000), { message });
  await t.throwsAsync(wal.beginGroup([]), { message });
  wal.ended(place);
  t.deepEqual(lines.slice(0, 2), [
    'The directory of the write-ahead log was removed below the service; writes are refused until a restart.',
    'A file of the write-ahead log was deleted below the service; a crash now would lose its rows.',
  ]);
  await wal.close();
  t.is(lines.length, 2);
});

test('a log whose file is deleted below it begins another one, and says so', async (t) => {
  const { lines, log } = listening();
  const wal = new WriteAheadLog(directoryFor(t), { ...logSettings, log });
  const first = await append(wal, 1_000);
  rmSync(first.place.segment.path);
  await until(() => lines.length > 0);
  t.deepEqual(lines, ['A file of the write-ahead log was deleted below the service; a crash now would lose its rows.']);
  const second = await append(wal, 1_000);
  t.not(second.place.segment.path, first.place.segment.path);
  t.is((await wal.read(second.place)).bytes.length, 1_000);
  for (const { place } of [first, second]) wal.ended(place);
  await wal.close();
  t.is(lines.length, 1);
});

test('with wal.sync = always a text is refused that went to a deleted file', async (t) => {
  const wal = new WriteAheadLog(directoryFor(t), { ...logSettings, sync: 'always' });
  const { place } = await append(wal, 1_000);
  rmSync(place.segment.path);
  const message = 'The write-ahead log cannot be written: its file was deleted';
  await t.throwsAsync(append(wal, 1_000), { message });
  const next = await append(wal, 1_000);
  t.not(next.place.segment.path, place.segment.path);
  await wal.close();
});

test('a sync that fails is repeated until it succeeds, although nothing is written, and texts are refused meanwhile', async (t) => {
  const { lines, log } = listening();
  const wal = new WriteAheadLog(directoryFor(t), { ...logSettings, sync: 'interval', log });
  const { place } = await append(wal, 1_000);
  const { path } = place.segment;
  const fd = descriptorOf(path);
  // It cannot be forced to a disk.
  reopen(fd, '/dev/null', 'r+');
  await until(() => wal.refusal !== undefined);
  const message = 'The write-ahead log cannot be forced to the disk: EINVAL';
  t.is(wal.refusal?.message, message);
  await t.throwsAsync(append(wal, 1_000), { message });
  reopen(fd, path, 'r+');
  await until(() => wal.refusal === undefined);
  t.deepEqual(lines, [
    'The write-ahead log cannot be forced to the disk; writes are refused until it can.',
    'The write-ahead log can be forced to the disk again.',
  ]);
  await append(wal, 1_000);
  await wal.close();
});

test('a file that cannot be forced to the disk holds up nobody once its rows are stored', async (t) => {
  const wal = new WriteAheadLog(directoryFor(t), { ...logSettings, sync: 'interval' });
  const { place } = await append(wal, 1_000);
  reopen(descriptorOf(place.segment.path), '/dev/null', 'r+');
  await until(() => wal.refusal !== undefined);
  wal.ended(place);
  await until(() => wal.refusal === undefined);
  t.true(await isTaken(wal, 1_000));
  await wal.close();
});
