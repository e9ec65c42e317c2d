import type { DataType, Precision } from '../../model/schema.js';

/** Requests of one thread that are under way at once, at most. */
export const maxRequestsInFlight = 256;
/** Rows of one thread that are under way at once, unless a single request has more. */
export const maxRowsInFlight = 4096;

/**
 * Work for the load tool: arguments or a JSON file, checked and with every default filled in.
 * Times are in the ticks of the database's precision where they belong to rows, in milliseconds elsewhere.
 */
export type LoadScenario = InsertScenario | QueryScenario | SubscribeScenario;

/** How the tool reaches the database, and as whom. */
export interface LoadConnection {
  /** Name or address of the server. */
  readonly host: string;
  /** Port of the database itself. */
  readonly port: number;
  /** Port of the HTTP service, for the modes `rest` and `sml-rest`. */
  readonly httpPort: number;
  /** The port that a person has named, other than the database's usual one: nothing else may be asked. */
  readonly namedPort?: number;
  /** Set when TLS is spoken with the HTTP service. */
  readonly tls?: LoadTls;
  readonly user: string;
  readonly password: string;
  /** Directory whose `adapter.toml`, where there is one, says how the database is reached; undefined is none. */
  readonly configDirectory: string | undefined;
}

/** How the HTTP service proves who it is. */
export interface LoadTls {
  /** Certificates of the authorities that vouch for it, PEM; undefined for those that Node knows. */
  readonly ca: string | undefined;
}

/** Common part of all scenarios. */
export interface LoadRun {
  readonly connection: LoadConnection;
  /** Summaries and errors are appended to it; empty is none. */
  readonly resultFile: string;
  /** Ask once before anything is touched, where there is a terminal. */
  readonly confirm: boolean;
  /** Machine-readable report; undefined is none. */
  readonly jsonReport: string | undefined;
  /** HTML report; undefined is none. */
  readonly htmlReport: string | undefined;
  /** JSON report of an earlier run that this one is compared with; undefined is none. */
  readonly compareWith: string | undefined;
  /** Per-statement lines. */
  readonly debug: boolean;
}

/** Paths that rows take: the argument `-I`. */
export type InsertMode = 'taosc' | 'stmt' | 'rest' | 'sml' | 'sml-rest';

/** True for the modes that send text without a schema. */
export function isSchemaless(mode: InsertMode): boolean {
  return mode === 'sml' || mode === 'sml-rest';
}
/** Text that schemaless modes send. `taosjson` has types and the sub-table's name with each point. */
export type SchemalessFormat = 'line' | 'telnet' | 'json' | 'taosjson';
/** Policy after a failed request: end, go on with the next, or make the missing sub-table and try once more. */
type FailurePolicy = 'no' | 'yes' | 'smart';

/** Attempts after the first; Infinity is for ever. */
export interface Attempts {
  readonly more: number;
  readonly intervalMs: number;
}

/** A run that makes databases and tables and writes rows to them. */
export interface InsertScenario extends LoadRun {
  readonly kind: 'insert';
  readonly threads: number;
  readonly createTableThreads: number;
  /** Most connections that are opened before the clock starts. */
  readonly connectionPoolSize: number;
  /** Databases and super tables are used as they are: nothing is dropped or created but sub-tables. */
  readonly supplement: boolean;
  /** Databases are defined through the HTTP service. */
  readonly definitionsOverHttp: boolean;
  /** Aggregation queries after the insertion (`-x`). */
  readonly aggregate: boolean;
  /** Runs of the same seed write the same values; undefined is a new seed each time. */
  readonly seed: number | undefined;
  readonly databases: readonly DatabasePlan[];
  readonly streams: readonly StreamPlan[];
}

/** A database of an insertion, with the super tables to be filled. */
export interface DatabasePlan {
  readonly name: string;
  readonly drop: boolean;
  readonly precision: Precision;
  /** Options of CREATE DATABASE, precision included, in the order and with the words in which they follow the name. */
  readonly options: readonly string[];
  /** Names of databases, super tables and sub-tables are quoted. */
  readonly escapeNames: boolean;
  readonly superTables: readonly SuperTablePlan[];
}

/** A stream that an insertion makes before it writes. */
export interface StreamPlan {
  readonly name: string;
  readonly target: string;
  readonly sql: string;
  /** Parts between the name and INTO, as printed: `TRIGGER …`, `WATERMARK …`, … */
  readonly options: readonly string[];
  /** Parts between the target and AS, as printed. */
  readonly targetOptions: readonly string[];
}

/** A super table with its sub-tables, or a set of normal tables (no tags). */
export interface SuperTablePlan {
  readonly name: string;
  /** Only normal tables: `prefix0`, `prefix1`, …; a single one has the super table's name. */
  readonly normalTables: boolean;
  readonly escapeNames: boolean;
  /** `ts` and what follows. */
  readonly columns: readonly FieldPlan[];
  readonly tags: readonly FieldPlan[];
  /** Text after the column and tag lists of CREATE TABLE. */
  readonly options: readonly string[];

  readonly childPrefix: string;
  readonly childCount: number;
  /** Sub-tables [from, to) are created and filled. */
  readonly childFrom: number;
  readonly childTo: number;
  /** Sub-tables are taken from the server: at most `limit` from `offset` on. */
  readonly childExists: boolean;
  readonly childOffset: number;
  readonly childLimit: number;
  /** Days to live of each sub-table; 0 is for ever. */
  readonly ttl: number;
  readonly autoCreateTable: boolean;
  /** Tables a creation statement, and pauses between statements; each used in turn. */
  readonly createBatches: readonly number[];
  readonly createPausesMs: readonly number[];
  readonly tagsFile: string | undefined;

  readonly mode: InsertMode;
  readonly format: SchemalessFormat;
  /** Port of a telnet listener that takes the place of HTTP; undefined is HTTP. */
  readonly tcpPort: number | undefined;

  /** Rows a sub-table; 0 writes none. With `sample.useTimes` it is positive and the file says how many there are. */
  readonly rows: number;
  readonly rowsPerRequest: number;
  /** Rows a sub-table and round; 0 finishes one sub-table before the next. */
  readonly interlaceRows: number;
  readonly insertIntervalMs: number;
  readonly nonStop: boolean;
  /** Only the first so many columns are written; 0 is all. */
  readonly partialColumns: number;
  /** Longest statement, in bytes. */
  readonly maxSqlBytes: number;

  /** Time of the first row of every sub-table, in ticks. */
  readonly start: bigint;
  /** Ticks from row to row. */
  readonly step: bigint;
  /** Percent of rows that are late. */
  readonly disorderRatio: number;
  /** Most ticks that a late row is late. */
  readonly disorderRange: number;

  /** Different rows that are made up front and written in turn. */
  readonly preparedRows: number;
  /** Every sub-table has random values of its own. */
  readonly randomPerTable: boolean;
  /** Random texts are of Chinese characters. */
  readonly chinese: boolean;
  /** Values come from a file instead; undefined is random values. */
  readonly sample: SamplePlan | undefined;

  readonly failure: FailurePolicy;
  readonly attempts: Attempts;
  readonly tsmas: readonly TsmaPlan[];
}

/** Rows that are read from a file instead of generated. */
export interface SamplePlan {
  readonly file: string;
  /** The first field is the row's time, and every row of the file is written once. */
  readonly useTimes: boolean;
  /** Path in which XXXX is the name of a sub-table that has a file of its own. */
  readonly fileOfTable: string | undefined;
}

/** A time-range small materialised aggregate of a super table, made once its rows are in. */
export interface TsmaPlan {
  readonly name: string;
  readonly function: string;
  readonly interval: string;
  readonly sliding: string;
  readonly custom: string;
  /** Rows after which it is created. */
  readonly startWhenInserted: number;
}

/** A column or tag, `count` already spelled out. */
export interface FieldPlan {
  readonly name: string;
  readonly type: DataType;
  readonly values: ValuePlan;
  /** In the super table's SMA list. */
  readonly sma: boolean;
}

/** How a column's values are made. */
export type ValuePlan =
  | { readonly kind: 'null' }
  /** From `min` up to but without `max`; equal bounds are a constant. Integers beyond 2^53 are bigint, others number. */
  | { readonly kind: 'range'; readonly min: number | bigint; readonly max: number | bigint }
  | { readonly kind: 'choice'; readonly values: readonly string[] }
  /** Random text of `length` characters, of up to `length` bytes for VARCHAR. */
  | { readonly kind: 'text'; readonly length: number }
  | { readonly kind: 'wave'; readonly wave: Wave }
  /** Members k0, k1, … with random text of `length` characters. */
  | { readonly kind: 'json'; readonly pairs: number; readonly length: number }
  /** The time of writing. */
  | { readonly kind: 'now' }
  /** Evenly spaced values, one at random: `first + step × k`, k below `count` (demo data). */
  | { readonly kind: 'steps'; readonly first: number; readonly step: number; readonly count: number };

/** `amplitude × shape(x) + offset + offset × (0 … fluctuation-1)/100`, x the row's time in degrees. */
export interface Wave {
  readonly shape: 'sin' | 'cos';
  readonly amplitude: number;
  readonly offset: number;
  /** Percent; 0 is none. */
  readonly fluctuation: number;
}

/** How queries reach the service: in the process of the load tool, or over HTTP. */
type QueryMode = 'taosc' | 'rest';

/** A run of queries. */
export interface QueryScenario extends LoadRun {
  readonly kind: 'query';
  readonly database: string;
  readonly mode: QueryMode;
  readonly failure: FailurePolicy;
  /** Running time from which a query of this run is killed; 0 is never. */
  readonly killSlowerThanMs: number;
  readonly killIntervalMs: number;
  readonly specified: SpecifiedQueries | undefined;
  readonly superTable: SuperTableQueries | undefined;
}

/** A statement of a run of queries. */
export interface QueryText {
  readonly sql: string;
  /** File that rows of all threads are appended to; undefined keeps none. */
  readonly result: string | undefined;
}

/** Statements that run as they are written. */
export interface SpecifiedQueries {
  readonly times: number;
  readonly intervalMs: number;
  readonly threads: number;
  /** Statements are dealt out to the threads instead of all being run by each. */
  readonly mixed: boolean;
  readonly queries: readonly QueryText[];
}

/** Statements that run once for each sub-table of a super table. */
export interface SuperTableQueries {
  readonly superTable: string;
  readonly times: number;
  readonly intervalMs: number;
  readonly threads: number;
  /** `xxxx` in them stands for the sub-table. */
  readonly queries: readonly QueryText[];
}

/** A run of consumers. */
export interface SubscribeScenario extends LoadRun {
  readonly kind: 'subscribe';
  /** Either topics of a consumer group, or the older statements. */
  readonly consume: TopicConsumers | OlderSubscriptions;
}

/** Consumers of topics, in one group or in one each. */
export interface TopicConsumers {
  readonly kind: 'topics';
  readonly topics: readonly { readonly name: string; readonly sql: string }[];
  readonly consumers: number;
  /** Consumers are set up one after the other, or at once. */
  readonly setUp: 'sequential' | 'parallel';
  /** The group of each consumer, generated ones included. */
  readonly groups: readonly string[];
  readonly clientId: string;
  /** Longest wait for rows of one poll; -1 waits for ever. A consumer ends at a poll without rows. */
  readonly pollDelayMs: number;
  readonly offsetReset: 'earliest' | 'latest' | 'none';
  readonly autoCommit: boolean;
  readonly autoCommitIntervalMs: number;
  readonly manualCommit: boolean;
  readonly snapshot: boolean;
  readonly withTableName: boolean;
  /** Rows are appended to `<file>_<consumer>`; undefined only counts them. */
  readonly rowsFile: string | undefined;
  /** A consumer ends when it has so many rows; -1 is no such end. */
  readonly expectRows: number;
}

/** Statements that are polled for new rows. */
export interface OlderSubscriptions {
  readonly kind: 'statements';
  readonly database: string | undefined;
  readonly parts: readonly OlderSubscription[];
}

/** Statements with the threads that poll them. */
export interface OlderSubscription {
  /** Set where `xxxx` stands for each sub-table of it. */
  readonly superTable: string | undefined;
  readonly threads: number;
  readonly intervalMs: number;
  readonly restart: boolean;
  readonly keepProgress: boolean;
  readonly resubAfterConsume: boolean;
  /** Ends after so many consumes; -1 is never. */
  readonly endAfterConsume: number;
  readonly queries: readonly QueryText[];
}
