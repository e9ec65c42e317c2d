import { maxRequestsInFlight, maxRowsInFlight } from '../model/scenario.js';

/**
 * The requests of one thread that wait for their answers. As a rule that is one. Where requests are much shorter than
 * they may be, because tables end so soon, the next ones follow without waiting, as long as all together have no more
 * rows than one request may have: so a million tables of a few rows do not take a million round trips one after the
 * other, and the database stores them in groups.
 */
export class InFlight {
  readonly #maxRows: number;
  readonly #running = new Set<Promise<void>>();
  #rows = 0;
  /** Goes on with a start that waits for room. */
  #wake: () => void = () => {};
  #failure: { readonly error: unknown } | undefined;

  /** `rowsPerRequest` is how many rows a request may have; with 0 each goes alone. */
  constructor(rowsPerRequest: number) {
    this.#maxRows = Math.min(rowsPerRequest, maxRowsInFlight);
  }

  /** Starts a request of so many rows when there is room, one at a time. Rejects with the error of an earlier one. */
  async start(rows: number, request: () => Promise<void>): Promise<void> {
    // Racing all of them would leave a reaction with each, every time.
    while (!this.#hasRoomFor(rows)) await new Promise<void>((resolve) => (this.#wake = resolve));
    this.#throwFailure();
    this.#rows += rows;
    const work = request()
      .catch((error: unknown) => {
        this.#failure ??= { error };
      })
      .finally(() => {
        this.#rows -= rows;
        this.#running.delete(work);
        this.#wake();
      });
    this.#running.add(work);
  }

  /** Waits until all requests have ended. Rejects with what the first of them failed with. */
  async idle(): Promise<void> {
    await this.ended();
    this.#throwFailure();
  }

  /** Waits until all requests have ended, however they did. */
  async ended(): Promise<void> {
    await Promise.all(this.#running);
  }

  #hasRoomFor(rows: number): boolean {
    const { size } = this.#running;
    return size === 0 || (size < maxRequestsInFlight && this.#rows + rows <= this.#maxRows);
  }

  #throwFailure(): void {
    if (this.#failure !== undefined) throw this.#failure.error;
  }
}
