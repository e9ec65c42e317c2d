import { AsyncIterableX } from 'ix/asynciterable/asynciterablex';
import type { TopicMessage, TopicPoller } from '../../model/topic-message.js';

/**
 * The messages of one consumer, pulled: a consumer that asks for the next one has dealt with the one before. Ends when none came
 * within `waitMs` (negative waits for ever) or `signal` says so; fails as polling does.
 */
export function topicRows(poller: TopicPoller, waitMs: number, signal: AbortSignal): AsyncIterableX<TopicMessage> {
  return AsyncIterableX.from(messages(poller, waitMs, signal));
}

async function* messages(
  poller: TopicPoller,
  waitMs: number,
  signal: AbortSignal,
): AsyncGenerator<TopicMessage, void, void> {
  while (!signal.aborted) {
    const message = await poller.poll(waitMs, signal);
    if (message === undefined) return;
    yield message;
  }
}
