import { setTimeout as sleep } from 'node:timers/promises';

const minPauseMs = 10;
const maxPauseMs = 400;
/** A pause is this many times as long as the check before it, so that the process under test gets most of the processor. */
const pauseFactor = 8;
/** Far more than anything takes, also on a busy machine. */
const patienceMs = 60_000;

/** Waits for a condition; throws an error that shows the condition when it does not come true within `withinMs` milliseconds. */
export async function until(condition: () => boolean | Promise<boolean>, withinMs: number = patienceMs): Promise<true> {
  if (await comesTrue(condition, withinMs)) return true;
  throw new Error(`Within ${withinMs} ms this did not come true: ${condition}`);
}

/** Waits for a condition for at most `withinMs` milliseconds; gives whether it came true. */
export async function comesTrue(
  condition: () => boolean | Promise<boolean>,
  withinMs: number = patienceMs,
): Promise<boolean> {
  const end = Date.now() + withinMs;
  while (Date.now() < end) {
    const begun = performance.now();
    if (await condition()) return true;
    const pauseMs = Math.max(minPauseMs, pauseFactor * (performance.now() - begun));
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
