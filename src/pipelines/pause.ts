import { setTimeout as sleep } from 'node:timers/promises';

/** Waits, or returns at once when the work is stopped meanwhile. */
export async function pause(ms: number, stop: AbortSignal): Promise<void> {
  try {
    await sleep(ms, undefined, { signal: stop });
  } catch (error) {
    if (!stop.aborted) throw error;
  }
}
