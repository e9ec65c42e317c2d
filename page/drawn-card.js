import { h, put, say } from './dom.js';
import { duration } from './format.js';
import { picture } from './picture.js';
import { downloads } from './result.js';
import { rowsTable } from './rows-table.js';

/**
 * @typedef {object} Drawable
 * @property {string} words what came, such as `2 series`
 * @property {boolean} isEmpty
 * @property {string[]} [notes] of the evaluation
 * @property {import('./sql.js').Rows} rows that are drawn; they are listed on demand
 * @property {import('./plot.js').PlotOptions} plot how they are drawn
 * @property {import('./sql.js').Rows} [newest] rows that are listed below the plot
 */

/**
 * A card of rows that are loaded in another way than by one statement, with the interface of the card of a statement: the plot,
 * the newest values, and all rows on demand.
 * @param {(signal: AbortSignal) => Promise<Drawable>} load
 */
export function drawnCard(load) {
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
    /** True after a result without rows. */
    get isEmpty() {
      return isEmpty;
    },
    leave: () => {},
    /**
     * Loads and draws; throws a Trouble when it fails, after the card shows the reason.
     * @param {AbortSignal} signal
     */
    run: async (signal) => {
      const began = performance.now();
      outcome.className = 'outcome';
      say(outcome, 'Running…');
      try {
        const loaded = await load(signal);
        clear();
        isEmpty = loaded.isEmpty;
        const words = `${loaded.words} in ${duration(performance.now() - began)}`;
        const all = isEmpty ? `${words}. There are none in the time range.` : words;
        say(outcome, [all, ...(loaded.notes ?? [])].join(' · '));
        const drawn = picture(loaded.rows, loaded.plot);
        if (drawn !== undefined) stop = drawn.stop;
        put(
          body,
          drawn?.element,
          ...(loaded.newest === undefined || isEmpty ? [] : listed(loaded.newest)),
          drawn === undefined ? null : onDemand(loaded.rows),
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

/** @param {import('./sql.js').Rows} rows */
function listed(rows) {
  if (rows.data.length === 0)
    return [h('p', { class: 'muted' }, 'No series has a value at the end of the time range.')];
  return [h('h2', {}, 'Newest values'), downloads(rows), rowsTable(rows, 'Newest values')];
}

/** @param {import('./sql.js').Rows} rows */
function onDemand(rows) {
  const details = h('details', {}, h('summary', {}, 'Rows'));
  details.addEventListener('toggle', () => details.append(downloads(rows), rowsTable(rows, 'Rows')), { once: true });
  return details;
}
