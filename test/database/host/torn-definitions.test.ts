import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { removeTornDefinitions } from '../../../src/database/host/torn-definitions.js';

test('definitions and changes of rows that a full disk left empty are removed, and nothing else', (t) => {
  const path = mkdtempSync(join(tmpdir(), 'sluice-torn-'));
  t.teardown(() => rmSync(path, { recursive: true, force: true }));
  const store = join(path, 'store', '59c', '59c32a1e');
  for (const folder of [join(path, 'metadata'), store]) mkdirSync(folder, { recursive: true });
  const files = {
    torn: join(path, 'metadata', 'd1.sql'),
    whole: join(path, 'metadata', 'd2.sql'),
    tornTable: join(store, 't1.sql'),
    tornChange: join(store, 'mutation_4.txt'),
    other: join(store, 'columns.txt'),
  };
  for (const [name, file] of Object.entries(files)) writeFileSync(file, name === 'whole' ? 'ATTACH' : '');
  t.deepEqual([...removeTornDefinitions(path)].toSorted(), [files.torn, files.tornTable, files.tornChange].toSorted());
  t.deepEqual(
    Object.values(files).map((file) => existsSync(file)),
    [false, true, false, false, true],
  );
  t.deepEqual(removeTornDefinitions(join(path, 'nowhere')), []);
});
