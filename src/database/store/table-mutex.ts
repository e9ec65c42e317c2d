import { deferred } from '../../async/deferred.js';

/** Gives a turn back. */
export type EndTurn = () => void;

/** Work on the same things, one piece after the other, in the order in which it was asked for. */
export class Turns {
  readonly #last = new Map<string, Promise<void>>();

  /** Resolves when all turns for any of the keys that were asked for before have ended. */
  async take(keys: readonly string[]): Promise<EndTurn> {
    // All places in the queues are taken at once, so that no two wait for each other.
    const before = keys.flatMap((key) => this.#last.get(key) ?? []);
    const { promise: ended, resolve: end } = deferred();
    for (const key of keys) this.#last.set(key, ended);
    if (before.length > 0) await Promise.all(before);
    return () => {
      for (const key of keys) if (this.#last.get(key) === ended) this.#last.delete(key);
      end();
    };
  }
}
