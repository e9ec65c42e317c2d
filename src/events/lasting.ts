/** How long nothing may go wrong any more before a trouble without a good sign counts as over. */
const quietMs = 10_000;

/**
 * Troubles that go on for some time, by name: each lasts from its first failure on until something goes right, or until nothing
 * went wrong for ten seconds. Times are any milliseconds that rise.
 */
export class LastingTroubles {
  readonly #troubles = new Map<string, { readonly since: number; last: number }>();
  readonly #afterMs: number;

  /** A trouble counts once it has lasted for `afterMs`. */
  constructor(afterMs: number) {
    this.#afterMs = afterMs;
  }

  failed(name: string, nowMs: number): void {
    const known = this.#troubles.get(name);
    if (known === undefined) this.#troubles.set(name, { since: nowMs, last: nowMs });
    else known.last = nowMs;
  }

  /** Something of this name went right. */
  succeeded(name: string): void {
    this.#troubles.delete(name);
  }

  /** Names of the troubles that count now, with when each began. */
  lasting(nowMs: number): ReadonlyMap<string, number> {
    const lasting = new Map<string, number>();
    for (const [name, { since, last }] of this.#troubles) {
      if (nowMs - last > quietMs) this.#troubles.delete(name);
      else if (last - since >= this.#afterMs) lasting.set(name, since);
    }
    return lasting;
  }
}
