import { type Alarm, type Clock, systemClock } from '../../async/clock.js';
import { quoteString } from '../../sql/engine/quote.js';
import { replacedPartsSeconds } from './connection/engine-config.js';

/** A table is idle once nothing was inserted for so long. */
const idleMs = 10_000;
/** Shortest time between two checks, as a share of that. */
const minPauseShare = 0.1;
/** A merge pays off from so many inserts and rows; tables with fewer are left to the engine. */
const [minInserts, minRows] = [4, 50_000];
/** Time from a merge until the replaced parts may be removed. */
const removalDelayMs = (replacedPartsSeconds + 1) * 1_000;
const partition = ' PARTITION ID ';
/** Tables that are tracked, and partitions that one check merges. */
const [maxTables, maxPartitions] = [1_000, 16];

/**
 * Merges the small parts of idle tables. The engine waits for some thirty of them, which costs least while rows arrive.
 * But rows in small parts take twice the disk space, and every query reads all parts.
 * See docs/decisions/042-idle-table-merge.md.
 */
export class IdleTableMerge {
  readonly #run: (statement: string, signal: AbortSignal) => Promise<string>;
  readonly #track: (work: Promise<void>) => void;
  readonly #idleMs: number;
  readonly #removalDelayMs: number;
  readonly #clock: Clock;
  readonly #tables = new Map<string, { count: number; lastAt: number }>();
  #timer: Alarm | undefined;
  readonly #removals = new Set<Alarm>();
  readonly #stopping = new AbortController();

  /** `run` returns the text of a short result of the engine; `track` gets a promise of each check and removal. */
  constructor(
    run: (statement: string, signal: AbortSignal) => Promise<string>,
    track: (work: Promise<void>) => void,
    idle = idleMs,
    removalDelay = removalDelayMs,
    clock: Clock = systemClock,
  ) {
    this.#run = run;
    this.#track = track;
    this.#idleMs = idle;
    this.#removalDelayMs = removalDelay;
    this.#clock = clock;
  }

  /** Records an INSERT that has ended; `place` is `database.table`. */
  inserted(place: string): void {
    if (this.#stopping.signal.aborted) return;
    const [database = '', table = ''] = place.split('.');
    const name = `(${quoteString(database)}, ${quoteString(table)})`;
    const inserts = this.#tables.get(name) ?? { count: 0, lastAt: 0 };
    inserts.count++;
    inserts.lastAt = this.#clock.now();
    if (this.#tables.size < maxTables) this.#tables.set(name, inserts);
    if (this.#timer === undefined) this.#scheduleCheck();
  }

  /** Starts no further merges. */
  stop(): void {
    this.#stopping.abort();
    this.#timer?.cancel();
    for (const removal of this.#removals) removal.cancel();
  }

  /** Schedules a check for the time at which the first table becomes idle. */
  #scheduleCheck(): void {
    const first = Math.min(...[...this.#tables.values()].map(({ lastAt }) => lastAt));
    const ms = Math.max(first + this.#idleMs - this.#clock.now(), this.#idleMs * minPauseShare);
    this.#timer = this.#clock.after(ms, () => this.#track(this.#check()), false);
  }

  async #check(): Promise<void> {
    const idle = [...this.#tables].filter(([, { lastAt }]) => this.#clock.now() - lastAt >= this.#idleMs);
    for (const [name] of idle) this.#tables.delete(name);
    const names = idle.filter(([, { count }]) => count >= minInserts).map(([name]) => name);
    // The engine itself merges the tables of a failed check later.
    if (names.length > 0) await this.#merge(names).catch(() => {});
    this.#timer = undefined;
    if (this.#tables.size > 0 && !this.#stopping.signal.aborted) this.#scheduleCheck();
  }

  async #merge(names: readonly string[]): Promise<void> {
    const { signal } = this.#stopping;
    const worthwhile = await this.#run(
      `SELECT concat(database, '.', table, '${partition}''', partition_id, '''') FROM system.parts
       WHERE active AND (database, table) IN (${names.join(', ')}) GROUP BY database, table, partition_id
       HAVING countIf(level = 0) >= ${minInserts} AND sumIf(rows, level = 0) >= ${minRows}
       ORDER BY countIf(level = 0) DESC LIMIT ${maxPartitions}`,
      signal,
    );
    const merged = worthwhile.split('\n').filter((target) => target !== '');
    for (const target of merged) if (!signal.aborted) await this.#run(`OPTIMIZE TABLE ${target}`, signal);
    this.#scheduleRemoval(new Set(merged.map((target) => target.slice(0, target.lastIndexOf(partition)))));
  }

  /** Schedules the removal of the replaced parts; the engine would remove them within half a minute or more. */
  #scheduleRemoval(tables: ReadonlySet<string>): void {
    if (tables.size === 0 || this.#stopping.signal.aborted) return;
    const run = (): void => {
      this.#removals.delete(alarm);
      this.#track(this.#removeReplaced(tables));
    };
    const alarm = this.#clock.after(this.#removalDelayMs, run, false);
    this.#removals.add(alarm);
  }

  async #removeReplaced(tables: ReadonlySet<string>): Promise<void> {
    const { signal } = this.#stopping;
    for (const table of tables) {
      // The engine removes replaced parts after each DROP PARTITION, also of a partition that does not exist.
      if (!signal.aborted) await this.#run(`ALTER TABLE ${table} DROP${partition}'none'`, signal).catch(() => {});
    }
  }
}
