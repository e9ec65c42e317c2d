import { yieldToEventLoop } from './event-loop.js';

/** How long a loop runs before it yields to the event loop, in milliseconds. */
const maxMs = 10;

/** Items of a long list as an array. Yields to the event loop between slices. */
export async function collected<T>(items: Iterable<T>): Promise<readonly T[]> {
  const results: T[] = [];
  const slice = new Slice();
  for (const item of items) {
    if (slice.isOver()) await slice.next();
    results.push(item);
  }
  return results;
}

/** Items that are sorted, or merged, between two checks of the clock. */
const sortedAtOnce = 1_024;

/** A long list in order, as `toSorted` gives it. Yields to the event loop between slices. */
export async function sorted<T>(items: readonly T[], compare: (a: T, b: T) => number): Promise<readonly T[]> {
  const slice = new Slice();
  let runs: (readonly T[])[] = [];
  for (let at = 0; at < items.length; at += sortedAtOnce) {
    if (slice.isOver()) await slice.next();
    runs.push(items.slice(at, at + sortedAtOnce).sort(compare));
  }
  while (runs.length > 1) {
    const merged: (readonly T[])[] = [];
    for (let i = 0; i < runs.length; i += 2) merged.push(await mergedRuns(runs[i]!, runs[i + 1] ?? [], compare, slice));
    runs = merged;
  }
  return runs[0] ?? [];
}

/** Two lists in order as one; of equal items those of the first come first. */
async function mergedRuns<T>(
  first: readonly T[],
  second: readonly T[],
  compare: (a: T, b: T) => number,
  slice: Slice,
): Promise<readonly T[]> {
  const all: T[] = [];
  let [i, j] = [0, 0];
  while (i < first.length && j < second.length) {
    all.push(compare(first[i]!, second[j]!) <= 0 ? first[i++]! : second[j++]!);
    if (all.length % sortedAtOnce === 0 && slice.isOver()) await slice.next();
  }
  return all.concat(first.slice(i), second.slice(j));
}

/** The time slice of a long loop, which yields to the event loop by `if (slice.isOver()) await slice.next()`. */
export class Slice {
  #startMs = performance.now();

  isOver(): boolean {
    return performance.now() - this.#startMs > maxMs;
  }

  /** Resolves in a later turn of the event loop, where another slice begins. */
  async next(): Promise<void> {
    await yieldToEventLoop();
    this.#startMs = performance.now();
  }
}
