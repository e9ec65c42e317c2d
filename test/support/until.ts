import { setTimeout as sleep } from 'node:timers/promises';

const minPauseMs = 10;
const maxPauseMs = 400;
/** Of the time that asking took: what is asked for is to have most of the processor meanwhile. */
const pauseFactor = 8;
/** Far more than anything takes, also on a busy machine. */
const patienceMs = 60_000;

/** Waits for a condition; false when it did not come true in time. */
export async function until(
  condition: () => boolean | Promise<boolean>,
  withinMs: number = patienceMs,
): Promise<boolean> {
  const end = Date.now() + withinMs;
  while (Date.now() < end) {
    const asked = performance.now();
    if (await condition()) return true;
    const pauseMs = Math.max(minPauseMs, pauseFactor * (performance.now() - asked));
    await sleep(Math.min(pauseMs, maxPauseMs));
  }
  return condition();
}

/** Waits until a count has been the same for a time, half a second if nothing else is said; gives it. */
export async function standsStill(count: () => number, forMs = 500): Promise<number> {
  let [last, since] = [count(), performance.now()];
  await until(() => {
    const now = count();
    if (now !== last) [last, since] = [now, performance.now()];
    return performance.now() - since >= forMs;
  });
  return last;
}
