import type { ColumnBlock } from './column-block.js';
import type { Delivery } from './delivery.js';

/** Formats that text and datagrams arrive in. */
export type WireFormat = 'lineproto' | 'sql-insert';

/** Whole lines or one datagram, as they came. */
export interface ByteBlock {
  readonly kind: 'bytes';
  readonly format: WireFormat;
  readonly bytes: Uint8Array;
}

/** Where the rows of a batch go, and on whose behalf. */
export interface Target {
  readonly database: string;
  readonly user: string;
  /** Create the database when it is missing (`smlAutoCreateDB`). */
  readonly createDatabase: boolean;
  /** Days to live of sub-tables created by this write; 0 is for ever. */
  readonly ttl: number;
  /** Ticks of the timestamps in the text. */
  readonly precision: 'ns' | 'us' | 'ms' | 's' | 'm' | 'h';
}

/** Blocks of one table, in the order they came, that are written together: what group commit makes. */
export interface BlockGroup {
  readonly kind: 'group';
  readonly blocks: readonly ColumnBlock[];
}

export type Payload = ByteBlock | ColumnBlock | BlockGroup;

/**
 * The only thing that flows on the write side. `bytes` is what the credit gate counts; `settle` is called exactly once,
 * by whoever ends the batch's journey. A batch that is never settled keeps its credit.
 */
export interface Batch<P extends Payload = Payload> {
  /** Name of the pipeline: metric label and log field. */
  readonly origin: string;
  readonly target: Target;
  readonly payload: P;
  /** For bytes, the number of lines or messages. */
  readonly rows: number;
  readonly bytes: number;
  settle(delivery: Delivery): void;
}
