import { appendFileSync, readFileSync } from 'node:fs';
import { register } from 'node:module';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import { deadlineVariable, generated, longVariable, recordVariable, root, type Step } from './places.js';

/** What each process of the tests begins with. */
const record = process.env[recordVariable];
const file = fileURLToPath(test.meta.file);

const isShared = file.startsWith(generated);
if (isShared || readFileSync(file, 'utf8').includes('fast-check')) await import('../../test/support/property-seed.js');
if (/\.(?:long|rare)\.test\.js$/.test(file)) process.env[longVariable] = 'true';
if (Date.now() > Number(process.env[deadlineVariable] ?? Infinity)) register('./left-out-hook.js', import.meta.url);
if (!isShared) {
  const name = relative(`${root}/build/test`, file).replace(/\.test\.js$/, '');
  recordStep({ file: name });
  process.once('exit', () => {
    recordStep({ file: name, seconds: performance.now() / 1000, processorSeconds: processorSeconds() });
  });
}

/** Says that a file has begun or ended, to whoever runs the tests. */
export function recordStep(step: Step): void {
  if (record !== undefined) appendFileSync(record, `${JSON.stringify(step)}\n`);
}

/** Processor time of this process and of those that it has started; without them where the system does not tell. */
export function processorSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6 + childrensSeconds();
}

function childrensSeconds(): number {
  try {
    const running = children('self').reduce((sum, pid) => sum + secondsOf(pid), 0);
    return running + ticks('self', 13, 14);
  } catch {
    return 0;
  }
}

/** Of a process that runs, with all that it has started. */
function secondsOf(pid: string): number {
  try {
    return ticks(pid, 11, 12, 13, 14) + children(pid).reduce((sum, child) => sum + secondsOf(child), 0);
  } catch {
    return 0;
  }
}

function children(pid: string): string[] {
  return readFileSync(`/proc/${pid}/task/${pid === 'self' ? process.pid : pid}/children`, 'utf8')
    .split(' ')
    .filter(Boolean);
}

/** Sum of fields of `/proc/<pid>/stat` behind the name: 11 to 14 are utime, stime, cutime and cstime of proc(5), of which Linux has 100 per second. */
function ticks(pid: string, ...at: readonly number[]): number {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return at.reduce((sum, place) => sum + Number(fields[place]), 0) / 100;
}
