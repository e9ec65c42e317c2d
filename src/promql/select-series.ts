import { hash } from 'node:crypto';
import type { Slice } from '../async/slice.js';
import { goNumber, groupsOf, type RowGroup } from './aggregate.js';
import type { Annotations } from './annotations.js';
import type { AggregateExpr } from './language/tree.js';
import { QueryError } from './query-error.js';
import { absentSample, copySample, emptyRow, floatSample, hasSamples, type Row } from './rows.js';

/** Chooses rows of a group at a step: their indexes in the order of the result. */
type Choice = (rows: readonly Row[], step: number, parameter: number) => readonly number[];

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
  const choose = choices[operator as keyof typeof choices];
  const results: Row[] = [];
  for (const group of groupsOf(expr, rows)) results.push(...(await chosenRows(group, steps, parameter, choose, slice)));
  return results;
}

async function chosenRows(
  { rows }: RowGroup,
  steps: number,
  parameter: Float64Array,
  choose: Choice,
  slice: Slice,
): Promise<Row[]> {
  const results = new Map<number, Row>();
  for (let step = 0; step < steps; step++) {
    if (slice.isOver()) await slice.next();
    for (const index of choose(rows, step, parameter[step]!)) {
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

/** The rows with the largest numbers, or the smallest ones; NaN comes last, and of equal numbers the earlier row first. */
function best(isBefore: (a: number, b: number) => boolean): Choice {
  return (rows, step, parameter) => {
    const most = Math.min(Math.trunc(parameter), rows.length);
    const indexes: number[] = [];
    if (most < 1) return indexes;
    const values = (index: number): number => rows[index]!.values[step]!;
    const precedes = (a: number, b: number): boolean => isBefore(a, b) || (Number.isNaN(b) && !Number.isNaN(a));
    for (const [index, { present }] of rows.entries()) {
      if (present[step] !== floatSample) continue;
      const value = values(index);
      if (indexes.length === most && !precedes(value, values(indexes[most - 1]!))) continue;
      let low = 0;
      let high = indexes.length;
      while (low < high) {
        const middle = (low + high) >> 1;
        if (precedes(value, values(indexes[middle]!))) high = middle;
        else low = middle + 1;
      }
      indexes.splice(low, 0, index);
      if (indexes.length > most) indexes.pop();
    }
    return indexes;
  };
}

function presentIndexes(rows: readonly Row[], step: number): number[] {
  return rows.flatMap(({ present }, index) => (present[step] === absentSample ? [] : [index]));
}

const choices = {
  topk: best((a, b) => a > b),
  bottomk: best((a, b) => a < b),
  limitk: ((rows, step, parameter) =>
    presentIndexes(rows, step).slice(0, Math.max(0, Math.trunc(Math.min(parameter, rows.length))))) as Choice,
  limit_ratio: ((rows, step, parameter) => {
    const ratio = Math.min(1, Math.max(-1, parameter));
    return presentIndexes(rows, step).filter((index) => {
      const place = placeOf(rows[index]!);
      return ratio >= 0 ? place < ratio : place >= 1 + ratio;
    });
  }) as Choice,
};

/** A number from 0 up to but without 1 that the labels of a series alone decide. */
function placeOf({ labels }: Row): number {
  return Number.parseInt(hash('md5', labels.key).slice(0, 12), 16) / 2 ** 48;
}
