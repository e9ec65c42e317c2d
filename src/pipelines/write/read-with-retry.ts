import { setTimeout as sleep } from 'node:timers/promises';
import { type Fault, faultOf, isTransient } from '../../model/fault.js';
import { backOffMs } from '../../text/duration.js';

const firstRetryMs = 100;
const lastRetryMs = 5_000;

/**
 * Reads until that works, with a back-off, while it fails for a reason that may pass; `failed` gets each such
 * failure. Gives the result, the fault that stays, or undefined once `isStopped` says so: the payload is in the log for
 * the next start. Never rejects.
 */
export async function readWithRetry<T extends object>(
  read: () => Promise<T>,
  isStopped: () => boolean,
  failed: (reason: Fault) => void = () => undefined,
): Promise<{ readonly read: T } | { readonly fault: Fault } | undefined> {
  for (let attempt = 1; !isStopped(); attempt++) {
    try {
      return { read: await read() };
    } catch (error) {
      const reason = faultOf(error);
      if (!isTransient(reason)) return { fault: reason };
      failed(reason);
      await sleep(backOffMs(attempt, firstRetryMs, lastRetryMs));
    }
  }
  return undefined;
}
