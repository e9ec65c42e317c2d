import { detached } from '../../async/detached.js';
import type { StoredPart, UniqueRows } from '../../model/unique-rows.js';
import { column, int64, number, select } from '../../sql/engine/build.js';
import { printExpr, printQuery } from '../../sql/engine/print.js';
import { shortBlocks } from '../../sql/engine/settings.js';
import { bareTime, keysSource, rowsSource } from '../../sql/engine/storage.js';
import { expr } from '../../sql/engine/template.js';
import { mergedRows } from '../../sql/plan/group/unique-rows.js';
import type { Engine } from '../engine/engine.js';

/** Rows of one check, about: with versions to merge it takes the engine 0.3 s. */
const mostRows = 4_000_000;
/** A table is checked again after so long, and after so many times the duration of the last check. */
const [leastPauseMs, pauseFactor] = [1_000, 20];
/** Where keys were found twice, pauses double up to this. */
const longestPauseMs = 300_000;
/** Pieces of time in which keys are known to be unique or not. */
const pieces = 32n;
const maxRemembered = 1_000;
/** Ticks between times that can be subtracted in 64 bits. */
const longestSpan = 2n ** 62n;

/**
 * Gives a row where a statement sees one state of a table, wherever it reads it: without that nothing can be relied
 * upon.
 */
const oneState =
  "SELECT 1 FROM system.settings WHERE name = 'enable_shared_storage_snapshot_in_query' AND value IN ('1', 'true')";

/** The part of the engine that is read. */
type LookedAt = Pick<Engine, 'rows'> & { readonly system: Pick<Engine, 'rows'> };

interface Known {
  unique: UniqueRows | undefined;
  isLooking: boolean;
  /** When it may be checked again. */
  next: number;
  /** How often in a row keys were found twice. */
  failures: number;
}

/**
 * Which rows of engine tables have a key each, so that queries can do without merging versions. It is found by
 * counting: where rows are as many as keys, each key is stored once. A plan that needs the count starts it beside the
 * queries, and no query waits for it. What was stored after that is the business of the query, see `scanUniqueRows`; so
 * nothing depends on who writes.
 */
export class UniqueRowsLooks {
  readonly #engine: LookedAt;
  readonly #fewestRows: number;
  #known = new Map<string, Known>();
  #showsOneState: boolean | undefined;

  /** Tables and pieces of time with fewer than `fewestRows` rows are not worth a look. */
  constructor(engine: LookedAt, fewestRows = 100_000) {
    this.#engine = engine;
    this.#fewestRows = fewestRows;
  }

  /** Knowledge about an engine table; `now` in ms. */
  of(storage: string, now = performance.now()): UniqueRows | undefined {
    if (this.#known.size >= maxRemembered) this.forget();
    const known = this.#known.get(storage) ?? {
      unique: undefined,
      isLooking: false,
      next: now,
      failures: 0,
    };
    this.#known.set(storage, known);
    if (!known.isLooking && now >= known.next) detached(this.#look(storage, known));
    return known.unique;
  }

  /**
   * Drops the knowledge that all rows of an engine table are unique: a statement has found rows that were stored since
   * the last look.
   */
  assumptionFailed(storage: string): void {
    const known = this.#known.get(storage);
    if (known?.unique !== undefined) known.unique = { ...known.unique, isAll: false };
  }

  /** Forgets everything: an engine that was started anew may give the numbers of inserts that are gone to others. */
  forget(): void {
    // The results of looks that are under way are not used any more.
    this.#known = new Map();
  }

  async #look(storage: string, known: Known): Promise<void> {
    const began = performance.now();
    known.isLooking = true;
    try {
      const counted = await this.#count(storage, known.unique);
      known.failures = counted.isWhole ? 0 : known.failures + 1;
      known.unique = counted.unique;
    } catch {
      // Without an answer, versions are merged.
      known.unique = undefined;
      known.failures++;
    }
    const ended = performance.now();
    const pause = Math.max(leastPauseMs, pauseFactor * (ended - began)) * 2 ** known.failures;
    known.next = ended + Math.min(pause, longestPauseMs);
    known.isLooking = false;
  }

  async #count(storage: string, before: UniqueRows | undefined): Promise<{ unique?: UniqueRows; isWhole: boolean }> {
    this.#showsOneState ??= (await this.#engine.system.rows(oneState)).length > 0;
    if (!this.#showsOneState) return { isWhole: false };
    const parts = await this.#parts(storage);
    const insert = Math.max(...parts.map((part) => part.insert));
    const toMerge = mergedRows(parts, { low: undefined, high: undefined });
    if (toMerge === 0 && parts.length > 0) {
      const isKnown = before?.insert === insert && before.isAll && isSame(before.parts, parts);
      const unique = isKnown ? before : { insert, from: undefined, until: undefined, isAll: true, parts };
      return { unique, isWhole: true };
    }
    if (toMerge < this.#fewestRows) return { isWhole: true };
    if (before !== undefined && before.until === undefined) {
      const unique = await this.#extended(storage, before, parts, insert);
      if (unique !== undefined) return { unique, isWhole: true };
    }
    const since = firstLooked(parts);
    if (since === undefined) return { isWhole: true };
    const times = await this.#uniqueTimes(storage, parts, since);
    const [best] = times.toSorted((a, b) => b.rows - a.rows);
    if (best === undefined || best.rows < this.#fewestRows) return { isWhole: false };
    const isAll = best.from === since && since === firstTime(parts);
    const from = isAll ? undefined : best.from;
    const { until } = best;
    const unique = { insert, from, until, isAll: isAll && until === undefined, parts };
    return { unique, isWhole: times.length === 1 && best.from === since && best.until === undefined };
  }

  /**
   * What was known and holds for the rows of newer parts, too; undefined where those repeat others, or are too many to
   * look at.
   */
  async #extended(
    storage: string,
    before: UniqueRows,
    parts: readonly StoredPart[],
    insert: number,
  ): Promise<UniqueRows | undefined> {
    const since = firstTime(parts.filter((part) => part.insert > before.insert));
    // Knowledge that has not changed stays the same object, so that plans hold.
    if (since === undefined) {
      const isAll = isWhole(before);
      const isKnown = before.isAll === isAll && isSame(before.parts, parts);
      return isKnown ? before : { ...before, isAll, parts };
    }
    const { from } = before;
    if ((from !== undefined && since <= from) || rowsSince(parts, since) > mostRows) return undefined;
    const [only, ...others] = await this.#uniqueTimes(storage, parts, since);
    const areUnique = only?.from === since && only.until === undefined && others.length === 0;
    return areUnique ? { insert, from, until: undefined, isAll: from === undefined, parts } : undefined;
  }

  /** The active parts, which the engine lists without reading rows. */
  async #parts(storage: string): Promise<readonly StoredPart[]> {
    const times = [expr`toString(min(${bareTime}))`, expr`toString(max(${bareTime}))`].map(printExpr);
    const rows = await this.#engine.rows(`SELECT _part, count(), ${times.join(', ')} FROM ${storage} GROUP BY _part`);
    return rows.map(([name, count, first, last]) => {
      const [partition = '', , insert, level] = String(name).split('_');
      const times = { first: BigInt(String(first)), last: BigInt(String(last)) };
      return { partition, insert: Number(insert), isUnique: Number(level) > 0, rows: Number(count), ...times };
    });
  }

  /**
   * The pieces of time behind `since` in which each key is stored once, as they follow each other, with the number of
   * their rows. The last one has no end. They hold for all rows that were stored when `parts` was read.
   */
  async #uniqueTimes(storage: string, parts: readonly StoredPart[], since: bigint): Promise<readonly UniqueTimes[]> {
    const newest =
      parts
        .map(({ last }) => last)
        .toSorted(byTime)
        .at(-1) ?? since;
    if (newest - since > longestSpan) return [];
    const width = (newest - since) / pieces + 1n;
    const piece = expr`least(intDiv(${bareTime} - ${int64(since)}, ${int64(width)}), ${pieces - 1n})`;
    const counted = [keysSource(storage, 'r'), rowsSource(storage, 'r')].map((from, at) =>
      select({
        columns: [
          [piece, 'p'],
          [number(at), 'merged'],
          [expr`count()`, 'n'],
        ],
        from,
        where: [expr`${bareTime} >= ${int64(since)}`],
        groupBy: [column(undefined, 'p')],
      }),
    );
    const all = printQuery({ union: counted });
    const merges = await this.#engine.rows(
      `SELECT toUInt32(p), sumIf(n, merged = 0), sumIf(n, merged = 1) FROM (${all}) GROUP BY p ORDER BY p
       SETTINGS max_threads = 1, max_block_size = ${shortBlocks.max_block_size}, optimize_move_to_prewhere_if_final = 1`,
    );
    const at = (place: bigint): bigint | undefined => (place >= pieces ? undefined : since + place * width);
    const times: UniqueTimes[] = [];
    let from = 0n;
    let rows = 0;
    for (const [place, stored, keys] of [...merges, [Number(pieces), 0, -1]]) {
      if (Number(stored) === Number(keys)) {
        rows += Number(stored);
        continue;
      }
      const end = BigInt(Number(place));
      if (end > from && rows > 0) times.push({ from: since + from * width, until: at(end), rows });
      from = end + 1n;
      rows = 0;
    }
    return times;
  }
}

interface UniqueTimes {
  readonly from: bigint;
  readonly until: bigint | undefined;
  readonly rows: number;
}

/**
 * From which time on a table is checked for the first time: all of it, or about as many of the newest rows as one check
 * allows.
 */
function firstLooked(parts: readonly StoredPart[]): bigint | undefined {
  const starts = parts.map(({ first }) => first).toSorted(byTime);
  return starts.find((start) => rowsSince(parts, start) <= mostRows);
}

function isWhole({ from, until }: Pick<UniqueRows, 'from' | 'until'>): boolean {
  return from === undefined && until === undefined;
}

/** True for lists of the parts of one table between which nothing was merged. */
function isSame(before: readonly StoredPart[], now: readonly StoredPart[]): boolean {
  return before.length === now.length && rowsOf(before) === rowsOf(now);
}

function rowsOf(parts: readonly StoredPart[]): number {
  return parts.reduce((sum, { rows }) => sum + rows, 0);
}

function rowsSince(parts: readonly StoredPart[], since: bigint): number {
  return parts.reduce((sum, { first, last, rows }) => {
    if (last < since) return sum;
    return sum + (first >= since ? rows : (rows * Number(last - since + 1n)) / Number(last - first + 1n));
  }, 0);
}

function firstTime(parts: readonly StoredPart[]): bigint | undefined {
  return parts.map(({ first }) => first).toSorted(byTime)[0];
}

function byTime(a: bigint, b: bigint): number {
  return a < b ? -1 : Number(a > b);
}
