import type { DataType } from '../../model/schema.js';
import type { Rows, ValuesOf } from '../settings/keys/setting.js';
import type { consumer, database, general, insert, older, query, table, tsma } from '../settings/keys/table.js';

/** Some values of rows of the table of settings; the help of each row says what its value means. */
type Some<R extends Rows, K extends keyof R> = Pick<ValuesOf<R>, K>;

/** Most requests of one thread in flight. */
export const maxRequestsInFlight = 256;
/** Most rows of one thread in flight, unless a single request has more. */
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
  /** The port that a person has named, other than the database's usual one: no other may be tried. */
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
export interface LoadRun
  extends Some<typeof general, 'resultFile' | 'confirm' | 'jsonReport' | 'htmlReport' | 'debug'> {
  readonly connection: LoadConnection;
}

/** Paths that rows take: the argument `-I`. */
export type InsertMode = 'taosc' | 'stmt' | 'rest' | 'sml' | 'sml-rest';

/** True for the modes that send text without a schema. */
export function isSchemaless(mode: InsertMode): boolean {
  return mode === 'sml' || mode === 'sml-rest';
}

/** True for the modes whose rows take the HTTP service. */
export function isOverHttp(mode: InsertMode): boolean {
  return mode === 'rest' || mode === 'sml-rest';
}

/** Text that schemaless modes send. `taosjson` has types and the sub-table's name with each point. */
export type SchemalessFormat = ValuesOf<typeof table>['lineProtocol'];

/** Attempts after the first; Infinity is for ever. */
export interface Attempts {
  readonly more: number;
  readonly intervalMs: number;
}

/** A run that makes databases and tables and writes rows to them. */
export interface InsertScenario
  extends LoadRun,
    Some<typeof insert, 'threads' | 'createTableThreads' | 'aggregate' | 'seed'>,
    Some<typeof database, 'supplement'> {
  readonly kind: 'insert';
  /** Most connections that are opened before the clock starts. */
  readonly connectionPoolSize: number;
  /** Databases are defined through the HTTP service. */
  readonly definitionsOverHttp: boolean;
  readonly databases: readonly DatabasePlan[];
  readonly streams: readonly StreamPlan[];
}

/** A database of an insertion, with the super tables to be filled. */
export interface DatabasePlan extends Some<typeof database, 'drop' | 'precision'>, Some<typeof insert, 'escapeNames'> {
  readonly name: string;
  /** Options of CREATE DATABASE, precision included, in the order and with the words in which they follow the name. */
  readonly options: readonly string[];
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

type CopiedOfTable = 'childCount' | 'ttl' | 'maxSqlBytes' | 'disorderRatio' | 'disorderRange' | 'randomPerTable';
type CopiedOfInsert =
  | 'escapeNames'
  | 'rowsPerRequest'
  | 'interlaceRows'
  | 'insertIntervalMs'
  | 'preparedRows'
  | 'chinese';

/** A super table with its sub-tables, or a set of normal tables (no tags). */
export interface SuperTablePlan
  extends Some<typeof table, CopiedOfTable | 'childExists' | 'childOffset' | 'autoCreateTable' | 'partialColumns'>,
    Some<typeof table, 'tagsFile' | 'rows' | 'nonStop'>,
    Some<typeof insert, CopiedOfInsert | 'childFrom'>,
    Some<typeof general, 'failure'> {
  readonly name: string;
  /** Only normal tables: `prefix0`, `prefix1`, …; a single one has the super table's name. */
  readonly normalTables: boolean;
  /** `ts` and what follows. */
  readonly columns: readonly FieldPlan[];
  readonly tags: readonly FieldPlan[];
  /** Text after the column and tag lists of CREATE TABLE. */
  readonly options: readonly string[];

  readonly childPrefix: string;
  /** End of the sub-tables that are created and filled. */
  readonly childTo: number;
  /** Most sub-tables that are taken from the server where they exist. */
  readonly childLimit: number;
  /** Tables per creation statement, and pauses between statements; each used in turn. */
  readonly createBatches: readonly number[];
  readonly createPausesMs: readonly number[];

  readonly mode: InsertMode;
  readonly format: SchemalessFormat;
  /** Port of a telnet listener that takes the place of HTTP; undefined is HTTP. */
  readonly tcpPort: number | undefined;

  /** Time of the first row of every sub-table, in ticks. */
  readonly start: bigint;
  /** Ticks from row to row. */
  readonly step: bigint;

  /** Values come from a file instead; undefined is random values. */
  readonly sample: SamplePlan | undefined;
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
export type TsmaPlan = { readonly [K in keyof ValuesOf<typeof tsma>]: NonNullable<ValuesOf<typeof tsma>[K]> };

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
  /**
   * From `min` up to but without `max`; equal bounds are a constant. Integers beyond 2^53 are bigint, others number.
   */
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

/** A run of queries. */
export interface QueryScenario
  extends LoadRun,
    Some<typeof query, 'mode' | 'killSlowerThanMs' | 'killIntervalMs'>,
    Some<typeof general, 'failure'> {
  readonly kind: 'query';
  readonly database: string;
  readonly specified: SpecifiedQueries | undefined;
  readonly superTable: SuperTableQueries | undefined;
}

/** A statement of a run of queries. */
export interface QueryText extends Some<typeof query, 'result'> {
  readonly sql: string;
}

/** Statements that run as they are written. */
export interface SpecifiedQueries extends Some<typeof query, 'times' | 'intervalMs' | 'threads' | 'mixed'> {
  readonly queries: readonly QueryText[];
}

/** Statements that run once for each sub-table of a super table, which `xxxx` stands for. */
export interface SuperTableQueries extends Some<typeof query, 'times' | 'intervalMs' | 'threads'> {
  readonly superTable: string;
  readonly queries: readonly QueryText[];
}

/** A run of consumers. */
export interface SubscribeScenario extends LoadRun {
  readonly kind: 'subscribe';
  /** Either topics of a consumer group, or the older statements. */
  readonly consume: TopicConsumers | OlderSubscriptions;
}

/** Consumers of topics, in one group or in one each. */
export interface TopicConsumers extends ValuesOf<typeof consumer> {
  readonly kind: 'topics';
  readonly topics: readonly { readonly name: string; readonly sql: string }[];
  /** The group of each consumer, generated ones included. */
  readonly groups: readonly string[];
}

/** Statements that are polled for new rows. */
export interface OlderSubscriptions {
  readonly kind: 'statements';
  readonly database: string | undefined;
  readonly parts: readonly OlderSubscription[];
}

/** Statements with the threads that poll them. */
export interface OlderSubscription extends ValuesOf<typeof older>, Some<typeof query, 'threads'> {
  /** Set where `xxxx` stands for each sub-table of it. */
  readonly superTable: string | undefined;
  readonly queries: readonly QueryText[];
}
