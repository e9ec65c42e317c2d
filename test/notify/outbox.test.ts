import test from 'ava';
import { RefusedForGood } from '../../src/notify/channel.js';
import { Outbox } from '../../src/notify/outbox.js';
import { type LogLine, recordingLog } from '../support/doors/http-room.js';
import { storedEvent } from '../support/events/stored-events.js';
import { until } from '../support/until.js';

test('a message that is refused for good takes no events with it that came meanwhile', async (t) => {
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
        refuse = () => reject(new RefusedForGood('no'));
      });
    },
  } as const;
  const outbox = new Outbox(channel, recordingLog(lines));
  const add = (): void => outbox.add({ change: 'opened', event: storedEvent(1) });
  add();
  t.true(await until(() => sizes.length === 1));
  // One more than may wait: the oldest, which is on its way, is given up.
  for (let i = 0; i < 1000; i++) add();
  refuse();
  await until(() => outbox.state.waiting === 0);
  t.like(outbox.state, { sent: 1000, failed: 1 });
});

/** An outbox whose attempts end as the test says; a promise per attempt. */
function startOutbox(drainMs: number) {
  const attempts: { readonly signal: AbortSignal; readonly fail: () => void; readonly succeed: () => void }[] = [];
  const channel = {
    kind: 'webhook',
    target: 'here',
    send: (_changes: readonly object[], signal: AbortSignal) =>
      new Promise<void>((resolve, reject) => {
        attempts.push({ signal, fail: () => reject(new Error('away')), succeed: resolve });
      }),
  } as const;
  const outbox = new Outbox(channel, recordingLog([]), { firstDelayMs: 60_000, maxDelayMs: 60_000, drainMs });
  outbox.add({ change: 'opened', event: storedEvent(1) });
  return { outbox, attempts };
}

test('a drain waits for the attempt in flight, and for no retry once that fails', async (t) => {
  const { outbox, attempts } = startOutbox(60_000);
  t.true(await until(() => attempts.length === 1));
  const drained = outbox.drain();
  attempts[0]?.fail();
  await drained;
  t.like(outbox.state, { waiting: 1, problem: 'away' });
  outbox.stop();
  t.true(attempts[0]?.signal.aborted);

  const second = startOutbox(60_000);
  t.true(await until(() => second.attempts.length === 1));
  const sent = second.outbox.drain();
  second.attempts[0]?.succeed();
  await sent;
  t.is(second.outbox.state.sent, 1);
});

test('a drain does not wait for long for a receiver that does not answer', async (t) => {
  const { outbox, attempts } = startOutbox(50);
  t.true(await until(() => attempts.length === 1));
  await outbox.drain();
  t.is(outbox.state.waiting, 1);
  outbox.stop();
});
