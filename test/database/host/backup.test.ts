import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { listBackups, refuseUnfinished, removeFrozen, restoreBackup } from '../../../src/database/host/backup.js';
import { lockDirectory } from '../../../src/database/host/lock.js';
import { directoryFor } from '../../support/service/processes.js';

test('files of killed backups are removed, and those of a running backup stay', (t) => {
  const data = directoryFor(t);
  removeFrozen(data);
  const shadow = join(data, 'shadow');
  mkdirSync(join(shadow, 'backup1', 'store'), { recursive: true });
  lockDirectory(join(shadow, 'backup2'), '', 0);
  mkdirSync(join(shadow, 'of-others'));
  removeFrozen(data);
  t.deepEqual(readdirSync(shadow).sort(), ['backup2', 'of-others']);
});

test('a data directory is refused while a backup is copied into it, also when that ended too early', (t) => {
  const [directory, path] = [directoryFor(t), join(directoryFor(t), 'data')];
  for (const part of ['metadata', 'store']) mkdirSync(join(directory, 'one', part), { recursive: true });
  let refused = 0;
  const progress = (): void => {
    refused++;
    t.throws(() => refuseUnfinished(path), { message: /has a part of a backup: its restore did not end/ });
  };
  restoreBackup(directory, { name: 'one', format: 1, version: '', bytes: 0, newBytes: 0 }, path, progress);
  t.true(refused > 0);
  t.true(existsSync(join(path, 'metadata')));
  t.notThrows(() => refuseUnfinished(path));
});

test('a damaged file about a backup is named', (t) => {
  const directory = directoryFor(t);
  mkdirSync(join(directory, 'one'));
  writeFileSync(join(directory, 'one', 'backup.json'), '');
  t.throws(() => listBackups(directory), { message: /one\/backup\.json is damaged\. Remove that backup/ });
});
