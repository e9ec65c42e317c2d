import { holding, literal, quoted } from './names.js';

/** Rows that one picture takes at most. */
const maxRows = 100_000;
/** Windows that the time range is cut into at most. */
export const maxWindows = 240;
/** A rate needs two values in a window, and agents send one every 10 to 60 seconds: fewer windows, and none so short. */
const [maxRateWindows, leastRateWindow] = [60, 60];
/** Where it is known how often values come, a window of a rate is at least as long as this many take. */
const valuesOfRate = 3;

/** Lengths of windows that people read well, in seconds. */
const windows = [
  1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 21_600, 43_200, 86_400, 604_800, 2_592_000, 31_536_000,
];

/** What becomes of the values of a window, by the name that is shown. */
export const functions = {
  Average: 'AVG',
  Largest: 'MAX',
  Smallest: 'MIN',
  Sum: 'SUM',
  'Number of values': 'COUNT',
  'Last value': 'LAST',
  'Rate per second of a counter': 'RATE',
  'Every value': '',
};

/** How a filter compares, by the sign that is shown. */
export const comparisons = { '=': 'is', '!=': 'is not', LIKE: 'holds' };

/**
 * @typedef {object} Tag a tag, or a key of a JSON tag
 * @property {string} name
 * @property {string} [key]
 * @property {string} type
 */

/**
 * @typedef {object} Filter
 * @property {Tag} tag
 * @property {keyof typeof comparisons} comparison
 * @property {string} value
 */

/**
 * @typedef {object} Choice what somebody wants to see
 * @property {string} database
 * @property {string} table
 * @property {string} column
 * @property {string} of a function of {@link functions}
 * @property {readonly Filter[]} filters of one tag, several that say `=` are alternatives; all others must hold together
 * @property {readonly Tag[]} groups tags that get a line for each of their values
 */

/**
 * @typedef {object} Young what is known of a table whose first rows have just come, so that its picture is more than a point
 * @property {number} ageMs since its first row
 * @property {number} periodMs from a value of a series to the next
 */

/**
 * The statement for a choice, with `$from` and `$to` for the time range. A rate is that of each series, summed up in its
 * group; other functions look at the values of all series of a group together.
 * @param {Choice} choice
 * @param {number} rangeMs length of the time range
 * @param {Young} [young]
 */
export function exploreStatement({ database, table, column, of, filters, groups }, rangeMs, young) {
  const spanMs = Math.min(rangeMs, young?.ageMs ?? rangeMs);
  const where = ['_rowts BETWEEN $from AND $to', ...conditions(filters)].join('\n  AND ');
  const rows = `${quoted(database)}.${quoted(table)}\nWHERE ${where}`;
  const value = quoted(column);
  const keys = groups.map(expression);
  if (of === '') {
    return `SELECT ${['_rowts', ...groups.map(selected), value].join(', ')} FROM ${rows}\nORDER BY _rowts DESC LIMIT ${maxRows}`;
  }
  const interval = `INTERVAL(${windowSeconds(spanMs, maxWindows)}s)`;
  if (of === 'RATE') {
    const least = young === undefined ? leastRateWindow : windowSeconds(valuesOfRate * young.periodMs, 1);
    const wide = `INTERVAL(${Math.max(least, windowSeconds(spanMs, maxRateWindows))}s)`;
    const names = groups.map((_, at) => `g${at + 1}`);
    // From the first value of a window to its last; a counter that began anew counts from 0.
    const growth = `LAST(${value}) - IF(LAST(${value}) < FIRST(${value}), 0, FIRST(${value}))`;
    const rate = [`(${growth}) / (SPREAD(_rowts) / 1s) AS r`, 'COUNT(*) AS n'];
    const inner = ['_wstart AS w', ...keys.map((key, at) => `${key} AS ${names[at]}`), ...rate].join(', ');
    const outer = ['w AS _wstart', ...names.map((name, at) => `${name} AS ${quoted(labelOf(groups[at]))}`)].join(', ');
    const each = `SELECT ${inner} FROM ${rows}\n  AND ${value} IS NOT NULL\nPARTITION BY ${['tbname', ...keys].join(', ')} ${wide}`;
    // Of one value alone the rate is 0, as at the end of the range, where a window has only begun.
    return `SELECT ${outer}, SUM(r) AS rate FROM (\n${each}\n) WHERE n > 1 GROUP BY ${['w', ...names].join(', ')} ORDER BY w LIMIT ${maxRows}`;
  }
  const parts = keys.length === 0 ? '' : `PARTITION BY ${keys.join(', ')} `;
  const items = ['_wstart', ...groups.map(selected), `${of}(${value})`].join(', ');
  return `SELECT ${items} FROM ${rows}\n${parts}${interval} ORDER BY _wstart LIMIT ${maxRows}`;
}

/**
 * What the lines of a choice are called beside those of others: `RATE(cpu_seconds_total) mode=idle`.
 * @param {Choice} choice
 * @param {readonly Choice[]} others in the same picture
 */
export function choiceName({ database, table, column, of, filters }, others) {
  const metric = filters.find(({ tag, comparison }) => tag.key === '__name__' && comparison === '=');
  const plain = metric?.value ?? `${table}.${column}`;
  const isAlone = others.every((other) => other.database === database);
  const name = isAlone ? plain : `${database}.${plain}`;
  const more = filters.flatMap((filter) =>
    filter === metric || filter.value === ''
      ? []
      : [`${labelOf(filter.tag)}${filter.comparison === 'LIKE' ? '~' : filter.comparison}${filter.value}`],
  );
  return [of === '' ? name : `${of}(${name})`, ...more].join(' ');
}

/**
 * A tag as people read it.
 * @param {Tag | undefined} tag
 */
export function labelOf(tag) {
  return tag === undefined ? '' : (tag.key ?? tag.name);
}

/** @param {Tag} tag */
function expression({ name, key }) {
  return key === undefined ? quoted(name) : `${quoted(name)}->${literal(key)}`;
}

/** @param {Tag} tag */
function selected(tag) {
  return tag.key === undefined ? expression(tag) : `${expression(tag)} AS ${quoted(tag.key)}`;
}

/**
 * @param {readonly Filter[]} filters
 * @returns {string[]}
 */
function conditions(filters) {
  const complete = filters.filter(({ value }) => value !== '');
  /** @type {Map<string, string[]>} */
  const wanted = new Map();
  const others = [];
  for (const { tag, comparison, value } of complete) {
    const name = expression(tag);
    if (comparison === '=') wanted.set(name, [...(wanted.get(name) ?? []), written(tag, value)]);
    else if (comparison === '!=') others.push(`${name} != ${written(tag, value)}`);
    else others.push(`${name} LIKE ${holding(value)}`);
  }
  const same = [...wanted].map(([name, values]) =>
    values.length === 1 ? `${name} = ${values[0]}` : `${name} IN (${values.join(', ')})`,
  );
  return [...same, ...others];
}

/**
 * A value as it stands beside its tag.
 * @param {Tag} tag
 * @param {string} value
 */
function written({ type }, value) {
  if (/^(?:TINYINT|SMALLINT|INT|BIGINT|FLOAT|DOUBLE)/.test(type) && /^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i.test(value)) {
    return value;
  }
  return /^BOOL/.test(type) && /^(?:true|false)$/i.test(value) ? value : literal(value);
}

/**
 * The length of a window in seconds, so that a range has a readable number of them.
 * @param {number} spanMs
 * @param {number} most windows
 */
export function windowSeconds(spanMs, most) {
  return windows.find((seconds) => spanMs / 1000 / seconds <= most) ?? windows.at(-1) ?? 1;
}
