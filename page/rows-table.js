import { h, put, say } from './dom.js';
import { count, shownNumber } from './format.js';

/** Rows that the table shows at first, and with each further step. */
const shownRows = 500;

const byWords = new Intl.Collator(undefined, { numeric: true });

/** @typedef {'ascending' | 'descending'} Direction */

/**
 * Rows as a table that a person sorts by its headings, walks through with the arrow keys, and copies cells from.
 * @param {import('./sql.js').Rows} rows
 * @param {string} label what the table holds, for those who do not see it
 */
export function rowsTable({ columns, data }, label) {
  const classes = columns.map(({ isNumber }) => (isNumber ? 'number' : ''));
  /** @type {{ column: number; direction: Direction } | undefined} */
  let order;
  let sorted = data;
  let shown = 0;
  const body = h('tbody');
  const more = h('button', { type: 'button', onclick: () => grow() });
  const rowOf = (/** @type {unknown[]} */ row) =>
    h(
      'tr',
      {},
      row.map((value, at) =>
        h(
          'td',
          { tabindex: -1, class: value === null ? 'null' : (classes[at] ?? ''), title: titleOf(value) },
          value === null ? 'NULL' : shownText(value),
        ),
      ),
    );
  const grow = () => {
    body.append(...sorted.slice(shown, shown + shownRows).map(rowOf));
    shown = Math.min(shown + shownRows, data.length);
    more.hidden = shown === data.length;
    say(more, `Show ${count(Math.min(shownRows, data.length - shown))} more of ${count(data.length)} rows`);
  };
  const fill = () => {
    put(body);
    shown = 0;
    grow();
    body.querySelector('td')?.setAttribute('tabindex', '0');
  };

  const headings = columns.map(({ name, type }, column) => {
    const mark = h('span', { class: 'mark', 'aria-hidden': 'true' });
    const turn = () => {
      const direction = order?.column !== column ? 'ascending' : next(order.direction);
      order = direction === undefined ? undefined : { column, direction };
      sorted = order === undefined ? data : sortRows(data, column, columns[column], order.direction);
      for (const [at, heading] of headings.entries()) heading.show(at === order?.column ? order.direction : undefined);
      fill();
    };
    const element = h(
      'th',
      { scope: 'col', title: type, class: classes[column] ?? '' },
      h('button', { type: 'button', class: 'sort', onclick: turn }, name, mark),
    );
    const show = (/** @type {Direction | undefined} */ direction) => {
      if (direction === undefined) element.removeAttribute('aria-sort');
      else element.setAttribute('aria-sort', direction);
      say(mark, direction === undefined ? '' : direction === 'ascending' ? '▲' : '▼');
    };
    return { element, show };
  });
  const table = h(
    'table',
    {
      class: 'rows',
      role: 'grid',
      'aria-label': label,
      onkeydown: (event) => walk(event),
      oncopy: (event) => copyCell(event),
    },
    h(
      'thead',
      {},
      h(
        'tr',
        {},
        headings.map(({ element }) => element),
      ),
    ),
    body,
  );
  table.addEventListener('focusin', ({ target }) => {
    if (!(target instanceof HTMLTableCellElement)) return;
    for (const cell of body.querySelectorAll('td[tabindex="0"]')) cell.setAttribute('tabindex', '-1');
    target.setAttribute('tabindex', '0');
  });
  /** A click on a cell takes it, unless a part of a text is being marked. */
  table.addEventListener('click', ({ target }) => {
    if (target instanceof HTMLTableCellElement && document.getSelection()?.isCollapsed) target.focus();
  });
  const copyCell = (/** @type {ClipboardEvent} */ event) => {
    const cell = document.activeElement;
    if (!(cell instanceof HTMLTableCellElement) || !document.getSelection()?.isCollapsed) return;
    const row = cell.parentElement;
    const place = row === null ? -1 : [...body.children].indexOf(row);
    event.clipboardData?.setData('text/plain', textOf(sorted[place]?.[cell.cellIndex]));
    event.preventDefault();
  };
  fill();
  return h('div', {}, h('div', { class: 'scroller' }, table), more);
}

/** @param {Direction} direction */
function next(direction) {
  return direction === 'ascending' ? 'descending' : undefined;
}

/** @type {Readonly<Record<string, (row: number, column: number, rows: number, columns: number) => [number, number]>>} */
const steps = {
  ArrowUp: (row, column) => [row - 1, column],
  ArrowDown: (row, column) => [row + 1, column],
  ArrowLeft: (row, column) => [row, column - 1],
  ArrowRight: (row, column) => [row, column + 1],
  PageUp: (row, column) => [Math.max(0, row - 15), column],
  PageDown: (row, column, rows) => [Math.min(rows - 1, row + 15), column],
  Home: (row) => [row, 0],
  End: (row, _column, _rows, columns) => [row, columns - 1],
};

/**
 * Goes to another cell by a key.
 * @param {KeyboardEvent} event
 */
function walk(event) {
  const { target, key } = event;
  const step = Object.hasOwn(steps, key) ? steps[key] : undefined;
  if (!(target instanceof HTMLTableCellElement) || step === undefined || event.ctrlKey || event.altKey || event.metaKey)
    return;
  const row = target.parentElement;
  const all = [...(row?.parentElement?.children ?? [])];
  if (row === null) return;
  const [toRow, toColumn] = step(all.indexOf(row), target.cellIndex, all.length, row.children.length);
  const cell = all[toRow]?.children[toColumn];
  event.preventDefault();
  if (cell instanceof HTMLElement) cell.focus();
}

/**
 * Rows in the order of one column: numbers and times by their value, everything else by its words. NULL is last either way.
 * @param {readonly unknown[][]} data
 * @param {number} at
 * @param {import('./sql.js').Column | undefined} column
 * @param {Direction} direction
 */
export function sortRows(data, at, column, direction) {
  const compare = column?.isNumber ? byNumber : column?.type === 'TIMESTAMP' ? byTime : byText;
  const sign = direction === 'ascending' ? 1 : -1;
  return [...data].sort((one, other) => {
    const [a, b] = [one[at] ?? null, other[at] ?? null];
    if (a === null || b === null) return Number(a === null) - Number(b === null);
    return sign * compare(a, b);
  });
}

/**
 * Numbers, and texts of digits where a number is too large to be exact.
 * @param {unknown} a
 * @param {unknown} b
 */
function byNumber(a, b) {
  if (isWhole(a) && isWhole(b) && (typeof a === 'string' || typeof b === 'string')) {
    const [one, other] = [BigInt(a), BigInt(b)];
    return one < other ? -1 : Number(one > other);
  }
  return Number(a) - Number(b);
}

/**
 * @param {unknown} value
 * @returns {value is string | number}
 */
function isWhole(value) {
  return typeof value === 'number' ? Number.isInteger(value) : typeof value === 'string' && /^-?\d+$/.test(value);
}

/**
 * Times with their zone; those of one millisecond by the digits behind it.
 * @param {unknown} a
 * @param {unknown} b
 */
function byTime(a, b) {
  return Date.parse(String(a)) - Date.parse(String(b)) || byText(a, b);
}

/**
 * @param {unknown} a
 * @param {unknown} b
 */
function byText(a, b) {
  return byWords.compare(textOf(a), textOf(b));
}

/**
 * Rows as text that spreadsheets take from the clipboard: columns parted by tabs, with a line of names.
 * @param {import('./sql.js').Rows} rows
 */
export function toTsv({ columns, data }) {
  const cell = (/** @type {unknown} */ value) => {
    const text = textOf(value);
    return /[\t\r\n"]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return [columns.map(({ name }) => name), ...data].map((row) => row.map(cell).join('\t')).join('\n');
}

/**
 * A value as it is copied.
 * @param {unknown} value
 */
function textOf(value) {
  if (value === null || value === undefined) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/**
 * A value as it is shown: nine digits of a second that end in zeros say no more than three, and what arithmetic leaves behind
 * a fraction says nothing.
 * @param {unknown} value
 */
export function shownText(value) {
  if (typeof value === 'number') return shownNumber(value);
  return textOf(value).replace(/(T\d\d:\d\d:\d\d\.\d{3})0{3}(?:0{3})?(?=[Z+-])/, '$1');
}

/**
 * The whole number where fewer digits are shown.
 * @param {unknown} value
 */
export function titleOf(value) {
  return typeof value === 'number' && shownNumber(value) !== String(value) ? String(value) : undefined;
}
