import { setTimeout as sleep } from 'node:timers/promises';

const pauseMs = 10;
/** Far more than anything takes, also on a busy machine. */
const patienceMs = 60_000;

/** Waits for a condition; false when it did not come true in time. */
export async function until(
  condition: () => boolean | Promise<boolean>,
  withinMs: number = patienceMs,
): Promise<boolean> {
  for (const end = Date.now() + withinMs; Date.now() < end; await sleep(pauseMs)) if (await condition()) return true;
  return condition();
}
