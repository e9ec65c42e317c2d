import { h, put, say } from './dom.js';
import { maxWindows, windowSeconds } from './explore-sql.js';
import { duration, measure } from './format.js';
import { picture } from './picture.js';
import { evaluate, newestRows, seriesRows } from './promql.js';
import { downloads } from './result.js';
import { rowsTable } from './rows-table.js';
import { Trouble } from './session.js';

/**
 * An expression of PromQL with its result: the plot over a time range, the newest values and their downloads. It has the
 * interface of the card of a statement.
 * @param {string} expression
 * @param {string} database
 * @param {{ value: string; span: () => number | undefined }} range
 */
export function promqlCard(expression, database, range) {
  const outcome = h('p', { class: 'outcome', role: 'status' });
  const body = h('div', {});
  const element = h('section', { class: 'result', 'aria-label': 'Result' }, outcome, body);
  let stop = () => {};
  let isEmpty = false;
  const clear = () => {
    stop();
    stop = () => {};
    put(body);
  };
  return {
    element,
    stop: () => stop(),
    /** True after a result without series. */
    get isEmpty() {
      return isEmpty;
    },
    leave: () => {},
    /**
     * Runs the expression; throws a Trouble when it fails, after the card shows the reason.
     * @param {AbortSignal} signal
     */
    run: async (signal) => {
      const began = performance.now();
      outcome.className = 'outcome';
      say(outcome, 'Running…');
      try {
        const steps = stepsOf(range);
        const { range: over, newest, warnings } = await evaluate(expression, database, steps, signal);
        clear();
        const latest = newestRows(newest);
        const drawable = seriesRows(over, expression);
        const series = over.resultType === 'matrix' ? over.result.length : latest.data.length;
        isEmpty = series === 0;
        const words = `${measure(series)} series in ${duration(performance.now() - began)}`;
        say(outcome, [isEmpty ? `${words}. There are none in the time range.` : words, ...warnings].join(' · '));
        const drawn = picture(drawable, {
          range: [steps.startMs / 1000, steps.endMs / 1000],
          step: steps.stepMs / 1000,
        });
        if (drawn !== undefined) stop = drawn.stop;
        put(
          body,
          drawn?.element,
          ...(latest.data.length === 0
            ? []
            : [h('h2', {}, 'Newest values'), downloads(latest), rowsTable(latest, 'Newest values')]),
          drawn === undefined ? null : samples(drawable),
        );
      } catch (error) {
        clear();
        outcome.className = 'outcome error';
        say(outcome, error instanceof Error ? error.message : String(error));
        throw error;
      }
    },
  };
}

/**
 * All samples, which are listed on demand.
 * @param {import('./sql.js').Rows} rows
 */
function samples(rows) {
  const details = h('details', {}, h('summary', {}, 'Rows'));
  details.addEventListener('toggle', () => details.append(downloads(rows), rowsTable(rows, 'Rows')), { once: true });
  return details;
}

/**
 * The ends of a time range and the steps between them; steps lie at multiples of their length, so that a refresh moves none.
 * @param {{ value: string; span: () => number | undefined }} range
 */
function stepsOf({ value, span }) {
  const rangeMs = span();
  if (rangeMs === undefined)
    throw new Trouble('refused', 'PromQL needs a time range with a beginning and an end: choose one.');
  const [, end] = value.split(',');
  const endMs = end === undefined ? Date.now() : Date.parse(end);
  const stepMs = windowSeconds(rangeMs, maxWindows) * 1000;
  return { startMs: Math.ceil((endMs - rangeMs) / stepMs) * stepMs, endMs, stepMs };
}
