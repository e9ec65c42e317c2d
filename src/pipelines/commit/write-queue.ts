import type { Batch, RowSet } from '../../model/batch.js';
import type { ColumnBlock } from '../../model/column-block.js';
import type { Fault } from '../../model/fault.js';

/** A group of logged blocks by its number in the log. */
export interface NotedGroup {
  readonly number: number;
  /** The name by which the database knows the insert, so that it stores the rows once however often they are sent. */
  readonly token: string;
  /** Called when the database has made tables or sub-tables of the group: it is slow then, and not stuck. */
  readonly progressed: () => void;
}

/** How an insert of logged blocks went. */
export interface GroupResult {
  /** Blocks that are stored or rejected. */
  readonly ended: readonly Batch<ColumnBlock>[];
  /** Blocks of the group that are neither yet. */
  readonly left: readonly Batch<ColumnBlock>[];
  /** The transient fault that keeps blocks from being stored. */
  readonly failure?: Fault;
}

/**
 * A queue on disk, from which the commit inserts. It acknowledges what it is offered once that is on disk, and puts out
 * its blocks, also those of a process that was killed.
 */
export interface WriteQueue {
  /** Resolves once the blocks of groups of an earlier process are put out. */
  readonly recovered: Promise<void>;
  /** Takes the rows of a payload. */
  offer(batch: Batch<RowSet>): void;
  /** Notes which blocks are about to be inserted together; undefined where they could not be noted. */
  begin(members: readonly Batch<ColumnBlock>[]): Promise<NotedGroup | undefined>;
  /** Notes how an insert went, `group` where it was noted. */
  done(group: NotedGroup | undefined, result: GroupResult): void;
}
