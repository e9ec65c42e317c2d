import { detached } from '../../../async/detached.js';
import { insertedTable } from './inserted-table.js';

/** Memory for all results, and the longest one that is cached, in bytes. */
const [cacheBytes, maxResultBytes] = [8 * 1024 * 1024, 1024 * 1024];
/** Limit of cached results; each change compares its table with all of their statements. */
const maxResults = 1_000;
/** Shortest time between two checks for unfinished changes. */
const recheckMs = 1_000;
/**
 * Functions whose result differs from call to call, and `merge`, which reads tables that the statement does not name.
 */
const nondeterministic = /\b(?:(?:rand|now|generate|sleep)\w*|today|yesterday|uptime|merge)\(/i;
const readsSystem = /\bsystem\./i;
/** Changes that end with their statement, also when it fails. */
const endsAtOnce = /^\s*(?:insert|create)\s/i;
/** Counts the changes that the engine has not finished. */
const unfinishedChanges = 'SELECT count() FROM system.mutations WHERE NOT is_done';

interface CachedResult {
  /** Undefined while the statement runs. */
  bytes: Buffer | undefined;
}

/** A running statement that changes the table of this name, or any table when undefined. */
interface Change {
  readonly table: string | undefined;
}

/**
 * A result cache: short results by the text of their statement, least recently used evicted first. A statement that
 * changes a table invalidates the results of all statements that name the table. Every statement of an engine passes
 * its host, so a cached result equals what the engine would return. See docs/decisions/041-result-cache.md.
 */
export class ResultCache {
  readonly #query: (statement: string) => Promise<string>;
  /** In order of use, the most recently used last. */
  readonly #results = new Map<string, CachedResult>();
  #bytes = 0;
  readonly #changes = new Set<Change>();
  /** False while the engine may be making changes whose statements have ended, such as those from before its start. */
  #hasNoPendingChanges = false;
  /** How often changes became pending. */
  #pendingCounter = 0;
  #checkedAt = Number.NEGATIVE_INFINITY;

  /** `query` returns the text of a short result of the engine. */
  constructor(query: (statement: string) => Promise<string>) {
    this.#query = query;
  }

  /** The result of a statement that only reads: from the cache, or from `run`; undefined if it was cancelled. Rejects as `run` does. */
  async result(
    statement: string,
    run: (statement: string) => Promise<Buffer | undefined>,
  ): Promise<Buffer | undefined> {
    const cached = this.#results.get(statement);
    if (cached?.bytes !== undefined) {
      this.#results.delete(statement);
      this.#results.set(statement, cached);
      return cached.bytes;
    }
    if (!this.#isCacheable(statement)) return run(statement);
    const entry: CachedResult = { bytes: undefined };
    this.#results.set(statement, entry);
    try {
      const bytes = await run(statement);
      if (bytes !== undefined && this.#results.get(statement) === entry) this.#store(entry, bytes, statement);
      return bytes;
    } finally {
      if (entry.bytes === undefined && this.#results.get(statement) === entry) this.#results.delete(statement);
    }
  }

  /** Runs a statement that changes something. While it runs, no result that it may change is cached. */
  async invalidatedBy<T>(statement: string, run: () => Promise<T>): Promise<T> {
    const change: Change = { table: insertedTable(statement)?.table };
    if (!endsAtOnce.test(statement)) this.#markPending();
    this.#changes.add(change);
    for (const text of this.#results.keys()) if (mayChange(change, text)) this.#evict(text);
    try {
      return await run();
    } finally {
      this.#changes.delete(change);
    }
  }

  #isCacheable(statement: string): boolean {
    if (!this.#hasNoPendingChanges) detached(this.#checkPending());
    if (!this.#hasNoPendingChanges || nondeterministic.test(statement) || readsSystem.test(statement)) return false;
    for (const change of this.#changes) if (mayChange(change, statement)) return false;
    return true;
  }

  #store(entry: CachedResult, bytes: Buffer, statement: string): void {
    if (bytes.length > maxResultBytes) return;
    entry.bytes = bytes;
    this.#bytes += sizeOf(statement, bytes);
    for (const text of this.#results.keys()) {
      if (this.#bytes <= cacheBytes && this.#results.size <= maxResults) break;
      this.#evict(text);
    }
  }

  #evict(statement: string): void {
    const bytes = this.#results.get(statement)?.bytes;
    if (bytes !== undefined) this.#bytes -= sizeOf(statement, bytes);
    this.#results.delete(statement);
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

function mayChange({ table }: Change, statement: string): boolean {
  return table === undefined || statement.includes(table);
}

function sizeOf(statement: string, result: Buffer): number {
  return statement.length + result.length;
}
