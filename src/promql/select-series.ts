import { hash } from 'node:crypto';
import type { Slice } from '../async/slice.js';
import { goNumber, groupsOf, type RowGroup } from './aggregate.js';
import type { Annotations } from './annotations.js';
import type { AggregateExpr } from './language/tree.js';
import { QueryError } from './query-error.js';
import { absentSample, copySample, emptyRow, floatSample, hasSamples, type Row } from './rows.js';

/** Chooses rows of a group at a step: their indexes in the order of the result. */
type Choice = (step: number) => Iterable<number>;

/** Looks at the rows of a group, with the parameter by step. */
type Chooser = (rows: readonly Row[], parameter: Float64Array, slice: Slice) => Promise<Choice>;

/** `topk`, `bottomk`, `limitk`, `limit_ratio`: rows with the samples that are chosen at each step. */
export async function selectSeries(
  expr: AggregateExpr,
  rows: readonly Row[],
  steps: number,
  parameter: Float64Array,
  annotations: Annotations,
  slice: Slice,
): Promise<Row[]> {
  const { operator } = expr;
  if (!checkParameter(expr, parameter, annotations)) return [];
  const isByValue = operator === 'topk' || operator === 'bottomk';
  if (isByValue && rows.some(({ histograms }) => histograms !== undefined))
    annotations.inform(`ignored histogram in ${operator} aggregation`, expr.span);
  const chooser = choosers[operator as keyof typeof choosers];
  const results: Row[] = [];
  for (const group of groupsOf(expr, rows))
    results.push(...(await chosenRows(group, steps, parameter, chooser, slice)));
  return results;
}

async function chosenRows(
  { rows }: RowGroup,
  steps: number,
  parameter: Float64Array,
  chooser: Chooser,
  slice: Slice,
): Promise<Row[]> {
  const choose = await chooser(rows, parameter, slice);
  const results = new Map<number, Row>();
  for (let step = 0; step < steps; step++) {
    if (slice.isOver()) await slice.next();
    for (const index of choose(step)) {
      const row = rows[index]!;
      const result = results.get(index) ?? emptyRow(row.labels, steps);
      results.set(index, result);
      copySample(row, result, step);
    }
  }
  return [...results.values()].filter(hasSamples);
}

/** False when nothing can be chosen. */
function checkParameter(
  { operator, parameter: expr }: AggregateExpr,
  parameter: Float64Array,
  annotations: Annotations,
): boolean {
  const most = parameter.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY);
  const least = parameter.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
  const hasNaN = parameter.some(Number.isNaN);
  if (operator === 'limit_ratio') {
    if (hasNaN) throw new QueryError('execution', 'Ratio value is NaN');
    const text = 'ratio value should be between -1 and 1, got';
    if (most > 1) annotations.warn(`${text} ${goNumber(most)}, capping to 1`, expr!.span);
    if (least < -1) annotations.warn(`${text} ${goNumber(least)}, capping to -1`, expr!.span);
    return !(most === 0 && least === 0);
  }
  if (hasNaN) throw new QueryError('execution', 'Parameter value is NaN');
  if (most < 1) return false;
  if (least <= -(2 ** 63)) throw new QueryError('execution', `Scalar value ${goNumber(least)} underflows int64`);
  if (most >= 2 ** 63) throw new QueryError('execution', `Scalar value ${goNumber(most)} overflows int64`);
  return true;
}

/**
 * The rows with the greatest numbers, or the least ones; NaN comes last, and of equal numbers the earlier row first.
 * Goes through row after row, as they lie in memory.
 */
function best(isGreatest: boolean): Chooser {
  const precedes = (a: number, b: number): boolean =>
    (isGreatest ? a > b : a < b) || (Number.isNaN(b) && !Number.isNaN(a));
  return async (rows, parameter, slice) => {
    const most = Uint32Array.from(parameter, (each) => Math.max(0, Math.min(Math.trunc(each), rows.length)));
    const width = most.reduce((a, b) => Math.max(a, b), 0);
    const [indexes, numbers] = [new Uint32Array(most.length * width), new Float64Array(most.length * width)];
    const counts = new Uint32Array(most.length);
    for (const [index, { present, values }] of rows.entries()) {
      if (slice.isOver()) await slice.next();
      for (let step = 0; step < present.length; step++) {
        if (present[step] !== floatSample || most[step] === 0) continue;
        const value = values[step]!;
        const [start, isFull] = [step * width, counts[step] === most[step]];
        let end = start + counts[step]!;
        if (isFull && !precedes(value, numbers[end - 1]!)) continue;
        if (isFull) end--;
        else counts[step]!++;
        let low = start;
        for (let high = end; low < high; ) {
          const middle = (low + high) >> 1;
          if (precedes(value, numbers[middle]!)) high = middle;
          else low = middle + 1;
        }
        for (let i = end; i > low; i--) {
          indexes[i] = indexes[i - 1]!;
          numbers[i] = numbers[i - 1]!;
        }
        indexes[low] = index;
        numbers[low] = value;
      }
    }
    return (step) => indexes.subarray(step * width, step * width + counts[step]!);
  };
}

function presentIndexes(rows: readonly Row[], step: number): number[] {
  return rows.flatMap(({ present }, index) => (present[step] === absentSample ? [] : [index]));
}

const choosers: Readonly<Record<'topk' | 'bottomk' | 'limitk' | 'limit_ratio', Chooser>> = {
  topk: best(true),
  bottomk: best(false),
  limitk: async (rows, parameter) => (step) =>
    presentIndexes(rows, step).slice(0, Math.max(0, Math.trunc(Math.min(parameter[step]!, rows.length)))),
  limit_ratio: async (rows, parameter) => (step) => {
    const ratio = Math.min(1, Math.max(-1, parameter[step]!));
    return presentIndexes(rows, step).filter((index) => {
      const place = placeOf(rows[index]!);
      return ratio >= 0 ? place < ratio : place >= 1 + ratio;
    });
  },
};

/** A number from 0 up to but without 1 that the labels of a series alone decide. */
function placeOf({ labels }: Row): number {
  return Number.parseInt(hash('md5', labels.key).slice(0, 12), 16) / 2 ** 48;
}
