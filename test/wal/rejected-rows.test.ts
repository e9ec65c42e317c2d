import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { Codes, fault } from '../../src/model/fault.js';
import { RejectedRowsFile } from '../../src/wal/rejected-rows.js';
import { silent } from '../support/blocks/write-log.js';
import { fillDisk, smallDisk } from '../support/small-disk.js';
import { until } from '../support/until.js';

const text = {
  origin: 'lineproto',
  format: 'lineproto',
  database: 'd',
  isWithin: true,
  user: 'root',
  createDatabase: false,
  ttl: 0,
  precision: 'ms',
  receivedMicros: 0n,
  sequence: 1,
  part: { first: true, last: true },
  nowNs: 0n,
  zone: '',
  rejectedRows: 0,
  bytes: Buffer.alloc(9_000, 'x'),
} as const;
const refused = fault('parameter', Codes.free, 'refused');

test('a line of rejected rows is written as a whole, also where a full disk takes half of it', async (t) => {
  const disk = smallDisk(t, 256);
  if (disk === undefined) return;
  const path = join(disk, 'rejected.jsonl');
  const complaints: string[] = [];
  const log = { ...silent, error: (_: object, line: string) => void complaints.push(line) };
  const file = new RejectedRowsFile(path, log);
  const rejected = { text, table: 'm', rows: 1, fault: refused };
  t.true(await file.add(rejected));
  const filler = join(disk, 'filler');
  writeFileSync(filler, '');
  fillDisk(filler);
  let isSecond = false;
  void file.add(rejected).then((isKept) => {
    isSecond = isKept;
  });
  t.true(await until(() => complaints.some((complaint) => complaint.includes('cannot be written'))));
  t.is(readFileSync(path, 'utf8').split('\n').length, 2, 'nothing stands behind the first line');
  rmSync(filler);
  t.true(await until(() => isSecond));
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
  t.deepEqual(
    lines.map((line) => JSON.parse(line).text.length),
    [9_000, 9_000],
  );
  await file.close();
});

test('half a line that is taken back takes no line with it that another process has written before', async (t) => {
  const disk = smallDisk(t, 256);
  if (disk === undefined) return;
  const path = join(disk, 'rejected.jsonl');
  const filler = join(disk, 'filler');
  // Room for a short line and half of a long one.
  writeFileSync(filler, Buffer.alloc(256 * 1024 - 8_192));
  const complaints: string[] = [];
  const log = { ...silent, error: (_: object, line: string) => void complaints.push(line) };
  const files = [silent, log].map((one) => new RejectedRowsFile(path, one));
  const kept = [Buffer.from('short'), text.bytes].map((bytes, at) =>
    files[at]!.add({ text: { ...text, bytes }, table: 'm', rows: 1, fault: refused }),
  );
  t.true(await until(() => complaints.some((complaint) => complaint.includes('cannot be written'))));
  t.true(await kept[0]);
  rmSync(filler);
  t.true(await kept[1]);
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
  t.deepEqual(lines.map((line) => JSON.parse(line).text.length).toSorted(), [5, 9_000]);
  for (const file of files) await file.close();
});
