import { detached } from '../../../async/detached.js';
import type { ChangedTables, Effect } from '../../engine/request.js';

/** Memory for all results, and the longest one that is cached, in bytes. */
const cacheBytes = 8 * 1024 * 1024;
export const maxResultBytes = 1024 * 1024;
/** Limit of cached results; each change compares its tables with those of all results. */
const maxResults = 1_000;
/** Shortest time between two checks for unfinished changes. */
const recheckMs = 1_000;
/** Counts the changes that the engine has not finished. */
const unfinishedChanges = 'SELECT count() FROM system.mutations WHERE NOT is_done';

/** A query whose result may be cached. */
interface Cacheable {
  /** Equal for equal queries. */
  readonly key: string;
  /** The tables that it reads; undefined if its result may differ from run to run. */
  readonly tables: readonly string[] | undefined;
}

interface CachedResult {
  readonly tables: readonly string[];
  /** Undefined while the query runs. */
  bytes: Buffer | undefined;
}

/**
 * A result cache: short results by their query, least recently used evicted first. A statement that changes a table
 * invalidates the results of all queries of the table. Every statement of an engine passes its host, so a cached result
 * equals what the engine would return. See docs/decisions/041-result-cache.md.
 */
export class ResultCache {
  readonly #query: (statement: string) => Promise<string>;
  /** In order of use, the most recently used last. */
  readonly #results = new Map<string, CachedResult>();
  #bytes = 0;
  /** The tables of the changes that run. */
  readonly #changes = new Set<{ readonly tables: ChangedTables }>();
  /** False while the engine may be making changes whose statements have ended, such as those from before its start. */
  #hasNoPendingChanges = false;
  /** How often changes became pending. */
  #pendingCounter = 0;
  #checkedAt = Number.NEGATIVE_INFINITY;

  /** `query` returns the text of a short result of the engine. */
  constructor(query: (statement: string) => Promise<string>) {
    this.#query = query;
  }

  /**
   * The result of a query: from the cache, or from `run`, which gives undefined for a longer one. Rejects as `run`
   * does.
   */
  async result({ key, tables }: Cacheable, run: () => Promise<Buffer | undefined>): Promise<Buffer | undefined> {
    if (tables === undefined) return run();
    const cached = this.#results.get(key);
    if (cached?.bytes !== undefined) {
      this.#results.delete(key);
      this.#results.set(key, cached);
      return cached.bytes;
    }
    if (!this.#isCacheable(tables)) return run();
    const entry: CachedResult = { tables, bytes: undefined };
    this.#results.set(key, entry);
    try {
      const bytes = await run();
      if (bytes !== undefined && this.#results.get(key) === entry) this.#store(entry, bytes, key);
      return bytes;
    } finally {
      if (entry.bytes === undefined && this.#results.get(key) === entry) this.#results.delete(key);
    }
  }

  /** Runs a statement that changes something. While it runs, no result that it may change is cached. */
  async invalidatedBy<T>({ changes, continues = false }: Effect, run: () => Promise<T>): Promise<T> {
    if (changes !== 'all' && changes.length === 0) return run();
    const change = { tables: changes };
    if (continues) this.#markPending();
    this.#changes.add(change);
    for (const [key, { tables }] of this.#results) if (mayChange(changes, tables)) this.#evict(key);
    try {
      return await run();
    } finally {
      this.#changes.delete(change);
    }
  }

  #isCacheable(tables: readonly string[]): boolean {
    if (!this.#hasNoPendingChanges) detached(this.#checkPending());
    if (!this.#hasNoPendingChanges) return false;
    for (const change of this.#changes) if (mayChange(change.tables, tables)) return false;
    return true;
  }

  #store(entry: CachedResult, bytes: Buffer, key: string): void {
    entry.bytes = bytes;
    this.#bytes += key.length + bytes.length;
    for (const earlier of this.#results.keys()) {
      if (this.#bytes <= cacheBytes && this.#results.size <= maxResults) break;
      this.#evict(earlier);
    }
  }

  #evict(key: string): void {
    const bytes = this.#results.get(key)?.bytes;
    if (bytes !== undefined) this.#bytes -= key.length + bytes.length;
    this.#results.delete(key);
  }

  #markPending(): void {
    this.#hasNoPendingChanges = false;
    this.#pendingCounter++;
  }

  /** Checks for changes that the engine still makes although their statement was cancelled. */
  async #checkPending(): Promise<void> {
    if (performance.now() - this.#checkedAt < recheckMs || this.#changes.size > 0) return;
    this.#checkedAt = performance.now();
    const counterBefore = this.#pendingCounter;
    const unfinished = await this.#query(unfinishedChanges).catch(() => '');
    if (unfinished === '0' && counterBefore === this.#pendingCounter) this.#hasNoPendingChanges = true;
  }
}

function mayChange(changed: ChangedTables, read: readonly string[]): boolean {
  return changed === 'all' || read.some((table) => changed.includes(table));
}
