import type { TableRange, Turn } from './plan.js';
import type { TableSet } from './tables.js';

/** Ids that are made room for at once, so that short runs do not each take a buffer of their own. */
const chunkIds = 8192;

/** The series ids of rows. */
export class SeriesIds {
  readonly #tables: TableSet;
  readonly #seriesOf: ((table: string) => bigint) | undefined;
  /** Ids of all tables of a range that is written in rounds. */
  readonly #known: BigUint64Array | undefined;
  readonly #from: number;
  /** The run of one id that was made last. */
  #run: BigUint64Array = new BigUint64Array(0);
  #runTable = -1;
  #free: BigUint64Array = new BigUint64Array(0);

  /** Without `seriesOf` all ids are 0. With `inRounds` each is asked for once, otherwise whenever a table begins. */
  constructor(
    tables: TableSet,
    range: TableRange,
    seriesOf: ((table: string) => bigint) | undefined,
    inRounds: boolean,
  ) {
    this.#tables = tables;
    this.#seriesOf = seriesOf;
    this.#from = range.from;
    if (!inRounds || seriesOf === undefined) return;
    this.#known = new BigUint64Array(range.to - range.from);
    for (let i = 0; i < this.#known.length; i++) this.#known[i] = seriesOf(tables.nameOf(range.from + i));
  }

  /** The id of each row of a turn. The array may be shared with other turns and must not be changed. */
  of({ from, to, rows }: Turn): BigUint64Array {
    const known = this.#known?.subarray(from - this.#from, to - this.#from);
    if (known === undefined) return this.#runOf(from, (to - from) * rows);
    if (rows === 1) return known;
    const ids = new BigUint64Array(known.length * rows);
    for (let part = 0; part < known.length; part++) ids.fill(known[part]!, part * rows, (part + 1) * rows);
    return ids;
  }

  #runOf(table: number, rows: number): BigUint64Array {
    const isSame = this.#seriesOf === undefined || this.#runTable === table;
    if (!isSame || this.#run.length < rows) {
      this.#run = this.#take(rows);
      if (this.#seriesOf !== undefined) this.#run.fill(this.#seriesOf(this.#tables.nameOf(table)));
      this.#runTable = table;
    }
    return this.#run.subarray(0, rows);
  }

  #take(rows: number): BigUint64Array {
    if (this.#free.length < rows) this.#free = new BigUint64Array(Math.max(rows, chunkIds));
    const taken = this.#free.subarray(0, rows);
    this.#free = this.#free.subarray(rows);
    return taken;
  }
}
