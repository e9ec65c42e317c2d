import { pause } from '../../pipelines/pause.js';
import type { RunLog } from '../model/ports.js';
import type { Attempts } from '../model/scenario.js';

/** Least pause before another attempt, so that endless attempts do not become a busy loop. */
const leastPauseMs = 50;

/** Work that may be retried, with the words for a person when it is. */
interface Retried<T> {
  readonly attempts: Attempts;
  readonly log: RunLog;
  readonly stop: AbortSignal;
  /** `re-insert`, `re-create`: what happens after the pause. */
  readonly verb: string;
  run(): Promise<T>;
  /** Why another attempt may help; undefined is a final result. */
  reasonToRetry(result: T): string | undefined;
  /** Called before each attempt after the first. */
  onRetry?(): void;
}

/** The result of the first attempt that is final, or of the last one that is allowed. */
export async function retried<T>(work: Retried<T>): Promise<T> {
  const { attempts, log, stop } = work;
  const intervalMs = Math.max(leastPauseMs, attempts.intervalMs);
  for (let left = attempts.more; ; left--) {
    const result = await work.run();
    const reason = work.reasonToRetry(result);
    if (reason === undefined || left <= 0 || stop.aborted) return result;
    log.warn(`${reason}; will sleep ${intervalMs} milliseconds then ${work.verb}`);
    await pause(intervalMs, stop);
    if (stop.aborted) return result;
    work.onRetry?.();
  }
}
