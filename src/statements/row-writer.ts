import type { Acknowledgement, SourceText } from '../model/batch.js';
import type { ColumnBlock } from '../model/column-block.js';
import type { Delivery } from '../model/delivery.js';
import type { WaitingTables } from '../model/waiting-tables.js';

/** The rows that one statement writes. */
export interface StatementRows {
  readonly blocks: readonly ColumnBlock[];
  readonly user: string;
  /** Bytes of the statement. */
  readonly bytes: number;
  /** The statement and its current database, where its rows may be acknowledged once it is logged. */
  readonly statement?: SourceText & { readonly database: string };
  readonly ack?: Acknowledgement | undefined;
}

/** The write path as statements use it. */
export interface RowWriter {
  /** Writes the rows of one statement; resolves when they are acknowledged: logged, or else stored. */
  insert(rows: StatementRows): Promise<Delivery>;

  /**
   * Makes the acknowledged rows of tables visible, with `series` those of these at least; undefined when no rows wait.
   * Rejects with a FaultError when the database cannot take them.
   */
  visible(tables: WaitingTables, series?: readonly bigint[]): Promise<void> | undefined;
}
