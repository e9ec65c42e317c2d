import { setImmediate as turn } from 'node:timers/promises';
import test from 'ava';
import { BehaviorSubject } from 'rxjs';
import type { GuardState } from '../../src/model/exchange.js';
import { guardedGate, MemoryGuard } from '../../src/pipelines/memory-guard.js';
import { silentLog } from '../support/engine/engine.js';
import { until } from '../support/until.js';

test('every sample is judged by both thresholds, which count from their very value on, without hysteresis', async (t) => {
  let percent = 0;
  let samples = 0;
  const guard = new MemoryGuard({
    pauseQueryPercent: 70,
    pauseAllPercent: 80,
    intervalMs: 1,
    readPercent: () => {
      samples++;
      if (Number.isNaN(percent)) throw new Error('no memory figures');
      return percent;
    },
    log: silentLog,
  });
  const seen: GuardState[] = [];
  guard.state$.subscribe((state) => seen.push(state));
  await guard.start();
  for (const next of [69.9, 70, 79.9, 80, 79.9, 80, 69.9, 75, 10, 99, Number.NaN, 99, 0]) {
    percent = next;
    const before = samples;
    t.true(await until(() => samples > before + 1));
  }
  await guard.stop();
  t.deepEqual(seen, [
    'normal',
    'query-paused',
    'all-paused',
    'query-paused',
    'all-paused',
    'normal',
    'query-paused',
    'normal',
    'all-paused',
    'normal',
  ]);
});

test('while anything is paused what is not used any more is made free, and not at every sample', async (t) => {
  let relieved = 0;
  let samples = 0;
  let percent = 90;
  const guard = new MemoryGuard({
    pauseQueryPercent: 70,
    pauseAllPercent: 80,
    intervalMs: 1,
    readPercent: () => {
      samples++;
      return percent;
    },
    relieve: () => {
      relieved++;
      percent = 10;
    },
    log: silentLog,
  });
  await guard.start();
  t.true(await until(() => relieved > 0 && guard.state === 'normal'));
  const before = samples;
  percent = 90;
  t.true(await until(() => samples > before + 5));
  await guard.stop();
  t.is(relieved, 1);
});

test('a gate is held while everything is paused, beside its credit', async (t) => {
  const paused$ = new BehaviorSubject(false);
  const gate = guardedGate({ paused$ }, 10);
  await gate.opened();
  paused$.next(true);
  let opened = false;
  const waiting = gate.opened().then(() => {
    opened = true;
  });
  await turn();
  t.false(opened);
  gate.take(10);
  paused$.next(false);
  await turn();
  t.false(opened, 'there is no credit');
  gate.give(10);
  await waiting;
});
