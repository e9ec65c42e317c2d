import { Codes, FaultError, fault } from '../model/fault.js';

/**
 * The result of work that began, or a fault of kind `network` once the deadline has passed; the work itself continues.
 */
export async function untilAborted<T>(work: Promise<T>, deadline: AbortSignal): Promise<T> {
  let onAbort = (): void => {};
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(new FaultError(fault('network', Codes.networkUnavailable, 'The write took too long')));
    if (deadline.aborted) onAbort();
    else deadline.addEventListener('abort', onAbort, { once: true });
  });
  try {
    return await Promise.race([aborted, work]);
  } finally {
    deadline.removeEventListener('abort', onAbort);
  }
}
