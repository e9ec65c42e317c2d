import test from 'ava';
import { PermanentRejection } from '../../src/notify/channel.js';
import { ChannelQueue } from '../../src/notify/channel-queue.js';
import { storedEvent } from '../support/events/stored-events.js';
import { type LogLine, recordingLog } from '../support/inputs/http-server.js';
import { until } from '../support/until.js';

test('a permanently rejected message does not drop events that arrived meanwhile', async (t) => {
  const lines: LogLine[] = [];
  const sizes: number[] = [];
  let refuse = (): void => undefined;
  const channel = {
    kind: 'webhook',
    target: 'here',
    send: (changes: readonly object[]) => {
      sizes.push(changes.length);
      if (sizes.length > 1) return Promise.resolve();
      return new Promise<void>((_, reject) => {
        refuse = () => reject(new PermanentRejection('no'));
      });
    },
  } as const;
  const queue = new ChannelQueue(channel, recordingLog(lines));
  const add = (): void => queue.add({ change: 'opened', event: storedEvent(1) });
  add();
  t.true(await until(() => sizes.length === 1));
  // One more than may wait: the oldest, which is on its way, is given up.
  for (let i = 0; i < 1000; i++) add();
  refuse();
  await until(() => queue.state.waiting === 0);
  t.like(queue.state, { sent: 1000, failed: 1 });
});

/** A queue whose attempts end as the test says; a promise per attempt. */
function startQueue(drainMs: number) {
  const attempts: { readonly signal: AbortSignal; readonly fail: () => void; readonly succeed: () => void }[] = [];
  const channel = {
    kind: 'webhook',
    target: 'here',
    send: (_changes: readonly object[], signal: AbortSignal) =>
      new Promise<void>((resolve, reject) => {
        attempts.push({ signal, fail: () => reject(new Error('away')), succeed: resolve });
      }),
  } as const;
  const queue = new ChannelQueue(channel, recordingLog([]), { firstDelayMs: 60_000, maxDelayMs: 60_000, drainMs });
  queue.add({ change: 'opened', event: storedEvent(1) });
  return { queue, attempts };
}

test('a drain waits for the attempt in flight, and for no retry once that fails', async (t) => {
  const { queue, attempts } = startQueue(60_000);
  t.true(await until(() => attempts.length === 1));
  const drained = queue.drain();
  attempts[0]?.fail();
  await drained;
  t.like(queue.state, { waiting: 1, problem: 'away' });
  queue.stop();
  t.true(attempts[0]?.signal.aborted);

  const second = startQueue(60_000);
  t.true(await until(() => second.attempts.length === 1));
  const sent = second.queue.drain();
  second.attempts[0]?.succeed();
  await sent;
  t.is(second.queue.state.sent, 1);
});

test('a drain does not wait for long for a receiver that does not answer', async (t) => {
  const { queue, attempts } = startQueue(50);
  t.true(await until(() => attempts.length === 1));
  await queue.drain();
  t.is(queue.state.waiting, 1);
  queue.stop();
});
