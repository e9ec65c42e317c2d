import { execFileSync } from 'node:child_process';
import { setImmediate as turn } from 'node:timers/promises';
import test from 'ava';
import { pageRelease, unchangedMappings } from '../../src/process/page-release.js';
import { ManualClock } from '../support/manual-clock.js';
import { skipped } from '../support/skipped.js';

const [second, megabyte] = [1_000, 1024 * 1024];

test('only large, unchanged, read-only mappings of files are released', (t) => {
  const mapping = (head: string, anonymous: number, swap = 0): string =>
    `${head}\nSize:  8 kB\nAnonymous:   ${anonymous} kB\nSwap:   ${swap} kB\nVmFlags: rd mr mw me\n`;
  const smaps = [
    mapping('7f0000000-7f1000000 r--p 00000000 08:01 42      /usr/lib/engine.so', 0),
    mapping('7f1000000-7f2000000 r-xp 00001000 08:01 42      /usr/lib/an engine.so (deleted)', 0),
    mapping('7f2000000-7f3000000 r--p 00002000 08:01 42      /usr/lib/engine.so', 4),
    mapping('7f3000000-7f4000000 rw-p 00003000 08:01 42      /usr/lib/engine.so', 0),
    mapping('7f4000000-7f5000000 r-xp 00000000 00:00 0 ', 0),
    mapping('7f5000000-7f6000000 r--s 00000000 08:01 43      /var/shared', 0),
    mapping('7f6000000-7f7000000 r-xp 00000000 00:00 0       [vdso]', 0),
    mapping('7f7000000-7f8000000 r--p 00004000 08:01 42      /usr/lib/engine.so', 0, 4),
    '7f8000000-7f9000000 r--p 00000000 08:01 44      /usr/lib/other.so\nSize:  8 kB\n',
    mapping('7fa000000-7fa0ff000 r-xp 00000000 08:01 45      /usr/lib/small.so', 0),
    mapping('7fb000000-7fc000000 rw-p 00000000 00:00 0 ', 0),
  ].join('');
  t.deepEqual(unchangedMappings(smaps), [
    { begin: 0x7f0000000n, end: 0x7f1000000n },
    { begin: 0x7f1000000n, end: 0x7f2000000n },
  ]);
});

test('a process that releases its pages has fewer of them in memory and still runs', (t) => {
  if (process.platform !== 'linux') return skipped(t, 'only Linux lists its mappings');
  const module = new URL('../../src/process/page-release.js', import.meta.url).href;
  const program = `
    import { readFileSync } from 'node:fs';
    const { releasePages } = await import(${JSON.stringify(module)});
    const kilobytes = () => Number(/RssFile:\\s+(\\d+)/.exec(readFileSync('/proc/self/status', 'latin1'))[1]);
    await releasePages();
    const before = kilobytes();
    const text = JSON.stringify(JSON.parse('[1, 2.5, "three"]').toSorted());
    console.log(JSON.stringify({ before, text }));
  `;
  const run = (text: string) =>
    JSON.parse(execFileSync(process.execPath, ['--input-type=module', '--eval', text]).toString());
  const whole = run(program.replace('await releasePages();', ''));
  const released = run(program);
  t.is(released.text, whole.text);
  t.true(released.before < whole.before / 2, `${released.before} of ${whole.before} kB`);
});

test('pages are released after the start, when the process is idle, and again when it has grown', async (t) => {
  const clock = new ManualClock();
  let [bytes, micros, releases] = [300 * megabyte, 0, 0];
  const release = async () => {
    releases++;
    bytes = 80 * megabyte;
  };
  const metrics = { residentBytes: () => bytes, processorMicros: () => micros };
  await pageRelease(release, metrics, clock).start();
  const pass = async (seconds: number, busySeconds = 0): Promise<number> => {
    for (let at = 0; at < seconds; at += 5) {
      micros += (busySeconds / seconds) * 5e6;
      clock.pass(5 * second);
      for (let turns = 0; turns < 3; turns++) await turn();
    }
    return releases;
  };
  clock.pass(0);
  t.is(await pass(60, 30), 1, 'started, and busy since');
  bytes = 200 * megabyte;
  t.is(await pass(5), 2, 'idle');
  bytes += 30 * megabyte;
  t.is(await pass(300), 2, 'code of an idle process is resident again and stays');
  bytes += 200 * megabyte;
  t.is(await pass(60, 30), 2, 'busy again');
  t.is(await pass(5), 3, 'idle again');
  bytes += 30 * megabyte;
  await pass(5);
  bytes += 100 * megabyte;
  t.is(await pass(50), 3, 'soon after the last one');
  t.is(await pass(10), 4, 'a minute after the last one');
});

test('a process that cannot release its pages does not retry', async (t) => {
  const clock = new ManualClock();
  let tries = 0;
  const release = async () => {
    tries++;
    throw new Error('There is no such call.');
  };
  await pageRelease(release, { residentBytes: () => 1e9, processorMicros: () => 0 }, clock).start();
  for (let at = 0; at < 60; at++) {
    clock.pass(5 * second);
    for (let turns = 0; turns < 3; turns++) await turn();
  }
  t.is(tries, 1);
});
