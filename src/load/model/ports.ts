import type { Target, WireFormat } from '../../model/batch.js';
import type { ColumnBlock } from '../../model/column-block.js';
import type { Delivery } from '../../model/delivery.js';
import type { SqlAnswer } from '../../model/exchange.js';

/** Options of a statement of the load tool. */
export interface RunSqlOptions {
  /** Database of names without one. */
  readonly database?: string;
  /** Zone that times are printed in; UTC when it is left out. */
  readonly timeZone?: string;
  /** Ends the statement early; it is then thrown as a fault. */
  readonly signal?: AbortSignal;
}

/**
 * Runs one statement as the user of the run, over the path that the scenario names. Resolves to its answer, whose rows must
 * be read to their end or given up; throws a FaultError.
 */
export type RunSql = (statement: string | Buffer, options?: RunSqlOptions) => Promise<SqlAnswer>;

/** Writes blocks of one request straight to the database; `bytes` is what they weigh. Throws a FaultError. */
export type WriteBlocks = (blocks: readonly ColumnBlock[], bytes: number) => Promise<Delivery>;

/** Rows of a request as text: statements or lines. */
export interface RowText {
  readonly database: string;
  readonly format: WireFormat;
  /** Ticks of the times in lines of `lineproto`. */
  readonly precision: Target['precision'];
  readonly rows: number;
  readonly text: Uint8Array;
}

/** Writes text through the parsers of the schemaless doors. Throws a FaultError. */
export type WriteLines = (lines: Omit<RowText, 'rows'>) => Promise<Delivery>;

/** Rows of a request as they are. */
export interface RowBlocks {
  readonly blocks: readonly ColumnBlock[];
  readonly rows: number;
  /** Bytes that they take in memory. */
  readonly bytes: number;
}

/** The way that rows of one thread take. */
export interface RowSink<R extends RowText | RowBlocks> {
  /** Writes rows within the deadline. Expected faults are deliveries, not exceptions. */
  write(rows: R, deadline: AbortSignal): Promise<Delivery>;
  /** Releases what the sink holds; safe twice. */
  stop?(): Promise<void>;
}

/**
 * Log of a run for a person, line by line. `done`, `warn` and `error` lines are appended to the result file too, without
 * colour; `debug` lines show up only when they were asked for.
 */
export interface RunLog {
  info(text: string): void;
  done(text: string): void;
  warn(text: string): void;
  error(text: string): void;
  debug(text: string): void;
}

/** How far a piece of work is. */
export interface WorkFigures {
  readonly done: number;
  /** Rows given up on, attempts included or not, as the work counts them. */
  readonly failed: number;
}

/** A piece of work that a person watches. */
export interface WatchedWork {
  readonly label: string;
  /** Word for the things counted, such as `rows`. */
  readonly unit: string;
  /** Undefined when it goes on until it is stopped. */
  readonly total: number | undefined;
  /** Asked for whenever something is shown. */
  readonly read: () => WorkFigures;
}

/** Shows a piece of work with its rate and the time it still takes, until the returned function is called. */
export type Watch = (work: WatchedWork) => () => void;
