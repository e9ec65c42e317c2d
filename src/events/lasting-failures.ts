/** Time without a failure after which a failure condition ends even without a success, in ms. */
const quietMs = 10_000;

/**
 * Failures that last, by name: each lasts from its first failure until a success, or until ten seconds without a
 * failure. Times are milliseconds of any monotonic clock.
 */
export class LastingFailures {
  readonly #failures = new Map<string, { readonly since: number; last: number }>();
  readonly #afterMs: number;

  /** A failure counts once it has lasted for `afterMs`. */
  constructor(afterMs: number) {
    this.#afterMs = afterMs;
  }

  failed(name: string, nowMs: number): void {
    const known = this.#failures.get(name);
    if (known === undefined) this.#failures.set(name, { since: nowMs, last: nowMs });
    else known.last = nowMs;
  }

  /** Records a success of this name. */
  succeeded(name: string): void {
    this.#failures.delete(name);
  }

  /** Names of the failures that count now, with the start of each. */
  lasting(nowMs: number): ReadonlyMap<string, number> {
    const lasting = new Map<string, number>();
    for (const [name, { since, last }] of this.#failures) {
      if (nowMs - last > quietMs) this.#failures.delete(name);
      else if (last - since >= this.#afterMs) lasting.set(name, since);
    }
    return lasting;
  }
}
