import { isStaleSchema } from '../database/store/stale-schema.js';
import type { Batch } from '../model/batch.js';
import { type ColumnBlock, tableKey } from '../model/column-block.js';
import type { Delivery } from '../model/delivery.js';
import type { Fault } from '../model/fault.js';

/** A batch that is not tried any more, and how it ends. */
export interface Ended {
  readonly member: Batch<ColumnBlock>;
  readonly ending: Delivery;
}

export function isStored({ ending }: Ended): boolean {
  return ending.outcome === 'delivered';
}

/** The fault of logged rows that could not be stored for a reason that passes: the database is away, say, or lacks memory. */
export function passingFault({ logged }: Batch<ColumnBlock>, ending: Delivery): Fault | undefined {
  if (logged === undefined || ending.outcome !== 'failed') return undefined;
  return ending.fault.kind === 'database' || isStaleSchema(ending.fault) ? undefined : ending.fault;
}

/**
 * Why the text of logged rows is to be read again: a table, or a series in it, was dropped since it was read. Or the rows are refused as
 * they were read first: the catalogue may have changed, or another text may be the reason. Undefined for all others.
 */
export function reasonToReadAgain({ logged }: Batch<ColumnBlock>, ending: Delivery): Fault | undefined {
  if (logged === undefined || (ending.outcome !== 'failed' && ending.outcome !== 'rejected')) return undefined;
  const { fault } = ending;
  const isLate = ending.outcome === 'failed' && isStaleSchema(fault);
  return isLate || (logged.isReadAgain !== true && isRefused(ending)) ? fault : undefined;
}

/** How rows end that are not tried any more: those that are logged for good, as nobody would send them again. */
export function final({ logged }: Batch<ColumnBlock>, ending: Delivery): Delivery {
  return logged !== undefined && ending.outcome === 'failed' ? { outcome: 'rejected', fault: ending.fault } : ending;
}

/** True when rows were written in vain because of what is in them, and not because of the state of the world. */
function isRefused(ending: Delivery): boolean {
  return ending.outcome === 'rejected' || (ending.outcome === 'failed' && ending.fault.kind === 'database');
}

/** The members that were refused and share their table with others of the group: one of these may be the reason. */
export function refusedTogether(
  members: readonly Batch<ColumnBlock>[],
  endings: readonly Delivery[],
): ReadonlySet<Batch<ColumnBlock>> {
  const refused = members.filter((_, place) => isRefused(endings[place]!));
  if (refused.length < 2) return new Set();
  const counts = new Map<string, number>();
  for (const { payload } of refused) counts.set(tableKey(payload), (counts.get(tableKey(payload)) ?? 0) + 1);
  return new Set(refused.filter(({ payload }) => (counts.get(tableKey(payload)) ?? 0) > 1));
}
