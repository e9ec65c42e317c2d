import type { Evaluator } from './evaluator.js';
import { gridRows, isGridFunction } from './grids.js';
import { absentLabels } from './label-functions.js';
import { nameLabel, noLabels } from './label-set.js';
import { quotedText } from './language/literals.js';
import type { CallExpr, Expr, MatrixSelector, SubqueryExpr } from './language/tree.js';
import { rangeFunctions } from './range-functions.js';
import { rangeOf, selectRange } from './ranges.js';
import { floatSample, hasSamples, invertedRows, type Row, RowSlab, relabelled, requireDistinct } from './rows.js';
import type { Steps } from './source.js';
import { stepTime } from './steps.js';
import { Notes, WindowWalk } from './windows.js';

/** Samples that functions compute with between two looks at the clock. */
const samplesBetweenLooks = 20_000;

/** Functions whose result is a sample as it is, so that it has the name of the metric. */
const keepingName: ReadonlySet<string> = new Set(['last_over_time', 'first_over_time']);

/** A function over a range vector, which is one of its arguments. */
export async function overWindows(
  { signature: { name } }: CallExpr,
  args: readonly Expr[],
  ranged: MatrixSelector | SubqueryExpr,
  steps: Steps,
  evaluator: Evaluator,
): Promise<Row[]> {
  const { annotations } = evaluator.context;
  const scalars: Float64Array[] = [];
  for (const arg of args) if (arg !== ranged) scalars.push(await evaluator.scalar(arg, steps));
  const notes = new Notes(annotations, ranged.span, args[0]!.span);
  const rows =
    (await fromGrid(name, ranged, steps, evaluator)) ??
    (await fromSamples(name, ranged, scalars, notes, steps, evaluator));
  if (name === 'rate' || name === 'increase') for (const row of rows) noteGauge(row, args[0]!, evaluator);
  if (name === 'absent_over_time') {
    const labels = ranged.kind === 'matrix' ? absentLabels(ranged.selector.matchers) : noLabels;
    return invertedRows(rows, labels, steps.count);
  }
  const results = keepingName.has(name) ? rows : rows.map((row) => relabelled(row, row.labels.unnamed));
  requireDistinct(results);
  return results;
}

/** The rows as the source computes them, if it does. */
async function fromGrid(
  name: string,
  ranged: MatrixSelector | SubqueryExpr,
  steps: Steps,
  evaluator: Evaluator,
): Promise<Row[] | undefined> {
  if (ranged.kind !== 'matrix' || !isGridFunction(name)) return undefined;
  return gridRows(name, ranged.selector, rangeOf(ranged, evaluator.context), steps, evaluator);
}

/** The rows as they come of the samples, with the labels of the series. */
async function fromSamples(
  name: string,
  ranged: MatrixSelector | SubqueryExpr,
  scalars: readonly Float64Array[],
  notes: Notes,
  steps: Steps,
  evaluator: Evaluator,
): Promise<Row[]> {
  const { budget } = evaluator.context;
  const { slice } = evaluator;
  const { pieces, ends, rangeMs } = selectRange(ranged, steps, evaluator);
  const compute = rangeFunctions.get(name)!;
  const times = new Float64Array(steps.count);
  for (let step = 0; step < steps.count; step++) times[step] = stepTime(steps, step);
  const rows: Row[] = [];
  const slab = new RowSlab(steps.count);
  let work = 0;
  for await (const piece of pieces) {
    for (const each of piece) {
      budget.hold(steps.count);
      const row = slab.row(each.labels);
      const walk = new WindowWalk(each, { ends, times, rangeMs }, scalars, notes);
      for (let step = 0; step < steps.count; step++) {
        work += 1 + walk.compute(step, compute, row);
        if (work < samplesBetweenLooks) continue;
        work = 0;
        if (!slice.isOver()) continue;
        await slice.next();
        budget.signal.throwIfAborted();
      }
      if (hasSamples(row)) rows.push(row);
    }
  }
  return rows;
}

/** Says that a name is not one of a counter. */
function noteGauge({ labels, present }: Row, arg: Expr, { context }: Evaluator): void {
  const name = labels.get(nameLabel);
  if (name === '' || /_(?:total|sum|count|bucket)$/.test(name) || !present.includes(floatSample)) return;
  const text = 'metric might not be a counter, name does not end in _total/_sum/_count/_bucket:';
  context.annotations.inform(`${text} ${quotedText(name)}`, arg.span);
}
