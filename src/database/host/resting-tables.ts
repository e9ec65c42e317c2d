import { type Alarm, type Clock, systemClock } from '../../async/clock.js';
import { quoteString } from '../../sql/engine/quote.js';
import { replacedPartsSeconds } from './connection/engine-config.js';
import { insertedTable } from './door/inserted-table.js';

/** A table rests once nothing was inserted for so long. */
const restMs = 10_000;
/** The least time between two looks, as a part of that. */
const leastPause = 0.1;
/** So many inserts with so many rows leave parts that are worth a merge; a table with fewer is left to the engine. */
const [fewestInserts, fewestRows] = [4, 50_000];
/** When parts that were replaced may be removed, in ms after the merge. */
const sweepMs = (replacedPartsSeconds + 1) * 1_000;
const partition = ' PARTITION ID ';
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
  readonly #sweepMs: number;
  readonly #clock: Clock;
  readonly #tables = new Map<string, { count: number; lastAt: number }>();
  #alarm: Alarm | undefined;
  readonly #sweeps = new Set<Alarm>();
  readonly #stopping = new AbortController();

  /** `run` gives the text of a short result of the engine; `begun` gets a promise for all that is done, which resolves when it has ended. */
  constructor(
    run: (statement: string, signal: AbortSignal) => Promise<string>,
    begun: (look: Promise<void>) => void,
    rest = restMs,
    sweep = sweepMs,
    clock: Clock = systemClock,
  ) {
    this.#run = run;
    this.#begun = begun;
    this.#restMs = rest;
    this.#sweepMs = sweep;
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
    for (const sweep of this.#sweeps) sweep.cancel();
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
      `SELECT concat(database, '.', table, '${partition}''', partition_id, '''') FROM system.parts
       WHERE active AND (database, table) IN (${names.join(', ')}) GROUP BY database, table, partition_id
       HAVING countIf(level = 0) >= ${fewestInserts} AND sumIf(rows, level = 0) >= ${fewestRows}
       ORDER BY countIf(level = 0) DESC LIMIT ${mostPartitions}`,
      signal,
    );
    const merged = worthwhile.split('\n').filter((place) => place !== '');
    for (const place of merged) if (!signal.aborted) await this.#run(`OPTIMIZE TABLE ${place}`, signal);
    this.#sweepLater(new Set(merged.map((place) => place.slice(0, place.lastIndexOf(partition)))));
  }

  /** Has the parts removed that merges of these tables have replaced; the engine looks for such every half minute. */
  #sweepLater(tables: ReadonlySet<string>): void {
    if (tables.size === 0 || this.#stopping.signal.aborted) return;
    const run = (): void => {
      this.#sweeps.delete(alarm);
      this.#begun(this.#sweep(tables));
    };
    const alarm = this.#clock.after(this.#sweepMs, run, false);
    this.#sweeps.add(alarm);
  }

  async #sweep(tables: ReadonlySet<string>): Promise<void> {
    const { signal } = this.#stopping;
    for (const table of tables) {
      // The engine sweeps a table after each DROP PARTITION, also of one that is not there.
      if (!signal.aborted) await this.#run(`ALTER TABLE ${table} DROP${partition}'none'`, signal).catch(() => {});
    }
  }
}
