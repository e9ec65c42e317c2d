import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { type LoggedRecord, type WalOptions, WriteAheadLog } from '../../src/wal/log.js';

const silent = { error: () => {}, warn: () => {}, info: () => {}, debug: () => {} };
const logBytes = 1024 ** 3;
const options: WalOptions = {
  segmentBytes: 64 * 1024 ** 2,
  maxBytes: 2 * logBytes,
  path: '',
  sync: 'never',
  database: 'one',
  port: 1,
  log: silent,
};
const line = 'cpu,host=h1,region=eu,os=linux usage=12.5,idle=87i 1700000000000000000\n';

/** Long texts and, as agents send them one by one, short ones. */
for (const lines of [5_000, 1]) {
  test.serial(`a log of 1 GB in texts of ${lines} lines is opened within 5 s`, async (t) => {
    t.timeout(300_000);
    const root = mkdtempSync(join(tmpdir(), 'sluice-long-'));
    t.teardown(() => rmSync(root, { recursive: true, force: true }));
    const bytes = Buffer.from(line.repeat(lines));
    const wal = new WriteAheadLog(root, options);
    let texts = 0;
    while (wal.bytes < logBytes) {
      const written: Promise<LoggedRecord>[] = [];
      for (let i = 0; i < Math.ceil(1024 ** 2 / bytes.length); i++) {
        const append = (resolve: (record: LoggedRecord) => void, reject: (error: Error) => void): void =>
          wal.append(
            {
              origin: 'lineproto',
              format: 'lineproto',
              database: 'db',
              isWithin: true,
              user: 'root',
              createDatabase: false,
              ttl: 0,
              precision: 'ns',
              part: { first: true, last: true },
              receivedMicros: 1n,
              nowNs: 0n,
              zone: '',
              rejectedRows: 0,
              bytes,
            },
            (result) => ('kind' in result ? reject(new Error(result.message)) : resolve(result)),
          );
        written.push(new Promise(append));
      }
      await Promise.all(written);
      texts += written.length;
    }
    await wal.close();
    const begun = process.cpuUsage();
    const again = new WriteAheadLog(root, options);
    const { user, system } = process.cpuUsage(begun);
    t.is(again.recovered.texts, texts);
    t.true((user + system) / 1e6 < 5, `${(user + system) / 1e6} s of processor time`);
    await again.close();
  });
}
