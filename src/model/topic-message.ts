import type { DataType, Precision } from './schema.js';

/** Where the rows of a message come from. */
export interface MessageHead {
  readonly topic: string;
  readonly database: string;
  /** The super table, or the normal table. */
  readonly table: string;
  /** The vgroup to which the rows' sub-tables belong; a vgroup is read by one consumer of a group at a time. */
  readonly vgroup: number;
  /** The position of the consumer in the vgroup before this message; it never falls unless the consumer seeks. */
  readonly offset: bigint;
}

/** Rows that a consumer got at once. */
export interface CountedMessage extends MessageHead {
  readonly count: number;
}

/** Rows of one table that a consumer got at once, in the order in which they were written. */
export interface TopicMessage extends CountedMessage {
  /** Name of each row's own table; empty strings unless the consumer requests names. */
  readonly names: readonly string[];
  /**
   * Values of each row, separated by tabs: NULL is `\N`; backslashes, tabs and line ends in texts are escaped by a
   * backslash; times are ticks of the database's precision, binary values hexadecimal.
   */
  readonly rows: readonly string[];
}

/**
 * Rows of one or several tables as raw blocks; the rows of a sub-table are in the order in which they were written. Of
 * several tables, `table` is the first.
 */
export interface TopicBlocks extends CountedMessage {
  readonly blocks: readonly TopicBlock[];
}

/** Rows of one sub-table. */
export interface TopicBlock {
  readonly meta: readonly { readonly name: string; readonly type: DataType }[];
  readonly precision: Precision;
  /** Empty unless the consumer requests names. */
  readonly table: string;
  readonly rows: number;
  /** {@link topicBlockHeadroom} bytes for the caller, then the raw block. */
  readonly bytes: Buffer;
}

/** Bytes in front of the raw block of a message. */
export const topicBlockHeadroom = 24;

/** Where to begin where a group has no committed place. */
type OffsetReset = 'earliest' | 'latest' | 'none';

/** A vgroup that a consumer reads: its position, and those before the first and behind the last row. */
export interface VgroupOffsets {
  readonly vgroup: number;
  readonly offset: bigint;
  readonly begin: bigint;
  readonly end: bigint;
}

/** One consumer of a group, as its caller sees it. All methods reject with a FaultError. */
export interface TopicPoller<M extends CountedMessage = TopicMessage> {
  /**
   * The next message; undefined when none came within `waitMs` (negative: waits until there is one or `signal` ends
   * it). Asking says that the message before was dealt with.
   */
  poll(waitMs: number, signal: AbortSignal): Promise<M | undefined>;
  /** Commits every message that was given out. */
  commit(): Promise<void>;
  /** The vgroups of a topic that it reads now. */
  assignment(topic: string): Promise<readonly VgroupOffsets[]>;
  /** Its position in a vgroup that it reads. */
  position(topic: string, vgroup: number): Promise<bigint>;
  /** The position that its group has committed; undefined where there is none. */
  committed(topic: string, vgroup: number): Promise<bigint | undefined>;
  /** Goes to a position of a vgroup that it reads; the rows behind it come next. */
  seek(topic: string, vgroup: number, offset: bigint): Promise<void>;
  /** Commits a position, also one before the committed one. */
  commitOffset(topic: string, vgroup: number, offset: bigint): Promise<void>;
  /** Leaves the group; commits before, where that is automatic. */
  close(): Promise<void>;
  /** Leaves the group and commits nothing: what was given out since the last commit comes again. */
  abandon(): Promise<void>;
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
  /** How long it may be silent before its shares go to others; left out, a multiple of the interval of commits. */
  readonly sessionTimeoutMs?: number | undefined;
}

/** Joins a group for some topics. Throws a FaultError: a topic does not exist or may not be consumed. */
export type SubscribeTo = (topics: readonly string[], consumer: WantedConsumer) => Promise<TopicPoller>;

/** The same for a user, whose messages are raw blocks. */
export type SubscribeUser = (
  user: string,
  topics: readonly string[],
  consumer: WantedConsumer,
) => Promise<TopicPoller<TopicBlocks>>;
