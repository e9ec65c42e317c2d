import { isStaleSchema } from '../../database/store/stale-schema.js';
import { type Batch, endingOf } from '../../model/batch.js';
import { type ColumnBlock, tableKey } from '../../model/column-block.js';
import type { Delivery } from '../../model/delivery.js';
import type { Fault } from '../../model/fault.js';

/**
 * What happens to a block of a group after an insert: its sender or the log gets a delivery, it is inserted again, or
 * its payload is parsed again for a reason.
 */
type Verdict =
  | { readonly kind: 'end'; readonly delivery: Delivery }
  | { readonly kind: 'retry' }
  | { readonly kind: 'reparse'; readonly reason: Fault };

/** The verdicts about a group, in the order of its blocks. */
export interface Verdicts {
  readonly all: readonly Verdict[];
  /** The first transient fault of logged rows; undefined when there is none. */
  readonly failure: Fault | undefined;
  /** True when the whole group failed for transient reasons: it is inserted again as it was. */
  readonly isTransient: boolean;
  /**
   * True when blocks of one table were refused together. They are inserted one by one, because one of them may be the
   * reason.
   */
  readonly isRefusedTogether: boolean;
  /** True when the database refused logged rows, and they are inserted again after a while. */
  readonly isRefused: boolean;
  /** True when payloads are parsed again that were parsed together: each of their blocks is inserted by itself. */
  readonly isSeparated: boolean;
}

const retry: Verdict = { kind: 'retry' };

/** Says what happens to each block of a group. Refused logged rows are inserted again while `mayRetry`. */
export function verdictsOn(members: readonly Batch<ColumnBlock>[], delivery: Delivery, mayRetry: boolean): Verdicts {
  const ends = members.map((member, place) => endingOf(delivery, place, member.rows));
  const transient = members.map((member, place) => transientFault(member, ends[place]!));
  const failure = transient.find((fault) => fault !== undefined);
  const together = refusedTogether(members, ends);
  let [isRefused, isSeparated] = [false, false];
  const all = members.map((member, place): Verdict => {
    const end = ends[place]!;
    if (transient[place] !== undefined) return retry;
    const isRetried = mayRetry && isRefusedByDatabase(member, end);
    isRefused ||= isRetried;
    if (isRetried || together.has(member)) return retry;
    const reason = reasonToReparse(member, end);
    if (reason === undefined) return { kind: 'end', delivery: final(member, end) };
    isSeparated ||= !isStaleSchema(reason);
    return { kind: 'reparse', reason };
  });
  const isTransient = transient.every((fault) => fault !== undefined);
  return { all, failure, isTransient, isRefusedTogether: together.size > 0, isRefused, isSeparated };
}

/**
 * The fault of logged rows that could not be stored for a transient reason: the database is away, say, or lacks memory.
 */
function transientFault({ logged }: Batch<ColumnBlock>, end: Delivery): Fault | undefined {
  if (logged === undefined || end.outcome !== 'failed') return undefined;
  return end.fault.kind === 'database' || isStaleSchema(end.fault) ? undefined : end.fault;
}

/** True for logged rows that the database itself refuses. */
function isRefusedByDatabase({ logged }: Batch<ColumnBlock>, end: Delivery): boolean {
  return logged !== undefined && end.outcome === 'failed' && !isStaleSchema(end.fault);
}

/**
 * Why the payload of logged rows is parsed again: a table, or a series in it, was dropped since it was parsed. Or the
 * rows are refused as they were parsed first: the catalogue may have changed, or another payload may be the reason.
 */
function reasonToReparse({ logged }: Batch<ColumnBlock>, end: Delivery): Fault | undefined {
  if (logged === undefined || (end.outcome !== 'failed' && end.outcome !== 'rejected')) return undefined;
  const isLate = end.outcome === 'failed' && isStaleSchema(end.fault);
  return isLate || (logged.isReadAgain !== true && isRefused(end)) ? end.fault : undefined;
}

/**
 * The delivery of rows that are not inserted again. Logged ones are rejected, because no sender has them any longer.
 */
function final({ logged }: Batch<ColumnBlock>, end: Delivery): Delivery {
  return logged !== undefined && end.outcome === 'failed' ? { outcome: 'rejected', fault: end.fault } : end;
}

/** True when rows were refused because of what is in them, and not because of the state of the world. */
function isRefused(end: Delivery): boolean {
  return end.outcome === 'rejected' || (end.outcome === 'failed' && end.fault.kind === 'database');
}

/** The blocks that were refused and share their table with others of the group: one of these may be the reason. */
function refusedTogether(
  members: readonly Batch<ColumnBlock>[],
  ends: readonly Delivery[],
): ReadonlySet<Batch<ColumnBlock>> {
  const refused = members.filter((_, place) => isRefused(ends[place]!));
  if (refused.length < 2) return new Set();
  const counts = new Map<string, number>();
  for (const { payload } of refused) counts.set(tableKey(payload), (counts.get(tableKey(payload)) ?? 0) + 1);
  return new Set(refused.filter(({ payload }) => (counts.get(tableKey(payload)) ?? 0) > 1));
}
