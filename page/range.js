import { h, put } from './dom.js';

/** Spans by what is shown, in ms. */
const spans = {
  'Last 5 minutes': 300_000,
  'Last 15 minutes': 900_000,
  'Last hour': 3_600_000,
  'Last 6 hours': 21_600_000,
  'Last 24 hours': 86_400_000,
  'Last 7 days': 604_800_000,
  'Last 30 days': 2_592_000_000,
};
const refreshes = { Off: 0, '5 s': 5_000, '10 s': 10_000, '30 s': 30_000, '1 min': 60_000, '5 min': 300_000 };

/** What `$from` and `$to` stand for when all times are asked for: within what every precision holds. */
const [earliest, latest] = ['1970-01-01T00:00:00.000Z', '2262-01-01T00:00:00.000Z'];

/**
 * A choice of a time range and of how often to request it again. `value` is `all`, a span in ms, or two instants parted by a comma.
 * @param {{ value: string; changed: () => void; due: () => void }} options `changed` when somebody chooses, `due` at each refresh
 */
export function rangePicker({ value, changed, due }) {
  const range = h(
    'select',
    { id: 'range' },
    Object.entries(spans).map(([words, ms]) => h('option', { value: ms }, words)),
    h('option', { value: 'all' }, 'All times'),
    h('option', { value: 'between' }, 'From … to …'),
  );
  const from = h('input', { id: 'range-from', type: 'datetime-local', step: 1 });
  const to = h('input', { id: 'range-to', type: 'datetime-local', step: 1 });
  const between = h(
    'div',
    { class: 'between', hidden: true },
    h('div', { class: 'field' }, h('label', { for: 'range-from' }, 'From'), from),
    h('div', { class: 'field' }, h('label', { for: 'range-to' }, 'To'), to),
  );
  const refresh = h(
    'select',
    { id: 'refresh' },
    Object.entries(refreshes).map(([words, ms]) => h('option', { value: ms }, words)),
  );
  /** @type {ReturnType<typeof setInterval> | undefined} */
  let timer;
  /**
   * Instants by the local times that stand for them: when summer time ends, an hour comes twice.
   * @type {ReadonlyMap<string, string>}
   */
  let exact = new Map();

  const set = (/** @type {string} */ wanted) => {
    const [begin = '', end] = wanted.split(',');
    range.value = end === undefined ? begin : 'between';
    if (range.selectedIndex < 0) range.value = String(spans['Last hour']);
    if (end !== undefined) {
      from.value = localText(Date.parse(begin));
      to.value = localText(Date.parse(end));
      exact = new Map([
        [from.value, begin],
        [to.value, end],
      ]);
    }
    between.hidden = range.value !== 'between';
  };
  range.addEventListener('change', () => {
    const isBetween = range.value === 'between';
    if (isBetween && from.value === '') {
      from.value = localText(Date.now() - spans['Last hour']);
      to.value = localText(Date.now());
    }
    between.hidden = !isBetween;
    changed();
  });
  for (const bound of [from, to]) bound.addEventListener('change', changed);
  const restart = () => {
    clearInterval(timer);
    timer = Number(refresh.value) > 0 ? setInterval(due, Number(refresh.value)) : undefined;
  };
  refresh.addEventListener('change', restart);
  set(value);

  const instants = () => {
    if (range.value === 'all') return [earliest, latest];
    if (range.value === 'between') {
      const bound = (/** @type {string} */ text, /** @type {string} */ otherwise) =>
        exact.get(text) ?? instantOf(text, otherwise);
      return [bound(from.value, earliest), bound(to.value, latest)];
    }
    const now = Date.now();
    return [new Date(now - Number(range.value)).toISOString(), new Date(now + 1).toISOString()];
  };
  return {
    elements: [
      h('div', { class: 'field' }, h('label', { for: 'range' }, 'Time range'), range),
      between,
      h('div', { class: 'field' }, h('label', { for: 'refresh' }, 'Refresh'), refresh),
    ],
    /** As a link keeps it. */
    get value() {
      return range.value === 'between' ? instants().join(',') : range.value;
    },
    set,
    /** Seconds between refreshes, 0 for none. */
    get refresh() {
      return Number(refresh.value) / 1000;
    },
    /** @param {number} seconds */
    set refresh(seconds) {
      refresh.value = String(seconds * 1000);
      if (refresh.selectedIndex < 0) refresh.value = '0';
      restart();
    },
    /**
     * A statement with the range in place of `$from` and `$to`.
     * @param {string} statement
     */
    fill: (statement) => {
      const [begin, end] = instants();
      return statement.replace(/\$from\b/g, `'${begin}'`).replace(/\$to\b/g, `'${end}'`);
    },
    /**
     * The ends in Unix seconds, where they are chosen: as a plot shows them. Undefined for all times.
     * @returns {import('./time-plot.js').Ends | undefined}
     */
    ends: () => {
      if (range.value === 'all') return undefined;
      const [begin = earliest, end = latest] = instants();
      const seconds = (/** @type {string} */ instant, /** @type {string} */ open) =>
        instant === open ? undefined : Date.parse(instant) / 1000;
      return [seconds(begin, earliest), seconds(end, latest)];
    },
    /** The span in ms; undefined for all times. */
    span: () => {
      if (range.value === 'all') return undefined;
      if (range.value !== 'between') return Number(range.value);
      const [begin = '', end = ''] = instants();
      return Date.parse(end) - Date.parse(begin);
    },
    stop: () => clearInterval(timer),
  };
}

/** @param {number} time Unix ms */
function localText(time) {
  const date = new Date(time);
  return new Date(time - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 19);
}

/**
 * @param {string} text
 * @param {string} otherwise
 */
function instantOf(text, otherwise) {
  const time = new Date(text).getTime();
  return Number.isNaN(time) ? otherwise : new Date(time).toISOString();
}

/**
 * True for a statement with `$from` or `$to` in it.
 * @param {string} statement
 */
export function usesRange(statement) {
  return /\$(?:from|to)\b/.test(statement);
}

/**
 * Says of a statement that the range changes nothing in it.
 * @param {HTMLElement} place
 * @param {string} statement
 */
export function rangeHint(place, statement) {
  const uses = statement.trim() === '' || usesRange(statement);
  put(
    place,
    uses ? '' : 'This statement does not use the time range. Write ',
    uses ? '' : h('code', {}, 'WHERE _rowts BETWEEN $from AND $to'),
  );
}
