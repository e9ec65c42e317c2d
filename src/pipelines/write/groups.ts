import type { Batch, EarlierGroup } from '../../model/batch.js';
import { type ColumnBlock, tableKey } from '../../model/column-block.js';
import type { Member } from '../../wal/record.js';

/** Rows of one table, and their payloads in the log. */
export interface LoggedBlock {
  readonly payload: ColumnBlock;
  readonly logged?: { readonly sequences: readonly number[] } | undefined;
}

/**
 * The first payload and the table of rows, by which the log knows them: payloads that are read as one have no rows in
 * any other block of the table.
 */
export function pairOf({ payload, logged }: LoggedBlock): string {
  return `${logged?.sequences[0]} ${tableKey(payload)}`;
}

/** The payloads of batches by table; pairs of payload and table that `others` have too are left out. */
export function membersOf(
  batches: readonly Batch<ColumnBlock>[],
  others: readonly Batch<ColumnBlock>[],
): readonly Member[] {
  const left = new Set(others.map(pairOf));
  const members = new Map<string, { database: string; table: string; sequences: number[] }>();
  for (const batch of batches) {
    const { payload, logged } = batch;
    if (logged === undefined || (left.size > 0 && left.has(pairOf(batch)))) continue;
    const key = tableKey(payload);
    const known = members.get(key);
    if (known === undefined) {
      members.set(key, { database: payload.database, table: payload.table, sequences: [...logged.sequences] });
    } else if (known.sequences.at(-1) !== logged.sequences[0]) known.sequences.push(...logged.sequences);
  }
  for (const { sequences } of members.values()) sequences.sort((a, b) => a - b);
  return [...members.values()];
}

/** The groups that were begun before, by table and payload. */
export function earlierGroups(
  groups: ReadonlyMap<number, readonly Member[]>,
): ReadonlyMap<string, ReadonlyMap<number, EarlierGroup>> {
  const earlier = new Map<string, Map<number, EarlierGroup>>();
  for (const [group, members] of groups) {
    const pairs = members.reduce((sum, { sequences }) => sum + sequences.length, 0);
    for (const member of members) {
      const key = tableKey(member);
      const known = earlier.get(key) ?? new Map<number, EarlierGroup>();
      earlier.set(key, known);
      for (const sequence of member.sequences) known.set(sequence, { group, pairs });
    }
  }
  return earlier;
}
