import type { LabelSet } from './label-set.js';
import type { NativeHistogram } from './native-histogram.js';
import { QueryError } from './query-error.js';

/** What a row has at a step. */
export const absentSample = 0;
export const floatSample = 1;
export const histogramSample = 2;

/** A series at the steps of an evaluation, as columns. */
export interface Row {
  readonly labels: LabelSet;
  /** Numbers by step; they mean something where `present` is {@link floatSample}. */
  readonly values: Float64Array;
  /** {@link absentSample}, {@link floatSample} or {@link histogramSample} by step. */
  readonly present: Uint8Array;
  /** Histograms by step; undefined when there are none. */
  histograms: (NativeHistogram | undefined)[] | undefined;
}

/** A row without samples. */
export function emptyRow(labels: LabelSet, steps: number): Row {
  return { labels, values: new Float64Array(steps), present: new Uint8Array(steps), histograms: undefined };
}

/** Makes rows without samples whose columns lie side by side, which costs less than a piece of memory for each. */
export class RowSlab {
  readonly #steps: number;
  readonly #rowsAtOnce: number;
  #values = new Float64Array(0);
  #present = new Uint8Array(0);
  #next = 0;

  constructor(steps: number) {
    this.#steps = steps;
    this.#rowsAtOnce = Math.max(1, Math.min(256, Math.floor(slabSteps / steps)));
  }

  /** A row without samples. */
  row(labels: LabelSet): Row {
    const start = this.#next * this.#steps;
    if (start >= this.#present.length) {
      this.#values = new Float64Array(this.#rowsAtOnce * this.#steps);
      this.#present = new Uint8Array(this.#rowsAtOnce * this.#steps);
      this.#next = 1;
      return this.#cut(labels, 0);
    }
    this.#next++;
    return this.#cut(labels, start);
  }

  #cut(labels: LabelSet, start: number): Row {
    const end = start + this.#steps;
    const [values, present] = [this.#values.subarray(start, end), this.#present.subarray(start, end)];
    return { labels, values, present, histograms: undefined };
  }
}

/** Steps of all rows of one piece of memory. */
const slabSteps = 65_536;

/** The same samples under other labels. */
export function relabelled(row: Row, labels: LabelSet): Row {
  return row.labels === labels ? row : { ...row, labels };
}

/** Sets the number of a row at a step. */
export function setFloat(row: Row, step: number, value: number): void {
  row.values[step] = value;
  row.present[step] = floatSample;
}

/** Sets the histogram of a row at a step. */
export function setHistogram(row: Row, step: number, histogram: NativeHistogram): void {
  row.histograms ??= new Array<NativeHistogram | undefined>(row.present.length).fill(undefined);
  row.histograms[step] = histogram;
  row.present[step] = histogramSample;
}

/** Copies the sample of one row to the same step of another. */
export function copySample(from: Row, to: Row, step: number): void {
  if (from.present[step] === histogramSample) setHistogram(to, step, from.histograms![step]!);
  else setFloat(to, step, from.values[step]!);
}

/** True when a row has a sample at some step. */
export function hasSamples({ present }: Row): boolean {
  return present.some((each) => each !== absentSample);
}

/** Says that two samples of one time have the same labels. */
export function sameLabels(): never {
  throw new QueryError('execution', 'vector cannot contain metrics with the same labelset');
}

/** Rows by their labels: each set of labels has one row. */
export class RowSet {
  readonly #steps: number;
  readonly #rows = new Map<string, Row>();

  constructor(steps: number) {
    this.#steps = steps;
  }

  /** The row of labels. */
  row(labels: LabelSet): Row {
    const existing = this.#rows.get(labels.key);
    if (existing !== undefined) return existing;
    const row = emptyRow(labels, this.#steps);
    this.#rows.set(labels.key, row);
    return row;
  }

  /** Takes the samples of a row; throws a QueryError where there is one already. */
  add(row: Row): void {
    const existing = this.#rows.get(row.labels.key);
    if (existing === undefined) {
      this.#rows.set(row.labels.key, row);
      return;
    }
    const merged = copyOf(existing);
    for (let step = 0; step < this.#steps; step++) {
      if (row.present[step] === absentSample) continue;
      if (merged.present[step] !== absentSample) sameLabels();
      copySample(row, merged, step);
    }
    this.#rows.set(row.labels.key, merged);
  }

  /** All rows that have samples, in the order in which they came. */
  rows(): Row[] {
    return [...this.#rows.values()].filter(hasSamples);
  }
}

function copyOf(row: Row): Row {
  const histograms = row.histograms === undefined ? undefined : [...row.histograms];
  return { labels: row.labels, values: row.values.slice(), present: row.present.slice(), histograms };
}

/** Rows of which those with the same labels are one; throws a QueryError where two have a sample at one step. */
export function merged(rows: readonly Row[], steps: number): Row[] {
  const keys = new Set<string>();
  for (const { labels } of rows) keys.add(labels.key);
  if (keys.size === rows.length) return [...rows];
  const set = new RowSet(steps);
  for (const row of rows) set.add(row);
  return set.rows();
}

/** Refuses rows of which two have the same labels. */
export function requireDistinct(rows: readonly Row[]): void {
  const keys = new Set<string>();
  for (const { labels } of rows) {
    if (keys.has(labels.key)) sameLabels();
    keys.add(labels.key);
  }
}

/** A row of 1 where no row has a sample; none if that is nowhere. */
export function invertedRows(rows: readonly Row[], labels: LabelSet, steps: number): Row[] {
  const result = emptyRow(labels, steps);
  result.values.fill(1);
  result.present.fill(floatSample);
  for (const { present } of rows) {
    for (let step = 0; step < steps; step++) if (present[step] !== absentSample) result.present[step] = absentSample;
  }
  return hasSamples(result) ? [result] : [];
}
