import { Codes, FaultError, fault } from '../../model/fault.js';
import type { RunLog } from '../model/ports.js';

/** How long requests in flight may still take once a person has stopped the run. */
const usualGraceMs = 10_000;
/** How long the server of the first request may be silent. */
const firstResponseTimeoutMs = 30_000;

/** A person stopped the run before anything was done. */
export class StoppedBeforehand extends Error {}

/** The first request of a run. */
interface FirstRequest<T> {
  readonly response: Promise<T>;
  /** The server, for people: `No database at http://…`. */
  readonly otherwise: string;
  readonly stop: AbortSignal;
  readonly timeoutMs?: number;
  /** Disposes of a response that comes too late. */
  tooLate?(response: T): void;
}

/**
 * The response to the first request of a run. Throws a {@link StoppedBeforehand} as soon as a person stops the run, and
 * a FaultError of kind `network` when no response comes in time; the caller then closes the connection.
 */
export async function firstResponse<T>(request: FirstRequest<T>): Promise<T> {
  const { response, otherwise, stop, timeoutMs = firstResponseTimeoutMs } = request;
  let timer: NodeJS.Timeout | undefined;
  let onStop = (): void => {};
  const ended = new Promise<never>((_, reject) => {
    const silent = `${otherwise}: no answer within ${timeoutMs / 1000} seconds`;
    const fail = () => reject(new FaultError(fault('network', Codes.networkUnavailable, silent)));
    timer = setTimeout(fail, timeoutMs);
    onStop = () => reject(new StoppedBeforehand());
    if (stop.aborted) onStop();
    else stop.addEventListener('abort', onStop);
  });
  let isOver = false;
  response.then((late) => isOver && request.tooLate?.(late)).catch(() => {});
  try {
    return await Promise.race([response, ended]);
  } finally {
    isOver = true;
    clearTimeout(timer);
    stop.removeEventListener('abort', onStop);
  }
}

/**
 * Calls `cut` some time after a person stopped the run, so that it does not wait for a server that does not respond.
 * The result cancels that.
 */
export function cutAfterGrace(
  { stop, log }: { readonly stop: AbortSignal; readonly log: RunLog },
  cut: () => void,
  graceMs = usualGraceMs,
): () => void {
  let timer: NodeJS.Timeout | undefined;
  const onStop = (): void => {
    timer = setTimeout(() => {
      log.warn(`What has not ended within ${graceMs / 1000} seconds is broken off.`);
      cut();
    }, graceMs);
  };
  if (stop.aborted) onStop();
  else stop.addEventListener('abort', onStop, { once: true });
  return () => {
    stop.removeEventListener('abort', onStop);
    clearTimeout(timer);
  };
}
