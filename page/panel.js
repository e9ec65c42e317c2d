import { h, put, say } from './dom.js';
import { count, shownNumber } from './format.js';
import { plot } from './plot.js';
import { evaluate, newestRows, seriesRows } from './promql.js';
import { stepsOf } from './promql-result.js';
import { usesRange } from './range.js';
import { rowsTable } from './rows-table.js';
import { columnsOf } from './schema.js';
import { Trouble } from './session.js';
import { runSql } from './sql.js';
import { onlyReads, splitStatements } from './statement-text.js';
import { withVariables } from './variables.js';

/** @typedef {import('./plot.js').GraphType | 'table'} Graph */
/**
 * @typedef {object} Panel one picture of a dashboard
 * @property {string} title
 * @property {import('./editor.js').Language} language
 * @property {string} query
 * @property {string} database empty if the query names its databases
 * @property {Graph} graph
 * @property {string} [unit] left out, what the names of columns say
 * @property {boolean} [log] whether the axis of values is logarithmic
 * @property {number} width columns of twelve
 * @property {number} height rows of {@link rowPx}
 */
/** @typedef {ReturnType<typeof import('./range.js').rangePicker>} Range */
/**
 * @typedef {object} Result what a panel shows
 * @property {import('./sql.js').Rows} rows over time
 * @property {import('./sql.js').Rows} [newest] the values of now, where the query gives them apart
 * @property {import('./plot.js').PlotOptions} options
 */

/** Height of a row of the grid, and of what a panel has beside its plot, in pixels. */
const [rowPx, besidePlotPx] = [80, 130];

/**
 * A panel, which is empty until it runs. `actions` stand beside its title.
 * @param {Panel} panel
 * @param {Range} range
 * @param {(error: unknown) => void} failed
 * @param {HTMLElement[]} actions
 */
export function panelCard(panel, range, failed, actions) {
  const place = h('div', { class: 'panel-place' });
  const wrong = h('p', { class: 'outcome error', role: 'status', hidden: true });
  const title = panel.title === '' ? 'Panel' : panel.title;
  const element = h(
    'section',
    { class: 'card dashboard-panel', 'aria-label': title },
    h('div', { class: 'panel-head' }, h('h2', {}, title), actions),
    wrong,
    place,
  );
  element.style.gridColumn = `span ${panel.width}`;
  element.style.gridRow = `span ${panel.height}`;
  /** @type {AbortController | undefined} */
  let running;
  let stop = () => {};
  const complain = (/** @type {string} */ words) => {
    wrong.hidden = words === '';
    say(wrong, words);
  };
  return {
    element,
    /** Runs the query with the values of variables and draws its result. Not while it runs with the same values. */
    run: async (/** @type {import('./variables.js').Values} */ values) => {
      running?.abort();
      const mine = new AbortController();
      running = mine;
      element.setAttribute('aria-busy', 'true');
      try {
        const result = await resultOf(panel, range, values, mine.signal);
        if (running !== mine) return;
        stop();
        stop = draw(place, panel, result);
        complain('');
      } catch (error) {
        if (running !== mine) return;
        if (!(error instanceof Trouble)) throw error;
        if (error.reason === 'password') return failed(error);
        // What is drawn is of another query, or of another time.
        if (!error.isTransient) {
          stop();
          stop = () => {};
          put(place);
        }
        complain(error.message);
      } finally {
        if (running === mine) {
          running = undefined;
          element.removeAttribute('aria-busy');
        }
      }
    },
    get isRunning() {
      return running !== undefined;
    },
    stop: () => {
      running?.abort();
      running = undefined;
      stop();
    },
  };
}

/**
 * @param {Panel} panel
 * @param {Range} range
 * @param {import('./variables.js').Values} values
 * @param {AbortSignal} signal
 * @returns {Promise<Result>}
 */
async function resultOf({ language, query, database, title }, range, values, signal) {
  if (query.trim() === '') throw new Trouble('refused', 'This panel has no query yet.');
  if (language === 'promql') {
    const expression = withVariables(query, 'promql', values);
    const steps = stepsOf(range);
    const { range: over, newest } = await evaluate(expression, database, steps, signal);
    const options = {
      range: /** @type {const} */ ([steps.startMs / 1000, steps.endMs / 1000]),
      step: steps.stepMs / 1000,
    };
    return { rows: seriesRows(over, title === '' ? expression : title), newest: newestRows(newest), options };
  }
  const statement = readingStatement(query, range, values);
  const ends = usesRange(query) ? range.ends() : undefined;
  const [rows, known] = await Promise.all([runSql(statement, database, signal), columnsOf(statement, database)]);
  return { rows, options: { statement, known, ...(ends === undefined ? {} : { range: ends }) } };
}

/**
 * The one statement of a panel or a list, as it is sent. Others may have written it, so it must read: it runs with the
 * rights of whoever looks at it. The time range goes in first, because a value of a variable is a text whatever it holds.
 * @param {string} query
 * @param {Range} range
 * @param {import('./variables.js').Values} values
 */
export function readingStatement(query, range, values) {
  const statement = withVariables(range.fill(query), 'sql', values);
  const [only, ...others] = splitStatements(statement);
  if (only === undefined || others.length > 0) throw new Trouble('refused', 'A panel takes one statement.');
  if (!onlyReads(only.text)) throw new Trouble('refused', 'A panel takes only statements that read, such as SELECT.');
  return only.text;
}

/**
 * Draws a result; gives what frees it.
 * @param {HTMLElement} place
 * @param {Panel} panel
 * @param {Result} result
 * @returns {() => void}
 */
function draw(place, { title, graph, height, unit = '', log = false }, { rows, newest, options }) {
  if (rows.data.length === 0 && (newest?.data.length ?? 0) === 0) {
    put(place, h('p', { class: 'muted' }, 'No rows in the time range.'));
    return () => {};
  }
  if (graph !== 'table') {
    const drawing = h('div', {});
    const drawn = plot(drawing, rows.columns, rows.data, {
      ...options,
      type: graph,
      log,
      heightPx: Math.max(rowPx, height * rowPx - besidePlotPx),
      ...(unit === '' ? {} : { unit }),
    });
    if (drawn !== undefined) {
      const { shown, lines, notes, stop } = drawn;
      const few = shown < lines.length ? [`${shown} of ${count(lines.length)} lines are shown.`] : [];
      const words = [...few, ...notes].join(' ');
      put(place, drawing, words === '' ? null : h('p', { class: 'muted' }, words));
      return stop;
    }
    if (graph === 'values') {
      put(place, lastValues(newest ?? rows, unit));
      return () => {};
    }
  }
  put(place, rowsTable(newest ?? rows, title === '' ? 'Rows' : title));
  return () => {};
}

/**
 * The numbers of the last row, in large: of rows without times.
 * @param {import('./sql.js').Rows} rows
 * @param {string} unit
 */
function lastValues({ columns, data }, unit) {
  const row = data.at(-1) ?? [];
  const shown = columns.flatMap(({ name, isNumber }, at) => (isNumber ? [{ name, value: row[at] ?? null }] : []));
  const words = (/** @type {unknown} */ value) =>
    value === null
      ? 'NULL'
      : `${typeof value === 'number' ? shownNumber(value) : value}${unit === '' ? '' : ` ${unit}`}`;
  return h(
    'dl',
    { class: 'totals newest-values' },
    shown.map(({ name, value }) => h('div', {}, h('dt', {}, name), h('dd', {}, words(value)))),
  );
}
