import { copyText } from './copy.js';
import { h, put, say, toast } from './dom.js';
import { save, toCsv, toJson } from './download.js';
import { duration, measure } from './format.js';
import { picture } from './picture.js';
import { rowsTable, toTsv } from './rows-table.js';
import { columnsOf } from './schema.js';
import { runSql } from './sql.js';

/**
 * One statement with its result: what came of it, the plot, the rows and their downloads.
 * @param {string} statement as it is sent
 * @param {string} database
 * @param {string} title shown above, where there are several
 * @param {{ folded?: boolean; range?: import('./time-plot.js').Ends }} [options] `folded`: the rows of a picture are unfolded on
 *   demand; `range`: the time range that it reads, in Unix seconds, which may be why there are no rows
 */
export function resultCard(statement, database, title, { folded = false, range } = {}) {
  const outcome = h('p', { class: 'outcome', role: 'status' });
  const body = h('div', {});
  const element = h(
    'section',
    { class: 'result', 'aria-label': title === '' ? 'Result' : title },
    title === '' ? null : h('h2', { class: 'statement-text' }, title),
    outcome,
    body,
  );
  let stop = () => {};
  let isEmpty = false;
  return {
    element,
    stop: () => stop(),
    /** True once it was answered without rows. */
    get isEmpty() {
      return isEmpty;
    },
    /** Says that an earlier statement stood in the way of this one. */
    leave: () => say(outcome, 'Not run, because the statement before it failed.'),
    /**
     * Runs the statement; throws a Trouble when it fails, after it has said so.
     * @param {AbortSignal} signal
     */
    run: async (signal) => {
      const began = performance.now();
      outcome.className = 'outcome';
      say(outcome, 'Running…');
      try {
        const [rows, known] = await Promise.all([runSql(statement, database, signal), columnsOf(statement, database)]);
        stop();
        stop = () => {};
        isEmpty = rows.data.length === 0;
        const words = outcomeWords(rows, duration(performance.now() - began));
        say(outcome, isEmpty && range !== undefined ? `${words}. There are none in the time range.` : words);
        if (isAffected(rows)) return put(body);
        const drawn = picture(rows, { statement, known, ...(range === undefined ? {} : { range }) });
        if (drawn !== undefined) stop = drawn.stop;
        const table = [
          rows.data.length === 0 ? null : downloads(rows),
          rowsTable(rows, title === '' ? 'Rows' : `Rows of ${title}`),
        ];
        const hidden = folded && drawn !== undefined;
        put(body, drawn?.element, ...(hidden ? [h('details', {}, h('summary', {}, 'Rows'), table)] : table));
      } catch (error) {
        stop();
        stop = () => {};
        put(body);
        outcome.className = 'outcome error';
        say(outcome, error instanceof Error ? error.message : String(error));
        throw error;
      }
    },
  };
}

/**
 * True for the answer of a statement that changes something and gives no rows.
 * @param {import('./sql.js').Rows} rows
 */
function isAffected({ columns }) {
  return columns.length === 1 && columns[0]?.name === 'affected_rows';
}

/**
 * @param {import('./sql.js').Rows} rows
 * @param {string} took
 */
function outcomeWords(rows, took) {
  if (isAffected(rows)) {
    const changed = Number(rows.data[0]?.[0] ?? 0);
    return changed === 0
      ? `Done in ${took}`
      : `${measure(changed)} ${changed === 1 ? 'row' : 'rows'} written in ${took}`;
  }
  return `${measure(rows.data.length)} ${rows.data.length === 1 ? 'row' : 'rows'} in ${took}`;
}

/** @param {import('./sql.js').Rows} rows */
export function downloads(rows) {
  const csv = () => save('result.csv', 'text/csv', toCsv(rows));
  const json = () => save('result.json', 'application/json', toJson(rows));
  const copy = async () => {
    const isCopied = await copyText(toTsv(rows));
    toast(isCopied ? 'The rows are copied; a spreadsheet takes them.' : 'This browser does not let the page copy.');
  };
  return h(
    'p',
    { class: 'actions' },
    h('button', { type: 'button', onclick: copy }, 'Copy rows'),
    h('button', { type: 'button', onclick: csv }, 'Download CSV'),
    h('button', { type: 'button', onclick: json }, 'Download JSON'),
  );
}
