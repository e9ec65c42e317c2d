import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { RowsFile } from '../../../src/load/sinks/rows-file.js';
import { FaultError } from '../../../src/model/fault.js';
import { temporaryDirectory } from '../../support/engine/engine.js';

const [directory, remove] = temporaryDirectory();
test.after.always(remove);

async function appended(path: string, ...texts: readonly string[]): Promise<string> {
  const file = await RowsFile.open(path);
  for (const text of texts) await file.append(text);
  await file.close();
  return readFileSync(path, 'utf8');
}

test('appends whole texts to what is there', async (t) => {
  const path = join(directory, 'whole');
  t.is(await appended(path, 'a\n', 'b\n'), 'a\nb\n');
  t.is(await appended(path, 'c\n'), 'a\nb\nc\n');
});

test('removes a line that was left unfinished, and nothing else', async (t) => {
  const path = join(directory, 'torn');
  writeFileSync(path, `first\n${'x'.repeat(70_000)}`);
  t.is(await appended(path, 'next\n'), 'first\nnext\n');
  writeFileSync(path, 'all of it is unfinished');
  t.is(await appended(path, 'next\n'), 'next\n');
});

test('names the path that cannot be opened', async (t) => {
  const path = join(directory, 'no', 'such', 'place');
  const refused = await t.throwsAsync(RowsFile.open(path), { instanceOf: FaultError });
  t.true(refused?.message.includes(path));
});
