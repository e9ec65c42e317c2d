import type { Batch, BlockGroup } from '../model/batch.js';
import type { ColumnBlock } from '../model/column-block.js';
import type { Fault } from '../model/fault.js';

/** Where it is noted which rows are about to be inserted together, and which have ended. */
export interface GroupLog {
  /** Notes a group; gives its number, or undefined where it could not be noted. */
  begin(members: readonly Batch<ColumnBlock>[]): Promise<number | undefined>;
  /** What the sink is told of a group beside its blocks. */
  factsOf(group: number): Pick<BlockGroup, 'token' | 'goesOn'>;
  /** Notes that members of a group have ended, and that others of it have not. */
  end(group: number, ended: readonly Batch<ColumnBlock>[], others: readonly Batch<ColumnBlock>[]): void;
  /** Rows could not be stored for a reason that passes. */
  failed(failure: Fault): void;
}
