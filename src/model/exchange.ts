import type { Readable } from 'node:stream';
import type { Acknowledgement, Target, WireFormat } from './batch.js';
import type { BindField, BoundTable } from './bound-rows.js';
import type { Delivery } from './delivery.js';
import type { DocumentKind, ListedDocument, SentDocument, WholeDocument } from './document.js';
import type { Event, EventListing, EventMove, EventPage, MovedEvent } from './event.js';
import type { Fault } from './fault.js';
import type { MetricSamples, MetricsFormat } from './metric.js';
import type { NotificationChannel, NotificationTest } from './notification.js';
import type { RuleChanges, RuleList, RuleSilence, RuleTrial, ShownRule } from './rule-list.js';
import type { DataType, Precision } from './schema.js';
import type { SlowStatementList } from './slow-statement.js';
import type { SubscribeUser } from './topic-message.js';

/** The authenticated user; made by the credentials check, never by HTTP. */
export interface Identity {
  readonly user: string;
}

/** Proof of identity that a request carries. */
export type Credentials =
  | {
      readonly scheme: 'password';
      readonly user: string;
      readonly password: string;
      /** Address of the client; left out for the service itself, which HOST of a user does not concern. */
      readonly from?: string;
      /**
       * The page that no setting names which a browser calls for. It may not use the password that every installation
       * begins with.
       */
      readonly foreignPage?: string;
    }
  | {
      readonly scheme: 'token';
      readonly token: string;
      /** As above. */
      readonly from?: string;
    };

/** Request-reply: an exchange is answered or refused, exactly once; the pipeline that carries it never errors. */
export interface Exchange<Q, A> {
  readonly id: string;
  readonly request: Q;
  /** Fires when the client disconnects. */
  readonly aborted: AbortSignal;
  answer(answer: A): void;
  refuse(fault: Fault): void;
}

/** How an exchange ended. */
export type Outcome<A> =
  | { readonly kind: 'answered'; readonly answer: A }
  | { readonly kind: 'refused'; readonly fault: Fault };

/**
 * Form of the rows of a result: lines of JSON, arrays or (`row_with_meta`) objects by column name, or blocks of columns
 * in the Native format of the engine.
 */
export type RowForm = 'arrays' | 'objects' | 'columns';

/** One SQL statement of a client. */
export interface SqlRequest {
  /** UTF-8 text of the statement, as it came, trimmed. */
  readonly statement: Buffer;
  /** Database of the URL, or undefined. */
  readonly database: string | undefined;
  readonly credentials: Credentials;
  /** IANA zone that returned times are printed in. */
  readonly timeZone: string;
  /** IANA zone of times that the statement writes without one; undefined is the service's. */
  readonly connectionZone: string | undefined;
  /** Form of the rows of its result. */
  readonly form: RowForm;
  /** `restfulRowLimit`; negative is no limit. */
  readonly rowLimit: number;
  /** False where groups without rows are left out, unless HAVING needs them; left out, counts give them with 0. */
  readonly emptyGroups?: boolean | undefined;
  /** Values of its parameters; left out where it has none. */
  readonly bound?: BoundRows | undefined;
  /** When rows of an INSERT are answered; left out, the setting `write.ack` says so. */
  readonly ack?: Acknowledgement | undefined;
}

/** Values that a client has bound to the parameters of a statement; for a query those of one row of one table. */
export interface BoundRows {
  readonly tables: readonly BoundTable[];
  /** The same in the form of `transforms/bound`. */
  readonly bytes: Uint8Array;
}

/** A statement whose parameters are looked at before it runs. */
export interface PrepareRequest extends Pick<SqlRequest, 'statement' | 'database' | 'credentials'> {
  /** The bound name of its table, as the client wrote it. */
  readonly table?: string | undefined;
}

/** What a prepared statement needs. */
export interface PreparedStatement {
  /** It writes rows: its parameters stand for them. */
  readonly isInsert: boolean;
  /** How many parameters it has. */
  readonly parameters: number;
  /** Of an INSERT, what they stand for; undefined while the table is not known because its name is bound. */
  readonly fields: readonly BindField[] | undefined;
}

/** One column of a result, as `column_meta` shows it. */
export interface ColumnMeta {
  readonly name: string;
  readonly type: DataType;
  /** The literal NULL, which is of no type: `type` is what its values are printed as. */
  readonly isNull?: boolean;
}

/** Bytes, cut anywhere: all that there are, as an array, or as they come. */
export type Chunks = readonly Uint8Array[] | AsyncIterable<Uint8Array>;

/** A connection that a client keeps open. Times are Unix ms. */
export interface ClientConnection {
  readonly user: string;
  readonly address: string;
  readonly began: number;
  application(): string;
  /** Name and version of the connector, as it gives them. */
  connector(): string;
  lastUsed(): number;
  /** Ends what it runs, and closes it. */
  kill(): void;
}

/** True when the bytes are all there. */
export function isWhole(chunks: Chunks): chunks is readonly Uint8Array[] {
  return Array.isArray(chunks);
}

/**
 * Result of a statement. `rows`: every row as one line of JSON (an array, or an object) ended by a newline, exactly as
 * clients see it; in the form of columns, blocks in the Native format of the engine, in which every column is Nullable,
 * DECIMAL has 18 or 38 digits, and times are ticks of `precision`. What comes in pieces is pulled by the response;
 * returning from the iterator early cancels the statement. `affected`: a write or a definition; `current` is the
 * database that USE names.
 */
export type SqlAnswer =
  | {
      readonly kind: 'rows';
      readonly meta: readonly ColumnMeta[];
      readonly lines: Chunks;
      readonly precision?: Precision;
    }
  | { readonly kind: 'affected'; readonly rows: number; readonly current?: string };

/** A write request: text of a protocol on its way to a database. */
export interface WriteRequest {
  readonly format: WireFormat;
  readonly credentials: Credentials;
  readonly target: Omit<Target, 'user'>;
  /** Inflated body, not yet read; opened at its first use. */
  readonly body: Readable;
  /** The body, where all `length` bytes of it have arrived and {@link WriteRequest.body} is unused. */
  whole?(length: number): Buffer | undefined;
  /**
   * The body as it comes, for those that collect all of it: a stage less. It must not be destroyed. Undefined where it
   * has to be opened.
   */
  readonly plain?: Readable | undefined;
  /** From the Content-Length header of a body that is not compressed. */
  readonly length: number | undefined;
  /**
   * Set when the body is one message, which is taken whole, at most so long; otherwise it is cut at the ends of rows.
   */
  readonly maxMessageBytes?: number | undefined;
}

/** A remote read request: labelled series of a database. */
export interface SeriesRequest {
  /** Inflated from gzip where it was wrapped in it, but still a snappy block. */
  readonly message: Buffer;
  readonly database: string;
  readonly credentials: Credentials;
  /** `restfulRowLimit`, for the samples of each query; negative is no limit. */
  readonly rowLimit: number;
}

/** The answer to a remote read, as it goes out. */
export interface SeriesAnswer {
  readonly parts: readonly Uint8Array[];
  readonly length: number;
}

/** Endpoints of the HTTP API of Prometheus that are answered from a database. */
export type PromqlEndpoint =
  | 'query'
  | 'query_range'
  | 'series'
  | 'labels'
  | 'label_values'
  | 'metadata'
  | 'query_exemplars'
  | 'format_query'
  | 'parse_query'
  | 'tsdb'
  | 'federate'
  | 'rules'
  | 'alerts';

/** A request of the HTTP API of Prometheus about a database. */
export interface PromqlRequest {
  readonly credentials: Credentials;
  readonly database: string;
  readonly endpoint: PromqlEndpoint;
  /** Parameters of the URL and of the form, those of the form first. */
  readonly parameters: URLSearchParams;
  /** The label of `label_values`. */
  readonly label: string | undefined;
}

/** Kinds of errors in the words of that API. */
export type PromqlErrorType = 'bad_data' | 'execution' | 'timeout' | 'canceled';

/** The answer to such a request: `data` is JSON, or for `federate` a text; it is pulled by the response. */
export type PromqlAnswer =
  | {
      readonly kind: 'data';
      readonly data: Chunks;
      readonly warnings: readonly string[];
      readonly infos: readonly string[];
    }
  | { readonly kind: 'error'; readonly errorType: PromqlErrorType; readonly error: string };

/** Questions about events. */
export type EventQuestion =
  | { readonly kind: 'list'; readonly listing: EventListing }
  | { readonly kind: 'get'; readonly id: string }
  | { readonly kind: 'move'; readonly id: string; readonly move: EventMove; readonly comment: string | undefined };

/** A query of events and its credentials. */
export interface EventRequest {
  readonly credentials: Credentials;
  readonly question: EventQuestion;
}

/** The answer to a question of the same kind. */
export type EventAnswer =
  | { readonly kind: 'list'; readonly page: EventPage }
  | { readonly kind: 'get'; readonly event: Event }
  | { readonly kind: 'move'; readonly event: MovedEvent };

/** Actions of administrators on rules and notifications; others get a fault. Nothing here rejects. */
export interface EventsAdmin {
  rules(user: string): Promise<RuleList | Fault>;
  /** Reads the rules again; a fault leaves the old ones. */
  reload(user: string): Promise<RuleChanges | Fault>;
  /** Tries a rule in TOML. */
  tryRule(user: string, text: string, signal: AbortSignal): Promise<RuleTrial | Fault>;
  /** Stores a rule in TOML, and watches it. */
  createRule(user: string, toml: string): Promise<ShownRule | Fault>;
  /** Replaces the version of a stored rule that the user has read. */
  replaceRule(user: string, id: string, version: number, toml: string): Promise<ShownRule | Fault>;
  /** Deletes the version of a stored rule that the user has read. */
  removeRule(user: string, id: string, version: number): Promise<object | Fault>;
  /** Sends no notifications of a rule until a time, Unix ms. Replaces the rule's silence. */
  silence(user: string, silence: Omit<RuleSilence, 'user'>): Promise<RuleSilence | Fault>;
  /** Ends the silence of a rule. */
  endSilence(user: string, rule: string): Promise<object | Fault>;
  notifications(user: string): Promise<{ readonly records: readonly NotificationChannel[] } | Fault>;
  testNotifications(user: string): Promise<{ readonly records: readonly NotificationTest[] } | Fault>;
}

/**
 * Documents that people keep, with the rights of a user. A fault `documentNotExist` where there is no such document that
 * the user may read, `documentChanged` where it has another version than the one that was read. Nothing here rejects
 * for an expected failure.
 */
export interface UserDocuments {
  list(user: string, kind: DocumentKind): Promise<{ readonly records: readonly ListedDocument[] } | Fault>;
  get(user: string, kind: DocumentKind, id: string): Promise<WholeDocument | Fault>;
  create(user: string, kind: DocumentKind, document: SentDocument): Promise<ListedDocument | Fault>;
  /** Replaces the version that the user has read. */
  replace(
    user: string,
    kind: DocumentKind,
    id: string,
    version: number,
    document: SentDocument,
  ): Promise<ListedDocument | Fault>;
  /** Deletes the version that the user has read. */
  remove(user: string, kind: DocumentKind, id: string, version: number): Promise<object | Fault>;
}

/** State of the memory guard: everything goes, queries are refused, or everything is. */
export type GuardState = 'normal' | 'query-paused' | 'all-paused';

/** How the parts of a cluster answer. */
export interface ClusterState {
  /** True while queries have no answer: no node of some shard answers, or rows are being moved between shards. */
  readonly isMissing: boolean;
  /** How many nodes answer and have everything, answer and may lack rows, and do not answer. */
  readonly nodes: { readonly up: number; readonly behind: number; readonly away: number };
  /** Undefined where there is none. */
  readonly keeper: 'up' | 'away' | undefined;
}

/** The ports through which the module `http` reaches the pipelines. */
export interface Intake {
  sql(exchange: Exchange<SqlRequest, SqlAnswer>): void;
  /** Lists a connection; gives what takes it off the list. */
  listConnection(connection: ClientConnection): () => void;
  /** Says what the parameters of a statement stand for. */
  prepare(exchange: Exchange<PrepareRequest, PreparedStatement>): void;
  write(exchange: Exchange<WriteRequest, Delivery>): void;
  readonly subscribe: SubscribeUser;
  series(exchange: Exchange<SeriesRequest, SeriesAnswer>): void;
  promql(exchange: Exchange<PromqlRequest, PromqlAnswer>): void;
  /**
   * Refused with `eventNotExist` where there is no such event that the user may see, `eventResolved` where a move is
   * too late.
   */
  events(exchange: Exchange<EventRequest, EventAnswer>): void;
  readonly eventsAdmin: EventsAdmin;
  readonly documents: UserDocuments;
  /** True for a user who may write some table, or make databases: long statements are INSERTs of rows. */
  mayWrite(user: string): boolean;
  /**
   * The user behind credentials, or a fault of kind `auth`, or of kind `network` when the database cannot be reached.
   */
  authenticate(credentials: Credentials): Promise<Identity | Fault>;
  /**
   * True while the user of these credentials, which were right before, exists, is enabled, and may call from its
   * address.
   */
  mayStay(credentials: Credentials): boolean;
  /**
   * The vgroups of tables of a database, in their order; a fault when there is no such database. Tables need not exist.
   */
  vgroups(user: string, database: string, tables: readonly string[]): Promise<readonly number[] | Fault>;
  /** The statements that count as slow; a fault when the user is no administrator. */
  slowStatements(user: string): Promise<SlowStatementList | Fault>;
  guard(): GuardState;
  /** True while the database lives and does not answer, and once nothing can be written any more. */
  isDatabaseHung(): boolean;
  /** Why no write can be answered now, without names of places; undefined while one can. */
  refusedWrites(): Fault | undefined;
  /** The cluster that is the database; undefined for a single engine. */
  cluster(): ClusterState | undefined;
  /**
   * Acknowledged payloads that recovery must still read from the write-ahead log, by database; the name is empty for
   * several databases.
   */
  replay(): ReadonlyMap<string, number>;
  /** The service's metrics as OpenMetrics text. */
  metrics(format: MetricsFormat): Promise<string>;
  /** Some of them over the last hour. */
  history(): MetricSamples;
}
