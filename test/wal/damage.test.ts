import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { crc32 } from 'node:zlib';
import test, { type ExecutionContext } from 'ava';
import { FaultError, isTransient } from '../../src/model/fault.js';
import { type LoggedRecord, WriteAheadLog } from '../../src/wal/log.js';
import { prefixBytes } from '../../src/wal/record.js';
import { loggedPayload, logIn, logSettings } from '../support/blocks/write-log.js';
import { directoryFor } from '../support/service/processes.js';

function append(wal: WriteAheadLog, content: string): Promise<LoggedRecord> {
  return new Promise((resolve, reject) => {
    wal.append(loggedPayload(content), (result) => {
      if ('kind' in result) reject(new FaultError(result));
      else resolve(result);
    });
  });
}

/** Texts of a log from its beginning on, the reasons why others are not read, and the damage between them. */
async function readBack(wal: WriteAheadLog) {
  const texts: string[] = [];
  const unread: string[] = [];
  const damage: string[] = [];
  for (let cursor = wal.begin; ; ) {
    const piece = await wal.next(cursor);
    if (piece === undefined) return { texts, unread, damage };
    for (const read of piece.texts) {
      if ('fault' in read) unread.push(read.fault.message);
      else texts.push(Buffer.from(read.text.bytes).toString());
    }
    if (piece.damage !== undefined) damage.push(piece.damage.message);
    ({ cursor } = piece);
    wal.passed(cursor);
  }
}

/** A log with the texts `a` to `e` that was left behind, and the file and the places of its records. */
async function leftBehind(t: ExecutionContext) {
  const root = directoryFor(t);
  const wal = logIn(root);
  const records: LoggedRecord[] = [];
  for (const text of 'abcde') records.push(await append(wal, text));
  await wal.close();
  const { path } = records[0]!.place.segment;
  return { root, path, places: records.map(({ place }) => place) };
}

const asideIn = (root: string): readonly string[] => readdirSync(root).filter((name) => name.includes('.damaged'));

test('a text in a format or with a unit that is not known is refused by name, and all others are read', async (t) => {
  for (const [byte, name] of [
    [23, 'format number 200, precision ns'],
    [24, 'format lineproto, precision number 200'],
  ] as const) {
    const { root, path, places } = await leftBehind(t);
    const bytes = readFileSync(path);
    const { offset, length } = places[2]!;
    const body = bytes.subarray(offset + prefixBytes, offset + length);
    body[byte] = 200;
    bytes.writeUInt32LE(crc32(body), offset + 8);
    writeFileSync(path, bytes);
    const wal = logIn(root);
    t.is(wal.recovered.texts, 5);
    const { texts, unread, damage } = await readBack(wal);
    t.deepEqual(texts, ['a', 'b', 'd', 'e']);
    t.is(unread.length, 1);
    t.true(unread[0]!.endsWith(name), unread[0]);
    t.deepEqual(damage, []);
    await wal.close();
  }
});

test('a record of a kind that is not known, or with lengths that do not fit, is named as damage', async (t) => {
  for (const [byte, value] of [
    [0, 200],
    [31, 255],
  ] as const) {
    const { root, path, places } = await leftBehind(t);
    const bytes = readFileSync(path);
    const { offset, length } = places[2]!;
    const body = bytes.subarray(offset + prefixBytes, offset + length);
    body[byte] = value;
    bytes.writeUInt32LE(crc32(body), offset + 8);
    writeFileSync(path, bytes);
    const wal = logIn(root);
    const { texts, damage } = await readBack(wal);
    t.deepEqual(texts, ['a', 'b', 'd', 'e']);
    t.is(damage.length, 1);
    t.true(damage[0]!.includes(`${length} bytes at ${path}:${offset}`), damage[0]);
    await wal.close();
  }
});

test('a file with damage in the middle is moved aside once its rows are stored', async (t) => {
  const { root, path, places } = await leftBehind(t);
  const bytes = readFileSync(path);
  bytes[places[2]!.offset + places[2]!.length - 1]! ^= 1;
  writeFileSync(path, bytes);
  const wal = logIn(root);
  const { texts, damage } = await readBack(wal);
  t.deepEqual(texts, ['a', 'b', 'd', 'e']);
  t.is(damage.length, 1);
  t.deepEqual(asideIn(root), []);
  const [segment] = wal.recovered.segments;
  for (const place of places) if (place !== places[2]) wal.ended({ ...place, segment: segment! });
  t.is(wal.open, 0);
  t.false(existsSync(path));
  t.deepEqual(asideIn(root), ['log-1-000000000001.wal.damaged']);
  t.deepEqual(readFileSync(join(root, 'log-1-000000000001.wal.damaged')), bytes);
  await wal.close();
});

test('a damaged last record is distinguished from a torn one, and its file is moved aside, not cut', async (t) => {
  // In the magic number, and in the number of the text.
  for (const at of [0, prefixBytes + 1]) {
    const { root, path, places } = await leftBehind(t);
    const bytes = readFileSync(path);
    const last = places.at(-1)!;
    bytes[last.offset + at]! ^= 1;
    writeFileSync(path, bytes);
    const wal = logIn(root);
    t.deepEqual(wal.recovered.damaged, [{ path, bytes: last.length, isWhole: false }]);
    t.is(wal.recovered.tornBytes, 0);
    t.deepEqual((await readBack(wal)).texts, ['a', 'b', 'c', 'd']);
    const [segment] = wal.recovered.segments;
    for (const place of places.slice(0, -1)) wal.ended({ ...place, segment: segment! });
    await wal.close();
    t.deepEqual(
      asideIn(root).map((name) => readFileSync(join(root, name))),
      [bytes],
    );
  }
});

test('a file that is cut within its head is moved aside, an empty one is removed, and both are named', async (t) => {
  const { root, path } = await leftBehind(t);
  truncateSync(path, 5);
  const cut = logIn(root);
  const aside = join(root, 'log-1-000000000001.wal.damaged');
  t.deepEqual(cut.recovered.damaged, [{ path: aside, bytes: 5, isWhole: true }]);
  t.is(readFileSync(aside).length, 5);
  t.false(existsSync(path));
  writeFileSync(path, 'short');
  await cut.close();
  const again = logIn(root);
  t.deepEqual(asideIn(root), ['log-1-000000000001.wal.damaged', 'log-1-000000000001.wal.damaged-2']);
  await again.close();
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(join(dirname(path), 'database'), logSettings.database);
  writeFileSync(path, '');
  const empty = logIn(root);
  t.deepEqual(empty.recovered.damaged, [{ path, bytes: 0, isWhole: true }]);
  await empty.close();
});

test('texts of a file that is gone are named and given up, and all others are read', async (t) => {
  const wal = new WriteAheadLog(directoryFor(t), { ...logSettings, segmentBytes: 1_000 });
  const texts = ['a', 'b', 'c'].map((letter) => letter.repeat(800));
  const records: LoggedRecord[] = [];
  for (const text of texts) records.push(await append(wal, text));
  for (const { place } of records) wal.leave(place);
  rmSync(records[1]!.place.segment.path);
  const error = await t.throwsAsync(wal.read(records[1]!.place), { instanceOf: FaultError });
  t.false(isTransient(error!.fault));
  t.regex(error!.message, /000000000002\.wal:32 cannot be read \(the file is gone\)/);
  t.deepEqual((await readBack(wal)).texts, [texts[0]!, texts[2]!]);
  t.is(wal.open, 2, 'the text that is gone does not hold up the others');
  for (const { place } of [records[0]!, records[2]!]) wal.ended(place);
  await wal.close();
  t.false(existsSync(wal.path));
});

test('a file that cannot be read now is a fault that may pass, and its texts are read later', async (t) => {
  const lines: string[] = [];
  const note = (_: object, line: string): void => {
    lines.push(line);
  };
  const log = { ...logSettings.log, error: note, info: note };
  const wal = new WriteAheadLog(directoryFor(t), { ...logSettings, log });
  const { place } = await append(wal, 'a');
  const { path } = place.segment;
  renameSync(path, `${path}.away`);
  // Reading a directory fails with EISDIR.
  mkdirSync(path);
  for (let attempt = 0; attempt < 10; attempt++) {
    for (const read of [() => wal.read(place), () => wal.next(wal.begin)]) {
      const error = await t.throwsAsync<FaultError>(read, { instanceOf: FaultError });
      t.true(isTransient(error.fault), error.message);
    }
  }
  rmdirSync(path);
  renameSync(`${path}.away`, path);
  t.is(Buffer.from((await wal.read(place)).bytes).toString(), 'a');
  t.deepEqual(lines, [
    'The write-ahead log cannot be read; Sluice tries again.',
    'The write-ahead log can be read again.',
  ]);
  t.is(wal.damagedBytes, 0);
  await wal.close();
});
