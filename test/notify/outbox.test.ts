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
