import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { makePlace } from '../../tools/tests/place-of-data.js';

test('a run makes a directory where TMPDIR says, and removes those of runs that are no more', (t) => {
  const [dead, alive] = [2 ** 30, process.pid].map((pid) => join(tmpdir(), `sluice-test-run-${pid}-left`));
  for (const path of [dead!, alive!]) mkdirSync(path);
  process.env.TMPDIR ??= tmpdir();
  const place = makePlace(true);
  t.true(place.startsWith(tmpdir()));
  t.true(existsSync(place));
  t.deepEqual([existsSync(dead!), existsSync(alive!)], [false, true]);
  for (const path of [place, alive!]) rmSync(path, { recursive: true });
});
