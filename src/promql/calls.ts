import { constantRow, type Evaluator, scalarRow, textOf } from './evaluator.js';
import { ofHistograms } from './histogram-calls.js';
import { infoSelectors, withInfo } from './info.js';
import { absentLabels, joinLabels, replaceLabels, sortedByLabels, sortedByValue } from './label-functions.js';
import { noLabels } from './label-set.js';
import { bare, type CallExpr, type Expr, type VectorSelector } from './language/tree.js';
import { dateFunctions, mappedRow, numberFunctions, ofSeconds } from './number-functions.js';
import { overWindows } from './over-windows.js';
import { lookTimes, selectInstant } from './ranges.js';
import { absentSample, emptyRow, floatSample, hasSamples, invertedRows, merged, type Row, setFloat } from './rows.js';
import type { Steps } from './source.js';
import { stepTime } from './steps.js';

/** Arguments without the parentheses around them, and the call. */
interface Call {
  readonly expr: CallExpr;
  readonly args: readonly Expr[];
  readonly steps: Steps;
  readonly evaluator: Evaluator;
}

/** Evaluates the call of a function. */
export async function evaluateCall(expr: CallExpr, steps: Steps, evaluator: Evaluator): Promise<Row[]> {
  const { name } = expr.signature;
  const args = expr.args.map(bare);
  const call = { expr, args, steps, evaluator };
  const ranged = args.find((arg) => arg.kind === 'matrix' || arg.kind === 'subquery');
  if (ranged !== undefined) return overWindows(expr, args, ranged, steps, evaluator);
  const compute = numberFunctions.get(name);
  if (compute !== undefined) return mapped(call, compute);
  const date = dateFunctions.get(name);
  if (date !== undefined) {
    const ofNumber = ofSeconds(date);
    return args.length === 0 ? [scalarRow(steps, (ms) => ofNumber(Math.trunc(ms / 1000)))] : mapped(call, ofNumber);
  }
  if (name.startsWith('histogram_')) return ofHistograms(name, args, steps, evaluator);
  return specials[name]!(call);
}

/** A function of the numbers of the first argument. */
async function mapped(
  { args, steps, evaluator }: Call,
  compute: (value: number, step: number) => number,
): Promise<Row[]> {
  const rows = await evaluator.rows(args[0]!, steps);
  return merged(rows.map((row) => mappedRow(row, compute)).filter(hasSamples), steps.count);
}

/** Functions that are like no other, by their names. */
const specials: Readonly<Record<string, (call: Call) => Promise<Row[]>>> = {
  time: async ({ steps }) => [scalarRow(steps, (ms) => ms / 1000)],
  pi: async ({ steps }) => [constantRow(Math.PI, steps.count)],
  start: async ({ steps, evaluator: { context } }) => [constantRow(context.startMs / 1000, steps.count)],
  end: async ({ steps, evaluator: { context } }) => [constantRow(context.endMs / 1000, steps.count)],
  range: async ({ steps, evaluator: { context } }) => [
    constantRow((context.endMs - context.startMs) / 1000, steps.count),
  ],
  step: async ({ steps, evaluator: { context } }) => [
    constantRow(context.startMs === context.endMs ? 0 : context.stepMs / 1000, steps.count),
  ],
  vector: ({ args, steps, evaluator }) => evaluator.rows(args[0]!, steps),
  scalar: async ({ args, steps, evaluator }) => [onlyNumbers(await evaluator.rows(args[0]!, steps), steps.count)],
  timestamp: timestamps,
  absent: async ({ args, steps, evaluator }) => {
    const [arg] = args;
    const labels = arg?.kind === 'vector' ? absentLabels(arg.matchers) : noLabels;
    return invertedRows(await evaluator.rows(arg!, steps), labels, steps.count);
  },
  round: async (call) => {
    const [, second] = call.args;
    const nearest = second === undefined ? undefined : await call.evaluator.scalar(second, call.steps);
    return mapped(call, (value, step) => {
      const inverse = 1 / (nearest?.[step] ?? 1);
      return Math.floor(value * inverse + 0.5) / inverse;
    });
  },
  clamp: (call) => clamped(call, call.args[1], call.args[2]),
  clamp_min: (call) => clamped(call, call.args[1], undefined),
  clamp_max: (call) => clamped(call, undefined, call.args[1]),
  max_of: (call) => chosen(call, Math.max),
  min_of: (call) => chosen(call, Math.min),
  label_replace: async ({ args, steps, evaluator }) => {
    const [target = '', replacement = '', source = '', pattern = ''] = args.slice(1).map(textOf);
    const rows = await evaluator.rows(args[0]!, steps);
    return merged(replaceLabels(rows, target, replacement, source, pattern), steps.count);
  },
  label_join: async ({ args, steps, evaluator }) => {
    const [target = '', separator = '', ...sources] = args.slice(1).map(textOf);
    return merged(joinLabels(await evaluator.rows(args[0]!, steps), target, separator, sources), steps.count);
  },
  info: withInfoLabels,
  sort: sorted,
  sort_desc: sorted,
  sort_by_label: sorted,
  sort_by_label_desc: sorted,
};

async function clamped(call: Call, least: Expr | undefined, most: Expr | undefined): Promise<Row[]> {
  const { evaluator, steps } = call;
  const lows = least === undefined ? undefined : await evaluator.scalar(least, steps);
  const highs = most === undefined ? undefined : await evaluator.scalar(most, steps);
  const rows = await mapped(call, (value, step) =>
    Math.max(lows?.[step] ?? Number.NEGATIVE_INFINITY, Math.min(highs?.[step] ?? Number.POSITIVE_INFINITY, value)),
  );
  if (lows === undefined || highs === undefined) return rows;
  for (const row of rows) {
    for (let step = 0; step < steps.count; step++) if (highs[step]! < lows[step]!) row.present[step] = absentSample;
  }
  return rows.filter(hasSamples);
}

/** One of two numbers at each step. */
async function chosen({ args, steps, evaluator }: Call, choose: (a: number, b: number) => number): Promise<Row[]> {
  const left = await evaluator.scalar(args[0]!, steps);
  const right = await evaluator.scalar(args[1]!, steps);
  const row = constantRow(0, steps.count);
  for (let step = 0; step < steps.count; step++) row.values[step] = choose(left[step]!, right[step]!);
  return [row];
}

async function timestamps({ args, steps, evaluator }: Call): Promise<Row[]> {
  const arg = args[0]!;
  if (arg.kind === 'vector') {
    const times = lookTimes(arg, steps, evaluator.context);
    const rows = await selectInstant(arg.matchers, times, 'time', evaluator);
    const seconds = rows.map((row) => mappedRow(row, (ms) => ms / 1000));
    return merged(seconds, steps.count);
  }
  const rows = await evaluator.rows(arg, steps);
  const results = rows.map((row) => {
    const result = emptyRow(row.labels.unnamed, steps.count);
    for (let step = 0; step < steps.count; step++)
      if (row.present[step] !== absentSample) setFloat(result, step, stepTime(steps, step) / 1000);
    return result;
  });
  return merged(results, steps.count);
}

async function sorted({ expr, args, steps, evaluator }: Call): Promise<Row[]> {
  const { name } = expr.signature;
  const { startMs, endMs, annotations } = evaluator.context;
  if (startMs !== endMs) {
    const text = 'sort is ineffective for range queries since results are always ordered by labels';
    annotations.warn(text, expr.span);
  }
  const rows = await evaluator.rows(args[0]!, steps);
  const isDescending = name.endsWith('_desc');
  if (name.startsWith('sort_by_label')) return sortedByLabels(rows, args.slice(1).map(textOf), isDescending);
  if (steps.count === 1) return sortedByValue(rows, isDescending);
  return rows.filter(({ present }) => present.includes(floatSample));
}

async function withInfoLabels({ args, steps, evaluator }: Call): Promise<Row[]> {
  const [arg, selector] = args;
  const matchers = selector?.kind === 'vector' ? selector.matchers : [];
  const rows = await evaluator.rows(arg!, steps);
  const times = lookTimes(onlySelector(arg!) ?? unmodified, steps, evaluator.context);
  const infos: Row[] = [];
  for (const each of infoSelectors(rows, matchers))
    infos.push(...(await selectInstant(each, times, 'time', evaluator)));
  return withInfo(rows, infos, matchers, steps.count);
}

const unmodified = { at: undefined, offsetMs: 0, offsetExpr: undefined };

/**
 * The selector whose modifiers say at which time the info series of an expression are read: the only one, if there is
 * one.
 */
function onlySelector(expr: Expr): VectorSelector | undefined {
  const arg = bare(expr);
  if (arg.kind === 'vector') return arg;
  if (arg.kind === 'matrix') return arg.selector;
  if (arg.kind !== 'call' && arg.kind !== 'aggregate' && arg.kind !== 'unary') return undefined;
  const children = arg.kind === 'call' ? arg.args : [arg.expr];
  const selectors = children.map(onlySelector).filter((each) => each !== undefined);
  return selectors.length === 1 ? selectors[0] : undefined;
}

/** The number of each step where exactly one row has one, else NaN. */
function onlyNumbers(rows: readonly Row[], steps: number): Row {
  const result = constantRow(Number.NaN, steps);
  const counts = new Uint32Array(steps);
  for (const { present, values } of rows) {
    for (let step = 0; step < steps; step++) {
      if (present[step] !== floatSample) continue;
      counts[step]!++;
      result.values[step] = counts[step] === 1 ? values[step]! : Number.NaN;
    }
  }
  return result;
}
