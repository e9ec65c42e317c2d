import { tableKey } from '../../model/column-block.js';
import type { ReadPayload, UnreadPayload } from '../../wal/log.js';
import type { LoggedPayload } from '../../wal/record.js';
import { isSameTarget, maxMergedBytes, mayMerge } from './merging.js';

/**
 * Longest time between the arrivals of payloads that are read as one, in microseconds. Their rows have the time of the
 * first as the one of receipt, by which a cluster decides between the rows of two adapters.
 */
const maxSpreadMicros = 100_000n;

/** Payloads of the log that may be read as one, or a single one that cannot be read. */
export type Run = readonly ReadPayload[] | readonly [UnreadPayload];

/** True for a single payload that cannot be read. */
export function isUnread(run: Run): run is readonly [UnreadPayload] {
  return run[0] !== undefined && 'fault' in run[0];
}

/**
 * Payloads of the log that may be read as one, in their order: short ones of lines that go to the same place. Others
 * stand alone.
 */
export function runsOf(texts: readonly (ReadPayload | UnreadPayload)[]): readonly Run[] {
  const runs: Run[] = [];
  let run: ReadPayload[] = [];
  let bytes = 0;
  for (const read of texts) {
    if ('fault' in read) {
      runs.push([read]);
      run = [];
      continue;
    }
    const { text } = read;
    const [first] = run;
    bytes += text.bytes.length;
    if (first !== undefined && bytes <= maxMergedBytes && mayMerge(text) && isAlike(first.text, text)) {
      run.push(read);
      continue;
    }
    run = [read];
    bytes = mayMerge(text) ? text.bytes.length : Number.POSITIVE_INFINITY;
    runs.push(run);
  }
  return runs;
}

function isAlike(a: LoggedPayload, b: LoggedPayload): boolean {
  const spread = b.receivedMicros - a.receivedMicros;
  if (spread < 0n || spread > maxSpreadMicros) return false;
  return a.format === b.format && a.origin === b.origin && isSameTarget(a, b);
}

/** Rows of one table of payloads that were read as one: which payloads these are, by their places, rising. */
interface JoinedBlock {
  readonly database: string;
  readonly table: string;
  readonly texts: readonly number[];
}

/**
 * The note of the log about a payload and a table: that its rows have ended, or the number of their group; 0 where
 * there is none.
 */
type Fate = (table: string, text: number) => number;

/** The cuts that leave each of several payloads alone, as {@link cutsOf} returns them. */
export function eachAlone(count: number): readonly number[] {
  return Array.from({ length: count + 1 }, (_, place) => place);
}

/**
 * Cuts `count` payloads that were read as one where they must not stay together: before and behind each of those that
 * stand `apart`, and where the rows of a table change from one fate to another. Gives where each part begins, and one
 * past the last.
 */
export function cutsOf(
  count: number,
  blocks: readonly JoinedBlock[],
  apart: ReadonlySet<number>,
  fate: Fate,
): readonly number[] {
  const fates: (readonly [table: string, fate: number])[][] = Array.from({ length: count }, () => []);
  for (const block of blocks) {
    const table = tableKey(block);
    for (const text of block.texts) fates[text]!.push([table, fate(table, text)]);
  }
  const cuts = [0];
  const known = new Map<string, number>();
  for (const [text, own] of fates.entries()) {
    const isApart = apart.has(text) || apart.has(text - 1);
    if (text > 0 && (isApart || own.some(([table, next]) => (known.get(table) ?? next) !== next))) {
      cuts.push(text);
      known.clear();
    }
    for (const [table, next] of own) known.set(table, next);
  }
  return [...cuts, count];
}
