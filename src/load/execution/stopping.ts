import { Codes, FaultError, fault } from '../../model/fault.js';
import type { RunLog } from '../model/ports.js';

/** How long requests under way may still take once a person has asked for the end. */
const usualGraceMs = 10_000;
/** How long the server that is asked first may be silent. */
const firstAnswerTimeoutMs = 30_000;

/** A person asked for the end before anything was done. */
export class StoppedBeforehand extends Error {}

/** Whom a run asks first, and what becomes of an answer that comes too late. */
interface FirstQuestion<T> {
  readonly ask: Promise<T>;
  /** Whom, for people: `No database at http://…`. */
  readonly otherwise: string;
  readonly stop: AbortSignal;
  readonly timeoutMs?: number;
  tooLate(answer: T): void;
}

/**
 * The answer to the first question of a run. Throws a {@link StoppedBeforehand} as soon as a person asks for the end, and a
 * FaultError of kind `network` when no answer comes in time; the caller then gives up the connection.
 */
export async function firstAnswer<T>(question: FirstQuestion<T>): Promise<T> {
  const { ask, otherwise, stop, timeoutMs = firstAnswerTimeoutMs, tooLate } = question;
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
  ask.then((answer) => isOver && tooLate(answer)).catch(() => {});
  try {
    return await Promise.race([ask, ended]);
  } finally {
    isOver = true;
    clearTimeout(timer);
    stop.removeEventListener('abort', onStop);
  }
}

/** Whose end is asked for, and where that is told. */
interface Stopping {
  readonly stop: AbortSignal;
  readonly log: RunLog;
}

/**
 * Cuts off what is still under way some time after a person asked for the end, so that the run does not wait for a server that does not
 * answer. The result calls it off.
 */
export function cutAfterGrace({ stop, log }: Stopping, cut: () => void, graceMs = usualGraceMs): () => void {
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
