import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { RotatingFile, type RotationOptions } from '../../src/telemetry/rotating-file.js';
import { fillDisk, smallDisk } from '../support/small-disk.js';

const day = 86_400_000;
/** Noon of 2026-11-21, local time. */
const noon = new Date(2026, 10, 21, 12).getTime();

function setUp(t: ExecutionContext, more: Partial<RotationOptions> = {}) {
  const directory = mkdtempSync(join(tmpdir(), 'sluice-log-'));
  t.teardown(() => rmSync(directory, { recursive: true, force: true }));
  const clock = { now: noon };
  const open = () =>
    new RotatingFile({
      directory,
      name: 'adapter_6041',
      maxBytes: 20,
      intervalMs: day,
      count: 30,
      sync: true,
      now: () => clock.now,
      ...more,
    });
  const read = (name: string): string => readFileSync(join(directory, name), 'utf8');
  return { directory, clock, open, read, names: () => readdirSync(directory).sort() };
}

test('begins a new file when the current one has reached its size', (t) => {
  const { open, read, names } = setUp(t);
  const file = open();
  for (const line of ['0123456789\n', '0123456789\n', 'third\n']) file.write(line);
  file.close();
  t.deepEqual(names(), ['adapter_6041_20261121.log', 'adapter_6041_20261121.log.1']);
  t.is(read('adapter_6041_20261121.log.1'), 'third\n');
});

test('a file is full at its size to the byte, also when it is there at the start', (t) => {
  const { open, read, names } = setUp(t);
  const file = open();
  for (const line of ['012345678\n', '012345678\n', 'third\n']) file.write(line);
  file.close();
  t.is(read('adapter_6041_20261121.log'), '012345678\n012345678\n');
  const next = open();
  next.write('0123456789abc\n');
  next.close();
  t.is(read('adapter_6041_20261121.log.1'), 'third\n0123456789abc\n');
  open().close();
  t.deepEqual(
    names(),
    [0, 1, 2].map((number) => `adapter_6041_20261121.log${number === 0 ? '' : `.${number}`}`),
  );
});

test('a line that is longer than a file may be stands in one alone', (t) => {
  const { open, read } = setUp(t);
  const file = open();
  for (const line of ['x'.repeat(50), 'y'.repeat(50)]) file.write(line);
  file.close();
  t.is(read('adapter_6041_20261121.log'), 'x'.repeat(50));
  t.is(read('adapter_6041_20261121.log.1'), 'y'.repeat(50));
});

test('the tenth file of a day comes behind the ninth', (t) => {
  const { open, names } = setUp(t);
  const file = open();
  for (let at = 0; at < 12; at++) file.write('0123456789abcdefghij');
  t.true(file.path.endsWith('.log.11'));
  file.close();
  open().close();
  t.true(names().includes('adapter_6041_20261121.log.12'));
});

test('a line that a full disk has cut does not run into the next one', (t) => {
  const directory = smallDisk(t, 256);
  if (directory === undefined) return;
  const { open } = setUp(t, { directory, maxBytes: 1e9 });
  const file = open();
  const filler = join(directory, 'filler');
  file.write('first\n');
  fillDisk(filler);
  file.write(`${'x'.repeat(5_000)}\n`);
  rmSync(filler);
  for (const line of ['second\n', 'third\n']) file.write(line);
  file.close();
  t.regex(readFileSync(file.path, 'utf8'), /^first\nx+\nsecond\nthird\n$/);
});

test('half a line that a killed process has left does not run into the next one', (t) => {
  const { clock, open } = setUp(t, { maxBytes: 1e9 });
  const killed = open();
  killed.write('first\n');
  killed.close();
  appendFileSync(killed.path, 'hal');
  const file = open();
  for (const line of ['second\n', 'third\n']) file.write(line);
  t.is(readFileSync(file.path, 'utf8'), 'first\nhal\nsecond\nthird\n');
  clock.now += day;
  const tomorrow = join(dirname(file.path), 'adapter_6041_20261122.log');
  appendFileSync(tomorrow, 'hal');
  file.write('fourth\n');
  file.close();
  t.is(readFileSync(tomorrow, 'utf8'), 'hal\nfourth\n');
});

test('begins a new file at midnight', (t) => {
  const { open, clock, names } = setUp(t, { maxBytes: 1e9 });
  const file = open();
  file.write('today\n');
  clock.now += day / 2;
  file.write('tomorrow\n');
  file.close();
  t.deepEqual(names(), ['adapter_6041_20261121.log', 'adapter_6041_20261122.log']);
});

test('files of periods shorter than a minute carry seconds, and are counted like others', (t) => {
  const { open, clock, names } = setUp(t, { intervalMs: 2000, maxBytes: 1e9, count: 1 });
  const file = open();
  for (let at = 0; at < 3; at++) {
    file.write(`${at}\n`);
    utimesSync(file.path, 1_000_000 + at, 1_000_000 + at);
    clock.now += 2000;
  }
  file.close();
  t.deepEqual(names(), ['adapter_6041_20261121120002.log', 'adapter_6041_20261121120004.log']);
});

test('files of shorter periods carry the time of day', (t) => {
  const { open, clock, names } = setUp(t, { intervalMs: 3_600_000, maxBytes: 1e9 });
  const file = open();
  file.write('a\n');
  clock.now += 3_600_000;
  file.write('b\n');
  file.close();
  t.deepEqual(names(), ['adapter_6041_202611211200.log', 'adapter_6041_202611211300.log']);
});

test('keeps so many finished files, the newest, and leaves foreign ones alone', (t) => {
  const { open, directory, names } = setUp(t, { count: 2, maxBytes: 1 });
  const foreign = new RotatingFile({
    directory,
    name: 'httpsql_6041',
    maxBytes: 1,
    intervalMs: day,
    count: 1,
    sync: true,
    now: () => noon,
  });
  foreign.write('x\n');
  foreign.close();
  const file = open();
  for (let i = 0; i < 6; i++) {
    file.write(`${i}\n`);
    utimesSync(file.path, 1_000_000 + i, 1_000_000 + i);
  }
  file.close();
  t.deepEqual(names(), [
    'adapter_6041_20261121.log.3',
    'adapter_6041_20261121.log.4',
    'adapter_6041_20261121.log.5',
    'httpsql_6041_20261121.log',
  ]);
});

test('a start continues the file of the day', (t) => {
  const { open, read } = setUp(t, { maxBytes: 1e9 });
  for (const line of ['first\n', 'second\n']) {
    const file = open();
    file.write(line);
    file.close();
  }
  t.is(read('adapter_6041_20261121.log'), 'first\nsecond\n');
});

test('buffered lines are written at the end', (t) => {
  const { open, read } = setUp(t, { maxBytes: 1e9, sync: false });
  const file = open();
  file.write('a\n');
  file.close();
  t.is(read('adapter_6041_20261121.log'), 'a\n');
});

test('lines are buffered up to 16 KiB', (t) => {
  const { open, read } = setUp(t, { maxBytes: 1e9, sync: false });
  const file = open();
  file.write('a'.repeat(16_383));
  t.is(read('adapter_6041_20261121.log'), '');
  file.write('b');
  t.is(read('adapter_6041_20261121.log').length, 16_384);
  file.close();
});

test('a directory that cannot be used is an error', (t) => {
  t.throws(() => setUp(t, { directory: '/dev/null/logs' }).open());
});
