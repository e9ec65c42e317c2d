import { holding, literal, quoted } from './names.js';

/** Rows that one picture takes at most. */
const maxRows = 100_000;
/** Windows that the time range is cut into at most. */
export const maxWindows = 240;
/** A window of a rate is at least as long as this many values take, so that it holds some however they are shifted. */
const valuesOfRate = 4;
/** The shortest window of a rate where the distance of the values is not known, in ms: agents send one every 10 to 60 seconds. */
const leastRateMs = 60_000;

/** Lengths of windows that people read well, in seconds. */
const windows = [
  1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 21_600, 43_200, 86_400, 604_800, 2_592_000, 31_536_000,
];

/** What becomes of the values of a window, by the name that is shown. */
export const functions = {
  Average: 'AVG',
  Maximum: 'MAX',
  Minimum: 'MIN',
  Sum: 'SUM',
  Count: 'COUNT',
  Last: 'LAST',
  'Rate per second (counter)': 'RATE',
  'Raw values': '',
};

/** How a filter compares, by the sign that is shown. */
export const comparisons = { '=': 'is', '!=': 'is not', LIKE: 'contains' };

/** Functions whose values are too small where the time range holds a part of a window. */
const ofWholeWindows = new Set(['SUM', 'COUNT', 'RATE']);

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
 * @typedef {object} Pace what is known of the rows of a choice; nothing must be
 * @property {number} [ageMs] since the first row of a table whose first rows have just come, so that its picture is more than a point
 * @property {number} [periodMs] from a value of a series to the next
 */

/**
 * The statement for a choice, with `$from` and `$to` for the time range. A rate is that of each series, added up in its group;
 * other functions look at the values of all series of a group together. Sums, counts and rates are of whole windows alone.
 * @param {Choice} choice
 * @param {number} rangeMs length of the time range
 * @param {Pace} [pace]
 */
export function exploreStatement(choice, rangeMs, { ageMs = rangeMs, periodMs } = {}) {
  const { column, of, groups } = choice;
  const rows = rowsOf(choice);
  const value = quoted(column);
  if (of === '') {
    return `SELECT ${['_rowts', ...groups.map(selected), value].join(', ')} FROM ${rows}\nORDER BY _rowts DESC LIMIT ${maxRows}`;
  }
  const isRate = of === 'RATE';
  const least = periodMs === undefined ? leastRateMs : valuesOfRate * periodMs;
  const seconds = windowSeconds(Math.min(rangeMs, ageMs), maxWindows);
  const interval = isRate ? Math.max(seconds, windowSeconds(least, 1)) : seconds;
  const keys = groups.map(expression);
  const parts = keys.length === 0 ? '' : `PARTITION BY ${keys.join(', ')} `;
  const items = ['_wstart', ...groups.map(selected), `${of}(${value})`].join(', ');
  // A window that the range cuts would show too little.
  const whole = ofWholeWindows.has(of) ? 'HAVING _wstart >= $from AND _wend <= $to ' : '';
  return `SELECT ${items} FROM ${rows}\n${parts}INTERVAL(${interval}s) ${whole}ORDER BY _wstart LIMIT ${maxRows}`;
}

/**
 * The statement for the times of the newest values of a choice, with `$from` and `$to` for the time range.
 * @param {Choice} choice
 * @param {number} limit
 * @param {string} [table] a sub-table, whose times they are; else of all
 */
export function timesStatement(choice, limit, table) {
  const one = table === undefined ? '' : `\n  AND tbname = ${literal(table)}`;
  const value = `\n  AND ${quoted(choice.column)} IS NOT NULL`;
  return `SELECT _rowts, tbname FROM ${rowsOf(choice)}${value}${one}\nORDER BY _rowts DESC LIMIT ${limit}`;
}

/** @param {Choice} choice */
function rowsOf({ database, table, filters }) {
  const where = ['_rowts BETWEEN $from AND $to', ...conditions(filters)].join('\n  AND ');
  return `${quoted(database)}.${quoted(table)}\nWHERE ${where}`;
}

/**
 * What the lines of a choice are called beside those of others: `RATE(cpu_seconds_total) mode=idle`.
 * @param {Choice} choice
 * @param {readonly Choice[]} others in the same picture
 */
export function choiceName(choice, others) {
  const { filters } = choice;
  const metric = metricOf(choice);
  const more = filters.flatMap((filter) =>
    filter === metric || filter.value === ''
      ? []
      : [`${labelOf(filter.tag)}${filter.comparison === 'LIKE' ? '~' : filter.comparison}${filter.value}`],
  );
  return [measureName(choice, others), ...more].join(' ');
}

/**
 * What the values of a choice are, whatever its filters: `RATE(cpu_seconds_total)`.
 * @param {Choice} choice
 * @param {readonly Choice[]} others in the same picture
 */
export function measureName(choice, others) {
  const { database, table, column, of } = choice;
  const plain = metricOf(choice)?.value ?? `${table}.${column}`;
  const isAlone = others.every((other) => other.database === database);
  const name = isAlone ? plain : `${database}.${plain}`;
  return of === '' ? name : `${of}(${name})`;
}

/**
 * The filter that chooses a metric by its name.
 * @param {Choice} choice
 */
function metricOf({ filters }) {
  return filters.find(({ tag, comparison }) => tag.key === '__name__' && comparison === '=');
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
