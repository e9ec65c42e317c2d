import type { ColumnBlock } from './column-block.js';
import { type Delivery, type RowReject, worstOf } from './delivery.js';
import type { Fault } from './fault.js';
import type { WriteTally } from './write-tally.js';

/**
 * Formats that text and datagrams arrive in. Packets of `agentd` stand each behind its length, two bytes, high byte
 * first; a scrape of `exposition` behind a line with its format and address.
 */
export type WireFormat =
  | 'lineproto'
  | 'remote-write'
  | 'tsdbwire-telnet'
  | 'tsdbwire-json'
  | 'opentsdb-json'
  | 'statsd'
  | 'agentd'
  | 'exposition'
  | 'graphite'
  | 'otlp'
  | 'otlp-json'
  | 'sql-insert'
  | 'bound-rows';

/** True for the formats of statements, whose rows may go to several databases. */
export function isStatement(format: WireFormat): boolean {
  return format === 'sql-insert' || format === 'bound-rows';
}

/** Whole lines or one datagram, as they came. */
export interface ByteBlock {
  readonly kind: 'bytes';
  readonly format: WireFormat;
  readonly bytes: Uint8Array;
  /** Set on the blocks of a text that was cut into several. */
  readonly part?: TextPart | undefined;
  /** Set on a payload that was made of several. */
  readonly merged?: MergedPayloads | undefined;
}

/** Payloads of several senders, one behind the other in one. */
export interface MergedPayloads {
  /** Where each of them ends in the bytes. */
  readonly ends: readonly number[];
  /** The result that the sender of each gets once the rows are stored; set when they are read. */
  shares: readonly Delivery[] | undefined;
  /**
   * Sends them on again in parts, which begin at the first of these places and end before the next one. The batch of
   * all of them then ends with nothing. `arrived` is when they came.
   */
  divide(cuts: readonly number[], arrived: Reading | undefined): void;
}

/** Which ends of a text a block of it holds. */
export interface TextPart {
  readonly first: boolean;
  readonly last: boolean;
}

/** A unit of timestamps. */
export type TimeUnit = 'ns' | 'us' | 'ms' | 's' | 'm' | 'h';

/** Where the rows of a batch go, and on whose behalf. */
export interface Target {
  readonly database: string;
  readonly user: string;
  /** Create the database when it is missing (`smlAutoCreateDB`). */
  readonly createDatabase: boolean;
  /** How long a database keeps rows that is created so; left out, as long as others do. */
  readonly keepDays?: number | undefined;
  /** Days to live of sub-tables created by this write; 0 is for ever. */
  readonly ttl: number;
  /** Unit of the timestamps in the text; `auto` guesses that of each by its size. */
  readonly precision: TimeUnit | 'auto';
  /** Set when the text is parsed, or before it by a sender whose texts have one time. */
  readonly reading?: Reading | undefined;
  /** Set where the reply counts the rows by kind. */
  readonly tally?: WriteTally | undefined;
  /** Of a text that is taken whole: one bad row is enough to store none. */
  readonly isWhole?: boolean | undefined;
  /**
   * The tag of line protocol, or of a point of OpenTSDB, whose value is the name of the sub-table, and which is no tag
   * of it then.
   */
  readonly tableNameTag?: string | undefined;
  /** When a write is answered; left out, the setting `write.ack` says so. */
  readonly ack?: Acknowledgement | undefined;
}

/** When a write is answered: once its text is in the write-ahead log, or once its rows are in the database. */
export type Acknowledgement = 'logged' | 'stored';

/** The state of the world in which a text was parsed. */
export interface Reading {
  /** Epoch of the database in the catalogue; series of a table from which something was dropped later may be gone. */
  readonly epoch: number;
  /** Unix microseconds of rows without a time of their own. */
  readonly nowMicros: bigint;
}

/** Blocks of one database, in the order they came, that are written together: what group commit makes. */
export interface BlockGroup {
  readonly kind: 'group';
  readonly blocks: readonly ColumnBlock[];
  /** When the text of each block came, in Unix microseconds; undefined is now. */
  readonly receivedMicros?: readonly (bigint | undefined)[];
  /** The name by which the database knows the insert, so that it is done once however often it is tried. */
  readonly token?: string;
  /**
   * Called when the database has made tables or sub-tables of the group: many take long, and are no sign that it is
   * stuck.
   */
  readonly progressed?: () => void;
}

/**
 * Rows that have been answered because their text is in the write-ahead log; they stay until they are stored or refused
 * for good.
 */
interface LoggedRows {
  /** Of their texts in the log, rising: of one, or of several that recovery read as one. */
  readonly sequences: readonly number[];
  /** The group that they were in when the process ended. */
  readonly earlierGroup?: EarlierGroup | undefined;
  /** True where their text was read again since it was answered. */
  readonly isReadAgain?: boolean;
  /**
   * Reads their texts again, each alone, with the catalogue as it is now: what takes the place of these rows, which
   * ended for a reason. What is refused of them goes to the rejected rows; nothing is left where all of it is. Never
   * rejects.
   */
  again(reason: Fault): Promise<readonly Batch<ColumnBlock>[]>;
}

/** A group that was begun before the process ended: whether the database has it is not known. */
export interface EarlierGroup {
  readonly group: number;
  /** How many pairs of text and table it had. */
  readonly pairs: number;
}

/** The rows of one text or statement, table by table, with the text that they can be read from again. */
export interface RowSet {
  readonly kind: 'rows';
  readonly blocks: readonly ColumnBlock[];
  /** Left out where there is none; such rows are answered once they are stored. */
  readonly text?: SourceText;
  /** Bad rows of the text, which end here. */
  readonly rejectedRows: number;
  readonly rejects: readonly RowReject[];
}

/** A text, and what its meaning depends on beside its target. */
export interface SourceText {
  readonly format: WireFormat;
  readonly bytes: Uint8Array;
  readonly part?: TextPart | undefined;
  /** Of a statement: NOW in Unix nanoseconds, and the zone of times without one. */
  readonly nowNs?: bigint;
  readonly zone?: string;
}

/** Content of a batch: text as it came, its rows, the rows of one table, or those of several. */
export type Payload = ByteBlock | RowSet | ColumnBlock | BlockGroup;

/**
 * The only thing that flows on the write side. `bytes` is what the credit gate counts; `settle` is called exactly once,
 * by the stage that ends the batch. A batch that is never settled keeps its credit.
 */
export interface Batch<P extends Payload = Payload> {
  /** Name of the pipeline: metric label and log field. */
  readonly origin: string;
  readonly target: Target;
  readonly payload: P;
  /** For bytes, the number of lines or messages. */
  readonly rows: number;
  readonly bytes: number;
  /** Set on blocks whose text is in the write-ahead log. */
  readonly logged?: LoggedRows;
  settle(delivery: Delivery): void;
}

/** A batch as the next stage sees it: with another target or another way to end. */
export function batchFrom<P extends Payload>(
  batch: Batch<P>,
  target: Target,
  settle = (delivery: Delivery): void => batch.settle(delivery),
): Batch<P> {
  const { origin, payload, rows, bytes } = batch;
  // Field by field: spreading an object over a field that is there already is many times as slow.
  return { origin, target, payload, rows, bytes, settle };
}

/**
 * The target of a write on behalf of a user. What a target lacks is there as undefined, so that all targets are of one
 * shape: code that meets many shapes looks for each field anew.
 */
export function targetOf(
  { database, createDatabase, ttl, precision, tally, isWhole, tableNameTag, ack }: Omit<Target, 'user'>,
  user: string,
  reading?: Reading,
): Target {
  return { database, user, createDatabase, ttl, precision, reading, tally, isWhole, tableNameTag, ack };
}

/** A target at the state of the world in which its text is read. */
export function targetAt(target: Target, reading: Reading): Target {
  return targetOf(target, target.user, reading);
}

/** One child of a batch that is split. */
interface Part<P extends Payload> {
  readonly payload: P;
  readonly rows: number;
  readonly bytes: number;
}

/**
 * Splits a batch: the parent is settled once every child is, with the worst of `start` and the children's endings.
 * `start` carries what was decided before the split, such as rejected lines. Without parts the parent is settled at
 * once.
 */
export function splitBatch<P extends Payload>(parent: Batch, parts: readonly Part<P>[], start: Delivery): Batch<P>[] {
  let open = parts.length;
  let worst = start;
  if (open === 0) parent.settle(start);
  return parts.map((part) => ({
    origin: parent.origin,
    target: parent.target,
    ...part,
    settle: (delivery) => {
      worst = worstOf(worst, delivery);
      open--;
      if (open === 0) parent.settle(worst);
    },
  }));
}

/** How the block at a place of a group ended. */
export function endingOf(delivery: Delivery, place: number, rows: number): Delivery {
  if (delivery.outcome !== 'delivered') return delivery;
  const { rejectedRows, rejects, apart } = delivery;
  return apart?.get(place) ?? { outcome: 'delivered', rows, rejectedRows, rejects };
}

/** Joins batches into one: its ending is passed on to every parent, rows counted for each on its own. */
export function groupBatches(parents: readonly Batch<ColumnBlock>[]): Batch<BlockGroup> {
  const first = parents[0]!;
  let rows = 0;
  let bytes = 0;
  for (const parent of parents) {
    rows += parent.rows;
    bytes += parent.bytes;
  }
  return {
    origin: first.origin,
    target: first.target,
    payload: {
      kind: 'group',
      blocks: parents.map((parent) => parent.payload),
      receivedMicros: parents.map(({ target }) => target.reading?.nowMicros),
    },
    rows,
    bytes,
    settle: (delivery) => {
      for (const [place, parent] of parents.entries()) parent.settle(endingOf(delivery, place, parent.rows));
    },
  };
}
