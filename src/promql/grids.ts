import type { Evaluator } from './evaluator.js';
import { LabelSet, nameLabel } from './label-set.js';
import type { VectorSelector } from './language/tree.js';
import { lookTimes } from './ranges.js';
import { hasSamples, type Row } from './rows.js';
import type { GridFunction, Steps } from './source.js';

const gridFunctions: ReadonlySet<string> = new Set<GridFunction>([
  'last_over_time',
  'rate',
  'increase',
  'delta',
  'irate',
  'idelta',
  'resets',
]);

/**
 * Milliseconds of samples for each step from which on a source is worth the request: reading a few samples and
 * computing here takes less time than the functions of the engine.
 */
const leastMsByStep = 60_000;

/** True for a function over windows that a source may compute. */
export function isGridFunction(name: string): name is GridFunction {
  return gridFunctions.has(name);
}

/**
 * The rows of a function over windows as the source computes them, with the labels of the series; undefined when it
 * does not, so that the caller reads samples.
 */
export async function gridRows(
  name: GridFunction,
  selector: VectorSelector,
  windowMs: number,
  steps: Steps,
  { context, slice }: Evaluator,
): Promise<Row[] | undefined> {
  const { source, budget } = context;
  const isOfOneMetric = selector.matchers.some((matcher) => matcher.name === nameLabel && matcher.kind === 'equal');
  const msByStep = (windowMs + (steps.count - 1) * steps.stepMs) / steps.count;
  if (source.grid === undefined || !isOfOneMetric || msByStep < leastMsByStep) return undefined;
  const ends = lookTimes(selector, steps, context);
  const offsetMs = steps.startMs - ends[0]!;
  if (steps.count > 1 && ends[1] === ends[0]) return undefined;
  const grid = await source.grid({ matchers: selector.matchers, steps, windowMs, offsetMs, function: name }, budget);
  if (grid === undefined) return undefined;
  const rows: Row[] = [];
  for (const [i, labels] of grid.labels.entries()) {
    if (slice.isOver()) await slice.next();
    const values = grid.values.subarray(i * steps.count, (i + 1) * steps.count);
    const present = grid.present.subarray(i * steps.count, (i + 1) * steps.count);
    const row = { labels: new LabelSet(labels), values, present, histograms: undefined };
    if (hasSamples(row)) rows.push(row);
  }
  return rows;
}
