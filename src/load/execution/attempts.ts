import { pause } from '../../pipelines/pause.js';
import type { RunLog } from '../model/ports.js';
import type { Attempts } from '../model/scenario.js';

/** Least pause before another attempt, so that trying for ever does not become a busy loop. */
const leastPauseMs = 50;

/** A try, with the words for a person when it is made once more. */
interface Tried<T> {
  readonly attempts: Attempts;
  readonly log: RunLog;
  readonly stop: AbortSignal;
  /** `re-insert`, `re-create`: what happens after the pause. */
  readonly verb: string;
  run(): Promise<T>;
  /** Why another attempt may help; undefined is a result to keep. */
  trouble(result: T): string | undefined;
  /** Called before each attempt after the first. */
  again(): void;
}

/** The result of the first attempt that is worth keeping, or of the last one that is allowed. */
export async function tried<T>(work: Tried<T>): Promise<T> {
  const { attempts, log, stop } = work;
  const intervalMs = Math.max(leastPauseMs, attempts.intervalMs);
  for (let left = attempts.more; ; left--) {
    const result = await work.run();
    const trouble = work.trouble(result);
    if (trouble === undefined || left <= 0 || stop.aborted) return result;
    log.warn(`${trouble}; will sleep ${intervalMs} milliseconds then ${work.verb}`);
    await pause(intervalMs, stop);
    if (stop.aborted) return result;
    work.again();
  }
}
