import type { BufferedResult } from './buffered-result.js';
import type { InsertData } from './engine.js';
import type { Effect, EngineQuery, Insert } from './request.js';

/** Options of any statement. */
export interface StatementOptions {
  /** Cancels the statement. */
  readonly signal?: AbortSignal | undefined;
  /** Settings for a statement of a server; an embedded host takes none. */
  readonly parameters?: Readonly<Record<string, string>> | undefined;
}

/** Options of a query. */
export interface QueryOptions extends StatementOptions {
  /** User whose share of memory the query counts as. */
  readonly owner?: string | undefined;
}

/**
 * The way of statements to an engine. Errors are EngineErrors, and those of the connection. No statement is retried.
 */
export interface Transport {
  /** Resolves with a short result, or with the pieces of a longer one once it has begun. */
  query(query: EngineQuery, options: QueryOptions): Promise<Buffer | BufferedResult>;
  /** Runs a statement without a result. */
  change(statement: string, effect: Effect, options: StatementOptions): Promise<void>;
  /** Resolves once the rows are stored; `logEntries` is a condition, see `InsertOptions`. */
  insert(
    insert: Insert,
    rows: InsertData,
    options: StatementOptions & { readonly logEntries?: number | undefined },
  ): Promise<void>;
  /** Releases the disk reserve of an embedded host. */
  makeRoom(): Promise<void>;
  /** Rejects unless the engine answers. */
  ping(): Promise<void>;
  /** Fails every statement in flight and further ones with this reason, until called with undefined. */
  refuseAll(reason: string | undefined): void;
  /** Closes all connections; statements in flight fail. */
  close(): void;
  /** It checks the number of entries of the catalogue's log. */
  readonly countsLog: boolean;
  /** A node or server; false for the embedded host. */
  readonly isServer: boolean;
}
