import test from 'ava';
import { topicRows } from '../../../src/load/subscribe/polling.js';
import type { TopicMessage, TopicPoller } from '../../../src/model/topic-message.js';

const origin = { topic: 't', database: 'd', table: 'm', vgroup: 2, offset: 0n };
const message: TopicMessage = { ...origin, count: 1, names: [''], rows: ['1'] };

/** Gives out so many messages and then none; records how it was polled. */
function pollerOf(messages: number): TopicPoller & { readonly waits: number[] } {
  const waits: number[] = [];
  let left = messages;
  return {
    waits,
    poll: async (waitMs) => {
      waits.push(waitMs);
      return left-- > 0 ? message : undefined;
    },
    commit: async () => undefined,
    close: async () => undefined,
    abandon: async () => undefined,
    assignment: async () => [],
    position: async () => 0n,
    committed: async () => undefined,
    seek: async () => undefined,
    commitOffset: async () => undefined,
  };
}

test('polls only when the next message is pulled, and ends when none came', async (t) => {
  const poller = pollerOf(2);
  const rows = topicRows(poller, 70, new AbortController().signal)[Symbol.asyncIterator]();
  t.deepEqual(poller.waits, []);
  t.is((await rows.next()).value, message);
  t.deepEqual(poller.waits, [70]);
  t.is((await rows.next()).done, false);
  t.is((await rows.next()).done, true);
  t.is(poller.waits.length, 3);
});

test('asks no more once it is stopped', async (t) => {
  const poller = pollerOf(100);
  const stop = new AbortController();
  let seen = 0;
  for await (const _ of topicRows(poller, -1, stop.signal)) {
    seen++;
    if (seen === 3) stop.abort();
  }
  t.is(seen, 3);
});
