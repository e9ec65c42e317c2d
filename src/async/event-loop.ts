/**
 * A FIFO queue of tasks that yield to the event loop. One task resumes per turn of the loop, so that slices of several
 * tasks do not add up to one long turn.
 */
export class TurnQueue {
  readonly #waiting: (() => void)[] = [];

  /** Resolves in a later turn of the event loop. */
  next(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      if (this.#waiting.length === 1) setImmediate(this.#resumeOne);
    });
  }

  readonly #resumeOne = (): void => {
    this.#waiting.shift()!();
    // An immediate that is set in one belongs to the turn after it.
    if (this.#waiting.length > 0) setImmediate(this.#resumeOne);
  };
}

const tasks = new TurnQueue();

/**
 * Resolves in a later turn of the event loop. Long tasks call it between their slices; all share one {@link TurnQueue}.
 */
export function yieldToEventLoop(): Promise<void> {
  return tasks.next();
}
