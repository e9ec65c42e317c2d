import { once } from 'node:events';
import test from 'ava';
import { RunningQueries } from '../../../src/load/query/running-queries.js';
import { recordedLog } from '../../support/load/recorded-log.js';

const never = { slowerThanMs: 0, intervalMs: 1 };

test('a query that takes too long is cancelled once, and logged', async (t) => {
  const { log, lines } = recordedLog();
  const running = new RunningQueries({ slowerThanMs: 1, intervalMs: 1 }, log, new AbortController().signal);
  const ended = running.begin('select quick');
  ended.end();
  const slow = running.begin('select slow');
  t.false(slow.signal.aborted);
  await once(slow.signal, 'abort');
  t.true(slow.isKilled);
  t.false(ended.signal.aborted);
  t.is(lines.length, 1);
  t.regex(lines[0] ?? '', /^warn: A query is killed after \d+\.\d{3} s: select slow$/);
  running.close();
});

test('a stop breaks off what runs and what begins afterwards, and kills nothing', (t) => {
  const { log, lines } = recordedLog();
  const stop = new AbortController();
  const running = new RunningQueries(never, log, stop.signal);
  const [ended, open] = [running.begin('select 1'), running.begin('select 2')];
  ended.end();
  stop.abort();
  const late = running.begin('select 3');
  t.deepEqual(
    [ended, open, late].map(({ signal }) => signal.aborted),
    [false, true, true],
  );
  t.deepEqual(
    [ended, open, late].map(({ isKilled }) => isKilled),
    [false, false, false],
  );
  t.deepEqual(lines, []);
  running.close();
});

test('nothing is broken off after the end', (t) => {
  const stop = new AbortController();
  const running = new RunningQueries(never, recordedLog().log, stop.signal);
  const { signal } = running.begin('select 1');
  running.close();
  stop.abort();
  t.false(signal.aborted);
});
