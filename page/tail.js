import { h, put, putRows, say } from './dom.js';
import { exploreLink, linked, queryLink } from './links.js';
import { literal, quoted } from './names.js';
import { poll } from './polling.js';
import { shownText, titleOf } from './rows-table.js';
import { tellTrouble } from './session.js';
import { runOwnSql } from './sql.js';

/** Rows that are shown, and how often it is looked for newer ones. */
const [tailRows, tailMs] = [50, 1000];

/** @typedef {{ key: string; cells: unknown[] }} Row */

/**
 * The newest rows of a table by their time, as they come.
 * @param {string} database
 * @param {string} table
 * @param {(trouble: unknown) => void} failed
 */
export function tailOf(database, table, failed) {
  const told = h('p', { class: 'muted', role: 'status' });
  const head = h('tr', {});
  const body = h('tbody', {});
  const pause = h('button', { type: 'button', 'aria-pressed': 'false' }, 'Pause');
  const element = h(
    'div',
    { class: 'tail' },
    h(
      'div',
      { class: 'scroller', tabindex: 0, role: 'region', 'aria-label': `Newest rows of ${table}` },
      h('table', { class: 'rows' }, h('thead', {}, head), body),
    ),
    told,
    h('p', { class: 'actions' }, pause),
  );
  const shown = new Map();
  const from = `SELECT * FROM ${quoted(database)}.${quoted(table)}`;
  let since = '';
  let seen = 0;
  let paused = false;
  pause.addEventListener('click', () => {
    paused = !paused;
    pause.setAttribute('aria-pressed', String(paused));
    say(pause, paused ? 'Resume' : 'Pause');
    if (!paused) polling.now();
  });

  const look = async () => {
    if (paused) return;
    try {
      const { columns, data } = await runOwnSql(`${from}${since} ORDER BY _rowts DESC LIMIT ${tailRows}`);
      if (head.childElementCount === 0) {
        put(
          head,
          columns.map(({ name, isNumber }) => h('th', { scope: 'col', class: isNumber ? 'number' : '' }, name)),
        );
      }
      const oldest = data.at(-1)?.[0];
      // Only when all rows are newer than what is shown may older ones be left out of the next look.
      if (data.length === tailRows && oldest !== undefined) since = ` WHERE _rowts >= ${literal(String(oldest))}`;
      const rows = data.map((cells) => ({ key: JSON.stringify(cells), cells }));
      const fresh = rows.filter(({ key }) => !shown.has(key)).length;
      seen += fresh;
      const isFirst = seen === fresh;
      putRows(
        body,
        rows,
        ({ key }) => key,
        ({ cells }) => ({
          element: h(
            'tr',
            { class: isFirst ? '' : 'fresh' },
            cells.map((value, at) =>
              value === null
                ? h('td', { class: 'null' }, 'NULL')
                : h('td', { class: columns[at]?.isNumber ? 'number' : '', title: titleOf(value) }, shownText(value)),
            ),
          ),
          show: () => {},
        }),
        shown,
      );
      say(told, 'The newest rows by their time, live. Rows that arrive late stand further down, or not here.');
    } catch (error) {
      tellTrouble(error, told, failed);
    }
  };
  const polling = poll(tailMs, look);
  return { element, stop: polling.stop };
}

/**
 * The newest rows of the table that the address names, live.
 * @param {import('./app.js').Context} context
 * @returns {import('./app.js').View}
 */
export function tailView(context) {
  const asked = linked();
  const [database, table] = [asked.get('db') ?? '', asked.get('table') ?? ''];
  const tail = tailOf(database, table, context.failed);
  const all = `SELECT * FROM ${quoted(database)}.${quoted(table)} ORDER BY _rowts DESC LIMIT 1000`;
  const element = h(
    'section',
    {},
    h(
      'div',
      { class: 'head' },
      h('h1', {}, `${database}.${table}`),
      h('a', { href: exploreLink(database, table) }, 'Draw it'),
      h('a', { href: queryLink({ statement: all, range: 'all' }) }, 'Query it'),
    ),
    tail.element,
  );
  return { element, stop: tail.stop };
}
