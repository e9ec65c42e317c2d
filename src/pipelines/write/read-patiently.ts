import { setTimeout as sleep } from 'node:timers/promises';
import { type Fault, faultOf, mayPass } from '../../model/fault.js';

const retryMs = 500;

/**
 * Reads a logged text again and again while that fails for something that may pass. Gives the result, the fault that stays, or undefined
 * once `isStopped` says so: the text is in the log for the next start. Never rejects.
 */
export async function readPatiently<T extends object>(
  read: () => Promise<T>,
  isStopped: () => boolean,
): Promise<{ readonly read: T } | { readonly fault: Fault } | undefined> {
  while (!isStopped()) {
    try {
      return { read: await read() };
    } catch (error) {
      const reason = faultOf(error);
      if (!mayPass(reason)) return { fault: reason };
      await sleep(retryMs);
    }
  }
  return undefined;
}
