import { drawnCard } from './drawn-card.js';
import { maxWindows, windowSeconds } from './explore-sql.js';
import { measure } from './format.js';
import { evaluate, newestRows, seriesRows } from './promql.js';
import { Trouble } from './session.js';

/**
 * An expression of PromQL with its result: the plot over a time range, the newest values and their downloads.
 * @param {string} expression
 * @param {string} database
 * @param {{ value: string; span: () => number | undefined }} range
 */
export function promqlCard(expression, database, range) {
  return drawnCard(async (signal) => {
    const steps = stepsOf(range);
    const { range: over, newest, warnings } = await evaluate(expression, database, steps, signal);
    const latest = newestRows(newest);
    const series = over.resultType === 'matrix' ? over.result.length : latest.data.length;
    return {
      words: `${measure(series)} series`,
      isEmpty: series === 0,
      notes: warnings,
      rows: seriesRows(over, expression),
      newest: latest,
      plot: { range: [steps.startMs / 1000, steps.endMs / 1000], step: steps.stepMs / 1000 },
    };
  });
}

/**
 * The ends of a time range and the steps between them; steps lie at multiples of their length, so that a refresh moves none.
 * @param {{ value: string; span: () => number | undefined }} range
 */
export function stepsOf({ value, span }) {
  const rangeMs = span();
  if (rangeMs === undefined)
    throw new Trouble('refused', 'PromQL needs a time range with a beginning and an end: choose one.');
  const [, end] = value.split(',');
  const endMs = end === undefined ? Date.now() : Date.parse(end);
  const stepMs = windowSeconds(rangeMs, maxWindows) * 1000;
  return { startMs: Math.ceil((endMs - rangeMs) / stepMs) * stepMs, endMs, stepMs };
}
