/** Rows of one table that a consumer got at once, in the order in which they were written. */
export interface TopicMessage {
  readonly topic: string;
  readonly database: string;
  /** The super table, or the normal table. */
  readonly table: string;
  /** The vgroup to which the rows' sub-tables belong; a vgroup is read by one consumer of a group at a time. */
  readonly vgroup: number;
  /** Name of each row's own table; empty strings unless the consumer requests names. */
  readonly names: readonly string[];
  /**
   * Values of each row, separated by tabs: NULL is `\N`; backslashes, tabs and line ends in texts are escaped by a
   * backslash; times are ticks of the database's precision, binary values hexadecimal.
   */
  readonly rows: readonly string[];
}

/** Where to begin where a group has no committed place. */
type OffsetReset = 'earliest' | 'latest' | 'none';

/** One consumer of a group, as its caller sees it. All methods reject with a FaultError. */
export interface TopicPoller {
  /**
   * The next message; undefined when none came within `waitMs` (negative: waits until there is one or `signal` ends
   * it). Asking says that the message before was dealt with.
   */
  poll(waitMs: number, signal: AbortSignal): Promise<TopicMessage | undefined>;
  /** Commits every message that was given out. */
  commit(): Promise<void>;
  /** Leaves the group; commits before, where that is automatic. */
  close(): Promise<void>;
}

/** The options of a requested consumer. */
export interface WantedConsumer {
  readonly group: string;
  readonly clientId: string;
  readonly offsetReset: OffsetReset;
  /** Messages that were dealt with are committed every so often. */
  readonly autoCommit: boolean;
  readonly autoCommitIntervalMs: number;
  readonly withTableName: boolean;
}

/** Joins a group for some topics. Throws a FaultError: a topic does not exist or may not be consumed. */
export type SubscribeTo = (topics: readonly string[], consumer: WantedConsumer) => Promise<TopicPoller>;
