import type { TableRange, Turn } from './plan.js';
import type { TableSet } from './tables.js';

/** The series ids of rows. */
export class SeriesIds {
  readonly #idOf: ((table: number) => bigint) | undefined;
  /** Ids of all tables of a range that is written in rounds. */
  readonly #known: BigUint64Array | undefined;
  readonly #from: number;

  /** Without `seriesOf` all ids are 0. With `inRounds` each is computed once, otherwise whenever a table begins. */
  constructor(
    tables: TableSet,
    { from, to }: TableRange,
    seriesOf: ((table: string) => bigint) | undefined,
    inRounds: boolean,
  ) {
    this.#idOf = seriesOf && ((table) => seriesOf(tables.nameOf(table)));
    this.#from = from;
    if (inRounds && seriesOf !== undefined) {
      this.#known = BigUint64Array.from({ length: to - from }, (_, at) => seriesOf(tables.nameOf(from + at)));
    }
  }

  /** The id of each row of a turn. */
  of({ from, to, rows }: Turn): BigUint64Array {
    const known = this.#known;
    if (known !== undefined && rows === 1) return known.subarray(from - this.#from, to - this.#from);
    const ids = new BigUint64Array((to - from) * rows);
    const idOf = this.#idOf;
    if (idOf === undefined) return ids;
    for (let table = from, at = 0; table < to; table++, at += rows) {
      ids.fill(known?.[table - this.#from] ?? idOf(table), at, at + rows);
    }
    return ids;
  }
}
