import test from 'ava';
import { LogCount } from '../../../../src/database/host/server/log-count.js';
import { until } from '../../../support/until.js';

/** A log of some entries, and how often they were counted. */
function logOf(entries: number) {
  const log = { entries, counted: 0 };
  const count = new LogCount(async () => {
    const { entries: now } = log;
    log.counted++;
    await new Promise((resolve) => setImmediate(resolve));
    return now;
  });
  return { log, count };
}

test('entries are counted once, until a statement has run that may have changed them', async (t) => {
  const { log, count } = logOf(3);
  await count.expect(3);
  await count.expect(3);
  await t.throwsAsync(count.expect(4), { message: /^Code: 395\. .*\{\d+ The catalogue has grown\}/ });
  t.is(log.counted, 1);
  await count.changedBy(async () => {
    log.entries = 4;
  });
  await t.throwsAsync(count.expect(3));
  await count.expect(4);
  t.is(await count.entries(), 4);
  t.is(log.counted, 2);
});

test('a statement that has failed may have changed them, too', async (t) => {
  const { log, count } = logOf(3);
  await count.expect(3);
  const failing = count.changedBy(async () => {
    log.entries = 4;
    throw new Error('aborted');
  });
  await t.throwsAsync(failing, { message: 'aborted' });
  await count.expect(4);
});

test('a count during such a statement is not cached', async (t) => {
  const { log, count } = logOf(3);
  let end = (): void => {};
  const running = count.changedBy(() => new Promise<void>((resolve) => (end = resolve)));
  await count.expect(3);
  log.entries = 4;
  await count.expect(4);
  end();
  await running;
  const early = count.expect(4);
  const change = count.changedBy(async () => {
    log.entries = 5;
  });
  await early;
  await change;
  await count.expect(5);
  t.is(log.counted, 4);
});

test('listeners get the number of entries after changes, once for consecutive ones', async (t) => {
  const { log, count } = logOf(3);
  const notified: number[] = [];
  count.watch((entries) => notified.push(entries));
  for (const entries of [4, 5]) {
    await count.changedBy(async () => {
      log.entries = entries;
    });
  }
  t.true(await until(() => notified.length > 0));
  t.deepEqual(notified, [5]);
  await count.changedBy(async () => {
    log.entries = 6;
  });
  t.true(await until(() => notified.length > 1));
  t.deepEqual(notified, [5, 6]);
  await count.changedBy(async () => {});
  count.stop();
  t.is(log.counted, 2);
});
