import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { logsOfOthers } from '../../src/wal/directory.js';
import { type LoggedRecord, type WalOptions, WriteAheadLog } from '../../src/wal/log.js';
import { loggedPayload, logSettings } from '../support/blocks/write-log.js';
import { smallDisk } from '../support/small-disk.js';

const settings: WalOptions = { ...logSettings, maxBytes: 1 << 26 };

function directoryFor(t: ExecutionContext): string {
  const path = mkdtempSync(join(tmpdir(), 'sluice-wal-'));
  t.teardown(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

function append(wal: WriteAheadLog, content: string): Promise<LoggedRecord> {
  return new Promise((resolve, reject) => {
    wal.append(loggedPayload(content), (result) => {
      if ('kind' in result) reject(new Error(result.message));
      else resolve(result);
    });
  });
}

/** All payloads from the beginning on, as recovery reads them. */
async function contents(wal: WriteAheadLog): Promise<string[]> {
  const texts: string[] = [];
  for (let cursor = wal.begin; ; ) {
    const some = await wal.next(cursor);
    if (some === undefined) return texts;
    for (const { text } of some.texts) texts.push(Buffer.from(text.bytes).toString());
    ({ cursor } = some);
  }
}

function segmentsIn(wal: WriteAheadLog): readonly string[] {
  return readdirSync(wal.path)
    .filter((file) => file.endsWith('.wal'))
    .toSorted()
    .map((file) => join(wal.path, file));
}

test('payloads are read in their order, over several files, and what has ended deletes its files', async (t) => {
  const wal = new WriteAheadLog(directoryFor(t), { ...settings, segmentBytes: 65_536 });
  const texts = Array.from({ length: 40 }, (_, i) => `${i} `.repeat(3000));
  const records = await Promise.all(texts.map((text) => append(wal, text)));
  t.true(segmentsIn(wal).length > 3);
  t.deepEqual(await contents(wal), texts);
  t.deepEqual(
    records.map(({ sequence }) => sequence),
    texts.map((_, i) => i + 1),
  );
  const before = wal.bytes;
  for (const record of records.slice(0, 20)) wal.ended(record.place);
  t.true(wal.bytes < before);
  t.deepEqual((await contents(wal)).slice(-20), texts.slice(20));
  for (const record of records.slice(20)) wal.ended(record.place);
  t.is(wal.open, 0);
  await wal.close();
});

test('a log that was left behind is found again, with what is open, what has ended, and groups that may have', async (t) => {
  const root = directoryFor(t);
  const first = new WriteAheadLog(root, settings);
  for (const content of ['a', 'b', 'c']) await append(first, content);
  const member = (sequences: readonly number[]) => [{ database: 'db', table: 't', sequences }];
  const done = await first.beginGroup(member([1]));
  first.noteEnded(done, 'all');
  const open = await first.beginGroup(member([2, 3]));
  await first.close();

  const second = new WriteAheadLog(root, settings);
  t.is(second.path, first.path);
  const { texts, ended, groups, nextSequence } = second.recovered;
  t.is(texts, 3);
  t.is(nextSequence, 4);
  t.deepEqual(
    [...ended.values()].map((set) => [...set]),
    [[1]],
  );
  t.deepEqual([...groups], [[open, member([2, 3])]]);
  t.is(second.tokenOf(open), first.tokenOf(open));
  t.deepEqual(await contents(second), ['a', 'b', 'c']);
  const later = await append(second, 'd');
  t.is(later.sequence, 4);
  t.deepEqual(await contents(second), ['a', 'b', 'c', 'd']);
  await second.close();
});

test('a log that is cut at any byte gives the texts before the cut, and takes more', async (t) => {
  const root = directoryFor(t);
  const wal = new WriteAheadLog(root, settings);
  const texts = Array.from({ length: 5 }, (_, i) => `text ${i} ${'x'.repeat(i * 7)}`);
  const ends: number[] = [];
  for (const text of texts) {
    const { place } = await append(wal, text);
    ends.push(place.offset + place.length);
  }
  await wal.close();
  const [file = ''] = segmentsIn(wal);
  const whole = readFileSync(file);
  for (let cut = whole.length; cut >= 0; cut--) {
    writeFileSync(file, whole.subarray(0, cut));
    const again = new WriteAheadLog(root, settings);
    const kept = ends.filter((end) => end <= cut).length;
    t.is(again.recovered.texts, kept, `cut at ${cut}`);
    await append(again, 'after');
    t.deepEqual(await contents(again), [...texts.slice(0, kept), 'after'], `cut at ${cut}`);
    await again.close();
    for (const other of segmentsIn(again)) rmSync(other);
  }
});

test('damage in the middle costs what it hits and nothing else, and is counted', async (t) => {
  const root = directoryFor(t);
  const wal = new WriteAheadLog(root, settings);
  const texts = Array.from({ length: 10 }, (_, i) => `text ${i}`);
  const records: LoggedRecord[] = [];
  for (const text of texts) records.push(await append(wal, text));
  await wal.close();
  const [file = ''] = segmentsIn(wal);
  const whole = readFileSync(file);
  const { place } = records[4]!;
  for (const at of [0, 5, 9, 13, place.length - 1]) {
    const spoilt = Buffer.from(whole);
    spoilt[place.offset + at]! ^= 0xff;
    writeFileSync(file, spoilt);
    const again = new WriteAheadLog(root, settings);
    t.deepEqual(
      await contents(again),
      texts.filter((_, i) => i !== 4),
    );
    t.is(again.damagedBytes, place.length);
    t.is(again.recovered.tornBytes, 0);
    await again.close();
  }
});

test('files that are missing in the middle of a log are counted, and all others are read', async (t) => {
  const wal = new WriteAheadLog(directoryFor(t), { ...settings, segmentBytes: 1_000 });
  const texts = ['a', 'b', 'c', 'd', 'e'].map((letter) => letter.repeat(800));
  for (const text of texts) await append(wal, text);
  await wal.close();
  const files = segmentsIn(wal);
  t.is(files.length, texts.length);
  for (const file of [files[1]!, files[2]!]) rmSync(file);
  const again = new WriteAheadLog(join(wal.path, '..'), settings);
  t.is(again.recovered.missingFiles, 2);
  t.deepEqual(await contents(again), [texts[0]!, texts[3]!, texts[4]!]);
  await again.close();
  // The oldest are deleted by the log itself.
  rmSync(files[0]!);
  const oldest = new WriteAheadLog(join(wal.path, '..'), settings);
  t.is(oldest.recovered.missingFiles, 0);
  await oldest.close();
});

test('a full log refuses texts and still takes its own notes, until something has ended', async (t) => {
  const wal = new WriteAheadLog(directoryFor(t), { ...settings, segmentBytes: 65_536, maxBytes: 200_000 });
  const records: LoggedRecord[] = [];
  for (;;) {
    try {
      records.push(await append(wal, 'x'.repeat(30_000)));
    } catch (error) {
      t.regex(String(error), /The write-ahead log is full \(wal\.maxBytes\), and its rows are not stored yet/);
      break;
    }
  }
  t.true(records.length >= 5);
  t.is(typeof (await wal.beginGroup([])), 'number');
  for (const record of records) wal.ended(record.place);
  await append(wal, 'y');
  await wal.close();
});

test('texts that found no room on the disk are in no recovered log', async (t) => {
  const root = smallDisk(t, 512);
  if (root === undefined) return;
  const first = new WriteAheadLog(root, settings);
  await append(first, 'answered');
  const refused = ['a', 'b', 'c'].map((text) => append(first, text.repeat(200_000)));
  for (const text of refused) await t.throwsAsync(text, { message: /the disk is full/ });
  await append(first, 'answered later');
  await first.close();
  const again = new WriteAheadLog(root, settings);
  const beginnings = (await contents(again)).map((text) => text.slice(0, 20));
  t.deepEqual(beginnings, ['answered', 'answered later']);
  t.is(again.damagedBytes, 0);
  await again.close();
});

test('room is given back when the last text ends while a note is being written', async (t) => {
  const wal = new WriteAheadLog(directoryFor(t), { ...settings, segmentBytes: 1 << 22 });
  const { place } = await append(wal, 'x'.repeat(1 << 21));
  const group = await wal.beginGroup([{ database: 'db', table: 't', sequences: [0] }]);
  wal.noteEnded(group, 'all');
  wal.ended(place);
  await wal.flushed();
  t.is(wal.bytes, 0);
  t.deepEqual(segmentsIn(wal), []);
  await append(wal, 'y');
  t.deepEqual(await contents(wal), ['y']);
  await wal.close();
});

test('two processes have a log each, logs of other databases are left alone, and nothing is left of an empty one', async (t) => {
  const root = directoryFor(t);
  const one = new WriteAheadLog(root, settings);
  const two = new WriteAheadLog(root, settings);
  t.not(one.path, two.path);
  await append(two, 'kept');
  await two.close();
  const other = new WriteAheadLog(root, { ...settings, database: 'another' });
  t.is(other.recovered.texts, 0);
  writeFileSync(join(root, 'log-9'), 'a file');
  t.deepEqual(logsOfOthers(root, 'another'), [two.path], 'held ones are not listed');
  t.deepEqual(logsOfOthers(root, 'one'), []);
  rmSync(join(root, 'log-9'));
  const again = new WriteAheadLog(root, settings);
  t.is(again.path, two.path);
  t.is(again.recovered.texts, 1);
  for (const wal of [one, other]) await wal.close();
  t.deepEqual(readdirSync(root), [again.path.slice(root.length + 1)]);
  await again.close();
});

test('a log of a newer version, and a file that is no log, are refused in one line', async (t) => {
  const root = directoryFor(t);
  const wal = new WriteAheadLog(root, settings);
  await append(wal, 'a');
  await wal.close();
  const [file = ''] = segmentsIn(wal);
  const whole = readFileSync(file);
  const newer = Buffer.from(whole);
  newer.write('9', 7);
  writeFileSync(file, newer);
  t.throws(() => new WriteAheadLog(root, settings), { message: /is of version 9, and this program reads version 1/ });
  writeFileSync(file, Buffer.alloc(100));
  t.throws(() => new WriteAheadLog(root, settings), { message: /is no log of this program/ });
  truncateSync(file, 0);
  const empty = new WriteAheadLog(root, settings);
  t.is(empty.recovered.texts, 0);
  const again = await append(empty, 'b');
  await empty.close();
  t.is(again.sequence, 1);
  rmSync(file, { force: true });
  writeFileSync(file, whole);
  appendFileSync(file, 'torn');
  const torn = new WriteAheadLog(root, settings);
  t.is(torn.recovered.tornBytes, 4);
  await torn.close();
});

test('what is expected at the end of a turn is written in that turn', async (t) => {
  const wal = new WriteAheadLog(directoryFor(t), settings);
  const order: string[] = [];
  const append = (): void => wal.append(loggedPayload('m v=1 1'), () => order.push('written'));
  setImmediate(append);
  wal.expect();
  await new Promise((resolve) => setImmediate(resolve));
  order.push('next turn');
  await wal.flushed();
  t.deepEqual(order, ['written', 'next turn']);
  await wal.close();
});
