import type { Slice } from '../async/slice.js';
import type { Annotations } from './annotations.js';
import { ExactMean } from './exact-sum.js';
import { compacted, divided, histogramText } from './histogram-math.js';
import { sumOfHistograms } from './histogram-windows.js';
import { type LabelSet, nameLabel } from './label-set.js';
import { plainNumber } from './language/literals.js';
import type { AggregateExpr, AggregateOperator } from './language/tree.js';
import type { NativeHistogram } from './native-histogram.js';
import { quantileOf } from './quantile.js';
import {
  absentSample,
  emptyRow,
  floatSample,
  hasSamples,
  histogramSample,
  type Row,
  RowSet,
  setFloat,
  setHistogram,
} from './rows.js';

/** The labels of the group of a series. */
function groupLabels({ labels, isWithout }: AggregateExpr, extra?: string): (labels: LabelSet) => LabelSet {
  const names = new Set(labels);
  if (isWithout) {
    names.add(nameLabel);
    return (set) => set.without(names);
  }
  if (extra !== undefined) names.add(extra);
  return (set) => set.only(names);
}

/** Rows of one group. */
export interface RowGroup {
  readonly labels: LabelSet;
  readonly rows: Row[];
}

/** Rows by group, in the order in which groups come. */
export function groupsOf(expr: AggregateExpr, rows: readonly Row[]): RowGroup[] {
  const labelsOf = groupLabels(expr);
  const groups = new Map<string, RowGroup>();
  for (const row of rows) {
    const labels = labelsOf(row.labels);
    const group = groups.get(labels.key) ?? { labels, rows: [] };
    groups.set(labels.key, group);
    group.rows.push(row);
  }
  return [...groups.values()];
}

/** What an aggregation does with the numbers of a group. */
type Collector = (group: RowGroup, result: Row, parameter: Float64Array | undefined) => void;

/** Calls for each number of the rows, row after row. */
function eachNumber({ rows }: RowGroup, visit: (value: number, step: number) => void): void {
  for (const { present, values } of rows) {
    for (let step = 0; step < present.length; step++) if (present[step] === floatSample) visit(values[step]!, step);
  }
}

function extreme(beats: (value: number, best: number) => boolean): Collector {
  return (group, result) =>
    eachNumber(group, (value, step) => {
      const best = result.values[step]!;
      if (result.present[step] === absentSample || beats(value, best) || Number.isNaN(best))
        setFloat(result, step, value);
    });
}

/** The column of one step of a group: its numbers in the order of the rows. */
function numbersAt(rows: readonly Row[], step: number, buffer: Float64Array): Float64Array {
  let count = 0;
  for (const { present, values } of rows) if (present[step] === floatSample) buffer[count++] = values[step]!;
  return buffer.subarray(0, count);
}

/** Aggregates step by step with what a step has. */
function byStep(
  compute: (numbers: Float64Array, step: number, parameter: Float64Array | undefined) => number,
): Collector {
  return ({ rows }, result, parameter) => {
    const buffer = new Float64Array(rows.length);
    for (let step = 0; step < result.values.length; step++) {
      const numbers = numbersAt(rows, step, buffer);
      if (numbers.length > 0) setFloat(result, step, compute(numbers, step, parameter));
    }
  };
}

function variance(numbers: Float64Array): number {
  const first = numbers[0]!;
  let sum = Number.isFinite(first) ? 0 : Number.NaN;
  let mean = first;
  for (let i = 1; i < numbers.length; i++) {
    const difference = numbers[i]! - mean;
    mean += difference / (i + 1);
    sum += difference * (numbers[i]! - mean);
  }
  return sum / numbers.length;
}

const exactMean = new ExactMean();

/**
 * Adds the numbers of rows step by step, row after row as they lie in memory, with what rounding loses (Neumaier's
 * sum).
 */
function addRows({ rows }: RowGroup, sums: Float64Array, lost: Float64Array, counts: Uint32Array): void {
  for (const { present, values } of rows) {
    for (let step = 0; step < sums.length; step++) {
      if (present[step] !== floatSample) continue;
      const value = values[step]!;
      const sum = sums[step]!;
      const total = counts[step]!++ === 0 ? value : sum + value;
      if (total === Number.POSITIVE_INFINITY || total === Number.NEGATIVE_INFINITY) lost[step] = 0;
      else if (Math.abs(sum) >= Math.abs(value)) lost[step]! += sum - total + value;
      else lost[step]! += value - total + sum;
      sums[step] = total;
    }
  }
}

const sum: Collector = (group, result) => {
  const steps = result.values.length;
  const [lost, counts] = [new Float64Array(steps), new Uint32Array(steps)];
  addRows(group, result.values, lost, counts);
  for (let step = 0; step < steps; step++)
    if (counts[step] !== 0) setFloat(result, step, result.values[step]! + lost[step]!);
};

const average: Collector = (group, result) => {
  const steps = result.values.length;
  const [lost, counts] = [new Float64Array(steps), new Uint32Array(steps)];
  addRows(group, result.values, lost, counts);
  let buffer: Float64Array | undefined;
  for (let step = 0; step < steps; step++) {
    const count = counts[step]!;
    const total = result.values[step]!;
    if (count === 0) continue;
    if (Number.isFinite(total)) {
      setFloat(result, step, total / count + lost[step]! / count);
      continue;
    }
    // The sum may be too large where the mean is not.
    buffer ??= new Float64Array(group.rows.length);
    setFloat(result, step, meanOf(numbersAt(group.rows, step, buffer)));
  }
};

function meanOf(numbers: Float64Array): number {
  exactMean.reset();
  for (const number of numbers) exactMean.add(number);
  return exactMean.mean;
}

const counted: Collector = ({ rows }, result) => {
  for (const { present } of rows) {
    for (let step = 0; step < present.length; step++) {
      if (present[step] !== absentSample) setFloat(result, step, result.values[step]! + 1);
    }
  }
};

const grouped: Collector = ({ rows }, result) => {
  for (const { present } of rows)
    for (let step = 0; step < present.length; step++) if (present[step] !== absentSample) setFloat(result, step, 1);
};

const collectors: Partial<Readonly<Record<AggregateOperator, Collector>>> = {
  sum,
  avg: average,
  min: extreme((value, best) => value < best),
  max: extreme((value, best) => value > best),
  count: counted,
  group: grouped,
  stdvar: byStep(variance),
  stddev: byStep((numbers) => Math.sqrt(variance(numbers))),
  quantile: byStep((numbers, step, parameter) => quantileOf(parameter![step]!, numbers)),
};

/** Aggregations that cannot take histograms and leave them out. */
const ofNumbersOnly: ReadonlySet<AggregateOperator> = new Set(['min', 'max', 'stdvar', 'stddev', 'quantile']);

/** Aggregates rows by group: `sum`, `avg`, `min`, `max`, `count`, `group`, `stddev`, `stdvar`, `quantile`. */
export async function aggregate(
  expr: AggregateExpr,
  rows: readonly Row[],
  steps: number,
  parameter: Float64Array | undefined,
  annotations: Annotations,
  slice: Slice,
): Promise<Row[]> {
  const { operator } = expr;
  if (operator === 'quantile' && parameter !== undefined) warnOfQuantiles(parameter, expr, annotations);
  const hasHistograms = rows.some(({ histograms }) => histograms !== undefined);
  if (hasHistograms && ofNumbersOnly.has(operator))
    annotations.inform(`ignored histogram in ${operator} aggregation`, expr.expr.span);
  const results: Row[] = [];
  for (const group of groupsOf(expr, rows)) {
    if (slice.isOver()) await slice.next();
    const result = emptyRow(group.labels, steps);
    collectors[operator]!(group, result, parameter);
    if (hasHistograms && (operator === 'sum' || operator === 'avg')) addHistograms(expr, group, result, annotations);
    if (hasSamples(result)) results.push(result);
  }
  return results;
}

function warnOfQuantiles(parameter: Float64Array, { parameter: expr }: AggregateExpr, annotations: Annotations): void {
  const wrong = new Set(parameter.filter((quantile) => !(quantile >= 0 && quantile <= 1)));
  for (const quantile of wrong)
    annotations.warn(`quantile value should be between 0 and 1, got ${goNumber(quantile)}`, expr!.span);
}

/** A number as messages show it. */
export function goNumber(value: number): string {
  return Number.isFinite(value) ? String(value) : plainNumber(value);
}

/** Sums or averages histograms; a step with histograms and numbers has no result. */
function addHistograms(expr: AggregateExpr, { rows }: RowGroup, result: Row, annotations: Annotations): void {
  const { span } = expr.expr;
  for (let step = 0; step < result.values.length; step++) {
    const withHistogram = rows.filter(({ present }) => present[step] === histogramSample);
    if (withHistogram.length === 0) continue;
    if (result.present[step] === floatSample) {
      annotations.warn('encountered a mix of histograms and floats for aggregation', span);
      result.present[step] = absentSample;
      continue;
    }
    const histograms = withHistogram.map((row): NativeHistogram => row.histograms![step]!);
    const sum = sumOfHistograms(
      histograms,
      () => annotations.warn('conflicting counter resets during histogram aggregation', span),
      () => annotations.inform('mismatched custom buckets were reconciled during aggregation', span),
    );
    if (sum === undefined) {
      const name = JSON.stringify(withHistogram[0]!.labels.get(nameLabel));
      const text = 'vector contains a mix of histograms with exponential and custom buckets schemas for metric name';
      annotations.warn(`${text} ${name}`, span);
      continue;
    }
    setHistogram(result, step, compacted(expr.operator === 'avg' ? divided(sum, histograms.length) : sum));
  }
}

/** `count_values`: how many series have each value. */
export async function countValues(
  expr: AggregateExpr,
  label: string,
  rows: readonly Row[],
  steps: number,
  onRow: () => void,
  slice: Slice,
): Promise<Row[]> {
  const labelsOf = groupLabels(expr, label);
  const results = new RowSet(steps);
  for (const row of rows) {
    if (slice.isOver()) await slice.next();
    const byValue = new Map<string, Row>();
    for (let step = 0; step < steps; step++) {
      const kind = row.present[step];
      if (kind === absentSample) continue;
      const text = kind === floatSample ? plainNumber(row.values[step]!) : histogramText(row.histograms![step]!);
      let result = byValue.get(text);
      if (result === undefined) {
        onRow();
        result = results.row(labelsOf(row.labels.with(label, text)));
        byValue.set(text, result);
      }
      setFloat(result, step, result.values[step]! + 1);
    }
  }
  return results.rows();
}
