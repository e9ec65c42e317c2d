import { readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import test from 'ava';
import { resolveAdapterSettings } from '../../src/config/adapter-settings.js';
import type { ComponentLog } from '../../src/model/component.js';
import { ServiceSignals } from '../../src/pipelines/events/signals.js';
import { openWriteLog } from '../../src/service/write-log.js';
import type { LoggedRecord } from '../../src/wal/log.js';
import { loggedPayload, silent } from '../support/blocks/write-log.js';
import { directoryFor } from '../support/service/processes.js';
import { until } from '../support/until.js';

/** Opens the write-ahead log below a data directory. */
function openIn(path: string, log: ComponentLog = silent) {
  const args = ['--dbConfigDir=/nonexistent', `--database.path=${path}`];
  const resolution = resolveAdapterSettings('sluice', args, {});
  if (resolution.outcome !== 'settings') throw new Error('the settings are refused');
  return openWriteLog(resolution.settings, 'secret', log, new ServiceSignals());
}

test('a start names the files of the log that are damaged at their end, cut, or empty', async (t) => {
  const path = directoryFor(t);
  const first = openIn(path);
  const [record] = await Promise.all(
    ['a', 'b'].map(
      (content) =>
        new Promise<LoggedRecord>((resolve, reject) => {
          first.wal.append(loggedPayload(content), (result) => {
            if ('kind' in result) reject(new Error(result.message));
            else resolve(result);
          });
        }),
    ),
  );
  await first.wal.close();
  const { path: file } = record!.place.segment;
  const bytes = readFileSync(file);
  const { offset, length } = record!.place;
  // The magic number of the second text.
  bytes[offset + length]! ^= 1;
  writeFileSync(file, bytes);
  const nameOf = (number: number): string => join(dirname(file), `00000000000${number}.wal`);
  writeFileSync(nameOf(2), bytes);
  truncateSync(nameOf(2), 5);
  writeFileSync(nameOf(3), '');
  const warnings: unknown[] = [];
  const warn = (fields: object, line: string): void => {
    warnings.push({ ...fields, line });
  };
  const { wal, rejected } = openIn(path, { ...silent, warn });
  const lines = (): readonly string[] => {
    const content = readFileSync(rejected.path, { encoding: 'utf8', flag: 'a+' });
    return content.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line).reason]));
  };
  await until(() => lines().length === 2);
  const end = 'of the write-ahead log are damaged; the file is kept';
  t.deepEqual(lines().toSorted(), [
    `All 5 bytes of the file ${join(path, 'wal', 'log-1-000000000002.wal.damaged')} ${end}`,
    `The last ${bytes.length - offset - length} bytes of the file ${file} ${end}`,
  ]);
  t.is(rejected.counts.texts, 2);
  const line = 'An empty file of the write-ahead log was removed: rows in it that were not stored are lost.';
  t.deepEqual(warnings, [{ path: nameOf(3), line }]);
  await wal.close();
});
