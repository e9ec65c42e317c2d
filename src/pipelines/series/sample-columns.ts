import type { StoredRows } from '../../database/engine/native-rows.js';
import type { Label } from '../../model/label-set.js';
import type { SeriesSamples } from '../../promql/source.js';

/** Bits of a double's upper word that are all set in NaN and the infinities. */
const exponentBits = 0x7ff00000;
const firstCapacity = 1_024;

/**
 * Gathers samples of series, which come in the order of series and times, as columns. What it holds are typed arrays.
 */
export class SampleColumns {
  readonly #labels: (readonly Label[])[] = [];
  #offsets: number[] = [];
  #times = new Float64Array(firstCapacity);
  #values = new Float64Array(firstCapacity);
  #words = new Uint32Array(this.#values.buffer);
  #count = 0;

  /** Samples so far. */
  get count(): number {
    return this.#count;
  }

  /**
   * Adds rows of an id, Unix ms and a value; `labels` gives those of a series by its id, undefined for a series that is
   * to be left out. A row whose value is NULL counts only where the bits beside the NULL are those of no finite number.
   */
  add({ rows, ids, times, columns }: StoredRows, series: SeriesLabels): void {
    const { values, nulls, full } = columns[0]!;
    if (!(values instanceof Float64Array)) throw new Error('Samples are not of the type Float64.');
    this.#reserve(this.#count + rows, series.count);
    const idWords = new Uint32Array(ids.buffer, ids.byteOffset, rows * 2);
    const timeWords = new Int32Array(times.buffer, times.byteOffset, rows * 2);
    const valueWords = new Uint32Array(values.buffer, values.byteOffset, rows * 2);
    for (let row = 0; row < rows; row++) {
      const low = 2 * row;
      const high = low + 1;
      if (!full && nulls[row] === 1 && (valueWords[high]! & exponentBits) !== exponentBits) continue;
      if (idWords[low] !== series.low || idWords[high] !== series.high || series.isNew) {
        series.enter(idWords[low]!, idWords[high]!, ids[row]!);
        if (series.labels !== undefined) this.#begin(series.labels);
      }
      if (series.labels === undefined) continue;
      const time = timeWords[high]! * 0x1_0000_0000 + (timeWords[low]! >>> 0);
      // Rows within one millisecond are one sample, the last of them.
      const start = this.#offsets[this.#offsets.length - 1]!;
      const at = this.#count > start && this.#times[this.#count - 1] === time ? this.#count - 1 : this.#count++;
      this.#times[at] = time;
      // As words, because a NaN need not keep its bits as a number.
      this.#words[2 * at] = valueWords[low]!;
      this.#words[2 * at + 1] = valueWords[high]!;
    }
  }

  /** The columns; nothing may be added any more. */
  finish(): SeriesSamples {
    const offsets = new Uint32Array(this.#offsets.length + 1);
    offsets.set(this.#offsets);
    offsets[this.#offsets.length] = this.#count;
    return {
      labels: this.#labels,
      offsets,
      times: this.#times.subarray(0, this.#count),
      values: this.#values.subarray(0, this.#count),
    };
  }

  #begin(labels: readonly Label[]): void {
    this.#labels.push(labels);
    this.#offsets.push(this.#count);
  }

  /** Makes room for so many samples: for as many in each of the series to come as in those so far, if that is more. */
  #reserve(length: number, series: number): void {
    if (length <= this.#times.length) return;
    const begun = this.#labels.length;
    const estimate = begun < 2 ? 0 : Math.ceil((this.#count / (begun - 1)) * series * 1.02);
    const capacity = Math.max(length, estimate <= this.#times.length ? this.#times.length * 2 : estimate);
    const times = new Float64Array(capacity);
    times.set(this.#times.subarray(0, this.#count));
    const words = new Uint32Array(capacity * 2);
    words.set(this.#words.subarray(0, this.#count * 2));
    this.#times = times;
    this.#words = words;
    this.#values = new Float64Array(words.buffer);
  }
}

/** The series of the current row: labels by id, looked up when the id changes. */
export class SeriesLabels {
  labels: readonly Label[] | undefined;
  low = 0;
  high = 0;
  isNew = true;
  readonly #byId: ReadonlyMap<bigint, readonly Label[]>;

  constructor(byId: ReadonlyMap<bigint, readonly Label[]>) {
    this.#byId = byId;
  }

  /** How many series there are. */
  get count(): number {
    return this.#byId.size;
  }

  enter(low: number, high: number, id: bigint): void {
    this.low = low;
    this.high = high;
    this.isNew = false;
    this.labels = this.#byId.get(id);
  }
}
