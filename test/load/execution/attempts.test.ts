import test from 'ava';
import { retried } from '../../../src/load/execution/attempts.js';
import { pause } from '../../../src/pipelines/pause.js';

function recorded() {
  const lines: string[] = [];
  const say = (text: string): void => void lines.push(text);
  return { lines, log: { info: say, done: say, warn: say, error: say, debug: say } };
}

const never = new AbortController().signal;

/** Fails `failures` times, then gives `well`. */
function work(failures: number, more: number, intervalMs = 1, stop: AbortSignal = never) {
  const { lines, log } = recorded();
  let runs = 0;
  let agains = 0;
  const result = retried({
    attempts: { more, intervalMs },
    log,
    stop,
    verb: 're-insert',
    run: async () => (runs++ < failures ? 'badly' : 'well'),
    reasonToRetry: (ending) => (ending === 'badly' ? 'It went badly' : undefined),
    onRetry: () => agains++,
  });
  return { result, lines, counts: () => ({ runs, agains }) };
}

test('a success is not retried', async (t) => {
  const { result, counts, lines } = work(0, 3);
  t.is(await result, 'well');
  t.deepEqual(counts(), { runs: 1, agains: 0 });
  t.deepEqual(lines, []);
});

test('each further attempt is logged, up to the allowed number', async (t) => {
  const enough = work(2, 3);
  t.is(await enough.result, 'well');
  t.deepEqual(enough.counts(), { runs: 3, agains: 2 });
  t.is(enough.lines[0], 'It went badly; will sleep 50 milliseconds then re-insert');
  const few = work(9, 2);
  t.is(await few.result, 'badly');
  t.deepEqual(few.counts(), { runs: 3, agains: 2 });
  t.is(few.lines.length, 2);
});

test('attempts for ever end when the run is stopped', async (t) => {
  const stop = new AbortController();
  const { result, counts } = work(Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, 600_000, stop.signal);
  await new Promise((resolve) => setImmediate(resolve));
  stop.abort();
  t.is(await result, 'badly');
  t.deepEqual(counts(), { runs: 1, agains: 0 });
});

test('a pause ends early when the run is stopped', async (t) => {
  const stop = new AbortController();
  const paused = pause(600_000, stop.signal);
  stop.abort();
  await paused;
  await pause(600_000, stop.signal);
  t.pass();
});
