import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { Codes, fault } from '../../src/model/fault.js';
import { RejectedRowsFile } from '../../src/wal/rejected-rows.js';
import { silent } from '../support/blocks/write-log.js';
import { fillDisk, smallDisk } from '../support/small-disk.js';
import { until } from '../support/until.js';

test('a line of rejected rows is written as a whole, also where a full disk takes half of it', async (t) => {
  const disk = smallDisk(t, 256);
  if (disk === undefined) return;
  const path = join(disk, 'rejected.jsonl');
  const complaints: string[] = [];
  const log = { ...silent, error: (_: object, text: string) => void complaints.push(text) };
  const file = new RejectedRowsFile(path, log);
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
  const rejected = { text, table: 'm', rows: 1, fault: fault('parameter', Codes.free, 'refused') };
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
