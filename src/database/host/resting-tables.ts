import { type Alarm, type Clock, systemClock } from '../../async/clock.js';
import { quoteString } from '../../sql/engine/quote.js';
import { insertedTable } from './door/inserted-table.js';

/** A table rests once nothing was inserted for so long. */
const restMs = 10_000;
/** The least time between two looks, as a part of that. */
const leastPause = 0.1;
/** So many inserts with so many rows leave parts that are worth a merge; a table with fewer is left to the engine. */
const [fewestInserts, fewestRows] = [4, 50_000];
/** Tables that are remembered, and partitions that are merged in one look. */
const [mostTables, mostPartitions] = [1_000, 16];

/**
 * Merges the small parts of tables that rest. The engine waits for some thirty of them, which costs least while rows come; but at rest, rows in small
 * parts take twice the room, and every question reads all of them. See docs/decisions/042-resting-tables.md.
 */
export class RestingTables {
  readonly #run: (statement: string, signal: AbortSignal) => Promise<string>;
  readonly #begun: (look: Promise<void>) => void;
  readonly #restMs: number;
  readonly #clock: Clock;
  readonly #tables = new Map<string, { count: number; lastAt: number }>();
  #alarm: Alarm | undefined;
  readonly #stopping = new AbortController();

  /** `run` gives the text of a short result of the engine; `begun` gets a promise for each look, which resolves when it has ended. */
  constructor(
    run: (statement: string, signal: AbortSignal) => Promise<string>,
    begun: (look: Promise<void>) => void,
    rest = restMs,
    clock: Clock = systemClock,
  ) {
    this.#run = run;
    this.#begun = begun;
    this.#restMs = rest;
    this.#clock = clock;
  }

  /** Told of each INSERT that has ended. */
  inserted(statement: string): void {
    const { database, table } = insertedTable(statement) ?? {};
    if (database === undefined || this.#stopping.signal.aborted) return;
    const name = `(${quoteString(database)}, ${quoteString(table ?? '')})`;
    const inserts = this.#tables.get(name) ?? { count: 0, lastAt: 0 };
    inserts.count++;
    inserts.lastAt = this.#clock.now();
    if (this.#tables.size < mostTables) this.#tables.set(name, inserts);
    if (this.#alarm === undefined) this.#lookLater();
  }

  /** Merges nothing more. */
  stop(): void {
    this.#stopping.abort();
    this.#alarm?.cancel();
  }

  /** Looks when the first table has rested, as far as is known by now, and not again at once. */
  #lookLater(): void {
    const first = Math.min(...[...this.#tables.values()].map(({ lastAt }) => lastAt));
    const ms = Math.max(first + this.#restMs - this.#clock.now(), this.#restMs * leastPause);
    this.#alarm = this.#clock.after(ms, () => this.#begun(this.#look()), false);
  }

  async #look(): Promise<void> {
    const rested = [...this.#tables].filter(([, { lastAt }]) => this.#clock.now() - lastAt >= this.#restMs);
    for (const [name] of rested) this.#tables.delete(name);
    const names = rested.filter(([, { count }]) => count >= fewestInserts).map(([name]) => name);
    // What fails is merged by the engine, some time.
    if (names.length > 0) await this.#merge(names).catch(() => {});
    this.#alarm = undefined;
    if (this.#tables.size > 0 && !this.#stopping.signal.aborted) this.#lookLater();
  }

  async #merge(names: readonly string[]): Promise<void> {
    const { signal } = this.#stopping;
    const worthwhile = await this.#run(
      `SELECT concat(database, '.', table, ' PARTITION ID ''', partition_id, '''') FROM system.parts
       WHERE active AND (database, table) IN (${names.join(', ')}) GROUP BY database, table, partition_id
       HAVING countIf(level = 0) >= ${fewestInserts} AND sumIf(rows, level = 0) >= ${fewestRows}
       ORDER BY countIf(level = 0) DESC LIMIT ${mostPartitions}`,
      signal,
    );
    for (const partition of worthwhile.split('\n')) {
      if (partition !== '' && !signal.aborted) await this.#run(`OPTIMIZE TABLE ${partition}`, signal);
    }
  }
}
