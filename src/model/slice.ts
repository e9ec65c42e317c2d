import { othersTurn } from './others-turn.js';

/** How long a loop goes on before others have their turn, in milliseconds. */
const maxMs = 10;

/** Items of a long list as an array; others have their turns meanwhile. */
export async function collected<T>(items: Iterable<T>): Promise<readonly T[]> {
  const results: T[] = [];
  const slice = new Slice();
  for (const item of items) {
    if (slice.isOver()) await slice.next();
    results.push(item);
  }
  return results;
}

/** The time that a long loop has had the event loop for: `if (slice.isOver()) await slice.next()` in it lets others have their turn. */
export class Slice {
  #begun = performance.now();

  isOver(): boolean {
    return performance.now() - this.#begun > maxMs;
  }

  /** Resolves in a later turn of the event loop, where another slice begins. */
  async next(): Promise<void> {
    await othersTurn();
    this.#begun = performance.now();
  }
}
