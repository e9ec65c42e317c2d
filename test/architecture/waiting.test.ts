import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { comesTrue, until } from '../support/until.js';
import { pauses } from './pauses.js';

const folder = join(import.meta.dirname, '../../../test');

/** A pause of a given time, but for one that a statement asks of the engine; waiting for a condition is `until` in `test/support/until.ts`. */
const pause = /(?<!function |SELECT |%)\bsleep\(|\bawait setTimeout\(|\bsetTimeout\(\s*(?:resolve|done|r)\b/g;

/** Comments say what is not done. */
function pausesIn(file: string): number {
  const code = readFileSync(join(folder, file), 'utf8').replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');
  return [...code.matchAll(pause)].length;
}

test('no test waits for a time to pass, but for those that are known, and these become fewer', (t) => {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (name) => name.endsWith('.ts') && name !== 'support/until.ts' && !name.startsWith('architecture/'),
  );
  const counted = Object.fromEntries(
    files.map((file) => [file, pausesIn(file)] as const).filter(([, count]) => count > 0),
  );
  for (const file of new Set([...Object.keys(counted), ...Object.keys(pauses)])) {
    const [now, known] = [counted[file] ?? 0, pauses[file] ?? 0];
    t.true(
      now <= known,
      `${file} waits for a time to pass: wait for a condition (test/support/until.ts) or give what you test a clock`,
    );
    t.true(now >= known, `${file} has ${now} pauses only: write that in test/architecture/pauses.ts`);
  }
});

test('a wait whose condition does not come true throws an error that shows the condition', async (t) => {
  let checks = 0;
  t.true(await until(() => ++checks === 3));
  await t.throwsAsync(
    until(() => checks > 5, 5),
    { message: /5 ms .*checks > 5/ },
  );
  t.false(await comesTrue(() => checks > 5, 5));
});
