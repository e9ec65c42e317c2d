import type { RunningStatement } from '../database/system-tables/system-table.js';

/** As much of a statement's text as is shown. */
const maxShownBytes = 2048;

/** A statement in hand; `end` must be called once it is over. */
export interface Running {
  readonly signal: AbortSignal;
  end(): void;
}

/** The queries and writes that run now, for lists and for KILL QUERY. */
export class RunningStatements {
  readonly #running = new Map<number, { readonly shown: RunningStatement; readonly abort: AbortController }>();
  #count = 0;

  /** How many statements were begun. */
  get count(): number {
    return this.#count;
  }

  begin(user: string, text: Buffer): Running {
    this.#count++;
    const id = this.#count;
    const abort = new AbortController();
    const sql = text.toString('utf8', 0, maxShownBytes);
    this.#running.set(id, { shown: { id, user, sql, began: Date.now() }, abort });
    return { signal: abort.signal, end: () => this.#running.delete(id) };
  }

  list(): readonly RunningStatement[] {
    return [...this.#running.values()].map(({ shown }) => shown);
  }

  /** Breaks a query off; nothing happens when it is over already. A write goes on, for it may be stored in part. */
  kill(id: number): void {
    this.#running.get(id)?.abort.abort();
  }
}
