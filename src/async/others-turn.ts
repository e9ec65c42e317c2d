/**
 * Works that yield to the event loop and go on in the order in which they came: one per turn of the loop, so that slices of several works do
 * not add up to one long turn.
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

const works = new TurnQueue();

/** Resolves in a later turn of the event loop. Long works wait here between their slices, in one {@link TurnQueue}. */
export function othersTurn(): Promise<void> {
  return works.next();
}
