import type { Target, WireFormat } from '../../model/batch.js';
import type { ColumnBlock } from '../../model/column-block.js';
import type { Delivery } from '../../model/delivery.js';
import type { SqlAnswer } from '../../model/exchange.js';
import type { Fault } from '../../model/fault.js';
import type { TopicMessage, TopicPoller, WantedConsumer } from '../../model/topic-message.js';

/** Options of a statement of the load tool. */
export interface RunSqlOptions {
  /** Database of names without one. */
  readonly database?: string;
  /** Zone that times are printed in; UTC when it is left out. */
  readonly timeZone?: string;
  /** Cancels the statement, which then throws a fault. */
  readonly signal?: AbortSignal;
}

/**
 * Runs one statement as the user of the run. Resolves to its result, whose rows the caller must read to their end or
 * return; throws a FaultError.
 */
export type RunSql = (statement: string | Buffer, options?: RunSqlOptions) => Promise<SqlAnswer>;

/** Writes blocks of one request straight to the database; `bytes` is their size in memory. Throws a FaultError. */
export type WriteBlocks = (blocks: readonly ColumnBlock[], bytes: number) => Promise<Delivery>;

/** Rows of a topic that came at once. */
export type ReceivedMessage = Pick<TopicMessage, 'topic' | 'database' | 'table' | 'vgroup' | 'names' | 'rows'>;

/** A consumer of topics; see {@link TopicPoller}. */
export interface ConsumerPort extends Pick<TopicPoller, 'commit' | 'close'> {
  poll(waitMs: number, signal: AbortSignal): Promise<ReceivedMessage | undefined>;
}

/** Joins a group for some topics as the user of the run. Throws a FaultError. */
export type SubscribeAs = (topics: readonly string[], consumer: WantedConsumer) => Promise<ConsumerPort>;

/** Rows of a request as text: statements or lines. */
export interface RowText {
  readonly database: string;
  readonly format: WireFormat;
  /** Ticks of the times in lines of `lineproto`. */
  readonly precision: Target['precision'];
  readonly rows: number;
  readonly text: Uint8Array;
}

/** Writes text through the parsers of the schemaless inputs. Throws a FaultError. */
export type WriteLines = (lines: Omit<RowText, 'rows'>) => Promise<Delivery>;

/** Rows of a request as they are. */
export interface RowBlocks {
  readonly blocks: readonly ColumnBlock[];
  readonly rows: number;
  /** Bytes in memory. */
  readonly bytes: number;
}

/** Ending of rows after their requests had counted as delivered. */
export interface LateEnding {
  /** Rows that were refused, and those of broken connections: some of these may be stored. */
  readonly rows: number;
  readonly fault: Fault;
}

/** Where the rows of one thread go. */
export interface RowSink<R extends RowText | RowBlocks> {
  /** Writes rows within the deadline. Expected faults are deliveries, not exceptions. */
  write(rows: R, deadline: AbortSignal): Promise<Delivery>;
  /** Waits for what was written; gives the rows that turned out not to be stored, where no delivery did. */
  end?(deadline: AbortSignal): Promise<LateEnding | undefined>;
  /** Releases what the sink holds; safe twice. */
  stop?(): Promise<void>;
}

/** Log of a run for a person, line by line. `done`, `warn` and `error` lines are appended to the result file too. */
export type RunLog = { readonly [level in 'info' | 'done' | 'warn' | 'error' | 'debug']: (text: string) => void };

/** How far a piece of work is. */
export interface WorkFigures {
  readonly done: number;
  readonly failed: number;
}

/** A piece of work that a person watches. */
export interface WatchedWork {
  readonly label: string;
  /** Word for the things counted, such as `rows`. */
  readonly unit: string;
  /** Undefined when it is endless. */
  readonly total: number | undefined;
  /** Called whenever something is shown. */
  readonly read: () => WorkFigures;
}

/** Shows a piece of work with its rate and the time it still takes, until the returned function is called. */
export type Watch = (work: WatchedWork) => () => void;
