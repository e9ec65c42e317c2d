import { two32 } from '../../bytes/words.js';
import type { Disorder } from './disorder.js';
import type { Turn } from './plan.js';

/** Times of rows: row k of every table has `start + k × step`, unless it is late (`timestamp_step`). */
export class RowTimes {
  readonly #start: bigint;
  readonly #step: bigint;
  readonly #disorder: Disorder | undefined;
  /** The times of a run of rows in order, made last. */
  #run = new BigInt64Array(0);
  #runFirst = -1;

  constructor(start: bigint, step: bigint, disorder: Disorder | undefined) {
    this.#start = start;
    this.#step = step;
    this.#disorder = disorder;
  }

  /** The times of the rows of a turn, table by table. The array may be shared and must not be changed. */
  of({ from, to, firstRow, rows }: Turn): BigInt64Array {
    const run = this.#ordered(firstRow, rows);
    const disorder = this.#disorder;
    const tables = to - from;
    if (tables === 1 && disorder === undefined) return run;
    const times = new BigInt64Array(tables * rows);
    if (rows === 1) times.fill(run[0]!);
    else for (let part = 0; part < tables; part++) times.set(run, part * rows);
    if (disorder !== undefined) {
      const words = new Uint32Array(times.buffer);
      for (let part = 0; part < tables; part++) {
        for (let i = 0; i < rows; i++) {
          const late = disorder.lateness(from + part, firstRow + i);
          if (late > 0) subtract(words, part * rows + i, late);
        }
      }
    }
    return times;
  }

  #ordered(firstRow: number, rows: number): BigInt64Array {
    if (this.#runFirst === firstRow && this.#run.length >= rows) return this.#run.subarray(0, rows);
    const run = new BigInt64Array(rows);
    const words = new Uint32Array(run.buffer);
    const first = BigInt.asUintN(64, this.#start + BigInt(firstRow) * this.#step);
    const stepLow = Number(BigInt.asUintN(32, this.#step));
    const stepHigh = Number(BigInt.asUintN(32, this.#step >> 32n));
    let low = Number(first & 0xffffffffn);
    let high = Number(first >> 32n);
    for (let i = 0; i < rows; i++) {
      words[2 * i] = low;
      words[2 * i + 1] = high;
      low += stepLow;
      high += stepHigh;
      if (low >= two32) {
        low -= two32;
        high++;
      }
      if (high >= two32) high -= two32;
    }
    this.#run = run;
    this.#runFirst = firstRow;
    return run;
  }
}

/** Makes the 64-bit number at `row` smaller by a whole number below 2^53. */
function subtract(words: Uint32Array, row: number, by: number): void {
  const low = words[2 * row]! - (by % two32);
  words[2 * row] = low;
  words[2 * row + 1] = words[2 * row + 1]! - Math.floor(by / two32) - (low < 0 ? 1 : 0);
}
