// In a process of its own: it looks at the memory that the process uses.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir, totalmem } from 'node:os';
import { dirname, join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { collectGarbage } from '../../src/telemetry/collect-garbage.js';
import { SystemMeter } from '../../src/telemetry/system-usage.js';
import { until } from '../support/until.js';

function directory(t: ExecutionContext, files: Readonly<Record<string, string>>): string {
  const path = mkdtempSync(join(tmpdir(), 'sluice-usage-'));
  t.teardown(() => rmSync(path, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(path, name)), { recursive: true });
    writeFileSync(join(path, name), text);
  }
  return path;
}

const rss = (): number => process.memoryUsage.rss();
function near(t: ExecutionContext, value: number, expected: number): void {
  t.true(Math.abs(value - expected) <= expected * 0.2, `${value} is not about ${expected}`);
}

test('memory is measured against the machine, whatever the container allows, unless incgroup is on', (t) => {
  const cgroupPath = directory(t, { 'memory.max': '1000000000\n', 'cpu.max': '50000 100000\n' });
  near(t, new SystemMeter({ incgroup: false, cgroupPath }).sample().memoryPercent, (rss() / totalmem()) * 100);
});

test('the limits of a version 2 control group count with incgroup', (t) => {
  const cgroupPath = directory(t, { 'memory.max': '1000000000\n', 'cpu.max': '50000 100000\n' });
  const meter = new SystemMeter({ incgroup: true, cgroupPath });
  near(t, meter.sample().memoryPercent, (rss() / 1e9) * 100);
});

test('the limits of a version 1 control group count with incgroup', (t) => {
  const cgroupPath = directory(t, {
    'memory/memory.limit_in_bytes': '2000000000\n',
    'cpu/cpu.cfs_quota_us': '200000\n',
    'cpu/cpu.cfs_period_us': '100000\n',
  });
  near(t, new SystemMeter({ incgroup: true, cgroupPath }).sample().memoryPercent, (rss() / 2e9) * 100);
});

test('of nested control groups the least limit counts with incgroup', (t) => {
  const procPath = directory(t, { 'self/cgroup': '0::/system.slice/some.service\n' });
  for (const small of ['system.slice', 'system.slice/some.service']) {
    const cgroupPath = directory(t, {
      'system.slice/memory.max': '4000000000\n',
      [`${small}/memory.max`]: '1000000000\n',
    });
    near(t, new SystemMeter({ incgroup: true, cgroupPath, procPath }).sample().memoryPercent, (rss() / 1e9) * 100);
  }
});

test('half a processor makes every second of work count twice', (t) => {
  const limited = new SystemMeter({
    incgroup: true,
    cgroupPath: directory(t, { 'cpu.max': '50000 100000\n' }),
  });
  const machine = new SystemMeter({ incgroup: false });
  for (const end = performance.now() + 200; performance.now() < end; );
  near(t, limited.sample().cpuPercent, machine.sample().cpuPercent * availableParallelism() * 2);
});

test('unlimited, missing and odd limits leave the values of the machine', (t) => {
  for (const files of [
    { 'memory.max': 'max\n', 'cpu.max': 'max 100000\n' },
    { 'cpu/cpu.cfs_quota_us': '-1\n', 'cpu/cpu.cfs_period_us': '100000\n' },
    { 'memory.max': 'many', 'cpu.max': '' },
    {},
  ]) {
    const usage = new SystemMeter({ incgroup: true, cgroupPath: directory(t, files) }).sample();
    near(t, usage.memoryPercent, (rss() / totalmem()) * 100);
    t.true(Number.isFinite(usage.cpuPercent));
  }
});

test('the memory of companions is added, and a companion that is gone adds nothing', (t) => {
  const procPath = directory(t, { '77/statm': '900000 500000 1 1 0 1 0\n', '77/stat': '77 (a b) S 1 1' });
  const meter = new SystemMeter({ incgroup: false, procPath, companions: () => [77, 78] });
  near(t, meter.sample().memoryPercent, ((rss() + 500_000 * 4096) / totalmem()) * 100);
});

test('memory that the allocator keeps after a peak is not in use', (t) => {
  let memory: NodeJS.MemoryUsage = { ...megabytes(100, 20), arrayBuffers: 0 };
  const cgroupPath = directory(t, { 'memory.max': '1000000000\n' });
  const meter = new SystemMeter({ incgroup: true, cgroupPath, ownMemory: () => memory });
  t.is(Math.round(meter.sample().memoryPercent), 10);
  memory = { ...megabytes(900, 820), arrayBuffers: 0 };
  t.is(Math.round(meter.sample().memoryPercent), 90);
  memory = { ...megabytes(900, 22), arrayBuffers: 0 };
  t.is(Math.round(meter.sample().memoryPercent), 10);
});

function megabytes(rss: number, used: number): Omit<NodeJS.MemoryUsage, 'arrayBuffers'> {
  return { rss: rss * 1e6, heapTotal: used * 1e6, heapUsed: (used / 2) * 1e6, external: (used / 2) * 1e6 };
}

test('unused buffers are collected although nothing is allocated', async (t) => {
  const before = process.memoryUsage().external;
  let held: Buffer[] = Array.from({ length: 1_600 }, () => Buffer.alloc(65_536, 1));
  t.true(process.memoryUsage().external - before > 100e6);
  held = [];
  collectGarbage();
  collectGarbage();
  t.true(await until(() => process.memoryUsage().external - before < 10e6, 10_000));
  t.is(held.length, 0);
});
