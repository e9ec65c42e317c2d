import { appendFileSync, readFileSync } from 'node:fs';
import { register } from 'node:module';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import { type Ended, generated, longVariable, recordVariable, root } from './places.js';

/** What each process of the tests begins with. */
const record = process.env[recordVariable];
const file = fileURLToPath(test.meta.file);

const isShared = file.startsWith(generated);
if (isShared || readFileSync(file, 'utf8').includes('fast-check')) await import('../../test/support/property-seed.js');
if (/\.(?:long|rare)\.test\.js$/.test(file)) process.env[longVariable] = 'true';
if (isShared) register('./shared-hook.js', import.meta.url);
else {
  process.once('exit', () => {
    const name = relative(`${root}/build/test`, file).replace(/\.test\.js$/, '');
    recordEnd({ file: name, seconds: performance.now() / 1000, processorSeconds: processorSeconds() });
  });
}

/** Says that a file has ended, to whoever runs the tests. */
export function recordEnd(ended: Ended): void {
  if (record !== undefined) appendFileSync(record, `${JSON.stringify(ended)}\n`);
}

/** Processor time of this process and of those it has waited for; without them where the system does not tell. */
export function processorSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6 + childrensSeconds();
}

function childrensSeconds(): number {
  try {
    const text = readFileSync('/proc/self/stat', 'utf8');
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    // In ticks, of which Linux has a hundred per second; proc(5): cutime and cstime.
    return (Number(fields[13]) + Number(fields[14])) / 100;
  } catch {
    return 0;
  }
}
