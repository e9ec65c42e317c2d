/** Counts pieces of work that have begun and not ended, for those who wait until there are none. */
export class OpenWork {
  #count = 0;
  #waiting: (() => void)[] = [];

  /** How many there are. */
  get count(): number {
    return this.#count;
  }

  begin(): void {
    this.#count++;
  }

  end(): void {
    this.#count--;
    if (this.#count === 0) for (const wake of this.#waiting.splice(0)) wake();
  }

  /** Resolves when there are none. */
  async none(): Promise<void> {
    if (this.#count > 0) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }
}
