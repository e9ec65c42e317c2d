import { deferred } from './deferred.js';

/** Releases a lock. */
export type Unlock = () => void;

/** Serializes work per key, in the order of the requests. */
export class KeyedMutex {
  readonly #last = new Map<string, Promise<void>>();

  /** Locks keys; resolves when all locks on any of them that were requested before have been released. */
  async lock(keys: readonly string[]): Promise<Unlock> {
    // Enters the queues of all keys at once, so that two callers never wait for each other.
    const before = keys.flatMap((key) => this.#last.get(key) ?? []);
    const { promise: released, resolve: release } = deferred();
    for (const key of keys) this.#last.set(key, released);
    if (before.length > 0) await Promise.all(before);
    return () => {
      for (const key of keys) if (this.#last.get(key) === released) this.#last.delete(key);
      release();
    };
  }
}
