import { groupedBy, sameName } from './grouping.js';

/** Lines that one plot shows: as many as there are colours, each once solid and once dashed. */
export const maxLines = 20;

const textTypes = /^(?:VARCHAR|NCHAR|BOOL|JSON)/;

/** @typedef {{ name: string; points: Map<number, number | null>; repeated: boolean }} Line */
/** @typedef {{ names: string[]; data: (number | null)[][] }} Series */

/**
 * What can be drawn of rows: the first column of times against the columns of numbers, one line for each of them and for
 * each combination of the values that tell series apart. Those are texts, JSON and booleans, and numbers that are tags or
 * stand in PARTITION BY or GROUP BY. Texts beside the tags of a super table are values and tell nothing apart. Undefined
 * where there is nothing to draw.
 * @param {import('./sql.js').Rows} rows
 * @param {string} [statement] that gave the rows
 * @param {Partial<import('./schema.js').KnownColumns>} [known] columns of its tables
 * @returns {Line[] | undefined} by name
 */
export function readLines({ columns, data }, statement = '', { tags = new Set(), values: plain = new Set() } = {}) {
  const timeAt = columns.findIndex(({ type }) => type === 'TIMESTAMP');
  if (timeAt < 0) return undefined;
  const grouped = groupedBy(statement);
  const isKey = columns.map(({ name, type }, at) => {
    if (at === timeAt) return false;
    const known = sameName(name);
    return tags.has(known) || grouped.has(known) || (textTypes.test(type) && !plain.has(known));
  });
  const keys = columns.flatMap((_, at) => (isKey[at] ? [at] : []));
  const values = columns.flatMap(({ isNumber }, at) => (isNumber && !isKey[at] ? [at] : []));
  if (values.length === 0) return undefined;
  /** @type {Map<string, Line>} */
  const lines = new Map();
  for (const row of data) {
    const seconds = secondsOf(String(row[timeAt]));
    if (Number.isNaN(seconds)) continue;
    const group = keys.map((at) => keyText(columns[at], row[at])).join(', ');
    for (const at of values) {
      const name = nameOf(columns[at]?.name ?? '', group, values.length);
      let line = lines.get(name);
      if (line === undefined) {
        line = { name, points: new Map(), repeated: false };
        lines.set(name, line);
      }
      if (line.points.has(seconds)) line.repeated = true;
      const value = row[at];
      line.points.set(seconds, value === null ? null : Number(value));
    }
  }
  if (lines.size === 0) return undefined;
  return [...lines.values()].sort((a, b) => byName.compare(a.name, b.name));
}

/**
 * An instant in Unix seconds with all its digits, as far as a number holds them: to a quarter of a microsecond.
 * @param {string} text
 */
function secondsOf(text) {
  const [, finer = ''] = /\.\d{3}(\d{1,6})/.exec(text) ?? [];
  return (Date.parse(text) + Number(`0.${finer}`)) / 1000;
}

const byName = new Intl.Collator('en', { numeric: true });

/** Orders in which lines may be chosen; each gives a number of which the largest come first. */
const ranks = {
  name: undefined,
  largest: (/** @type {Line} */ { points }) => best(points, (value) => value),
  latest: (/** @type {Line} */ { points }) =>
    [...points].reduce((last, now) => (now[0] > last[0] ? now : last), [-Infinity, 0])[1] ?? -Infinity,
  range: (/** @type {Line} */ { points }) => best(points, (value) => value) + best(points, (value) => -value),
};

/** @typedef {keyof typeof ranks} Rank */

/**
 * @param {Map<number, number | null>} points
 * @param {(value: number) => number} of
 */
function best(points, of) {
  let most = -Infinity;
  for (const value of points.values()) if (value !== null && of(value) > most) most = of(value);
  return most;
}

/**
 * The lines that a plot shows: those whose name holds a text, the first of them in an order, by name.
 * @param {readonly Line[]} lines
 * @param {{ holds?: string; rank?: Rank }} [choice]
 * @returns {{ shown: Line[]; matching: number }}
 */
export function chooseLines(lines, { holds = '', rank = 'name' } = {}) {
  const wanted = holds.toLowerCase();
  const matching = lines.filter(({ name }) => name.toLowerCase().includes(wanted));
  const of = ranks[rank];
  const ordered = of === undefined ? matching : [...matching].sort((a, b) => of(b) - of(a));
  const chosen = new Set(ordered.slice(0, maxLines));
  return { shown: matching.filter((line) => chosen.has(line)), matching: matching.length };
}

/**
 * Lines as a plot takes them: the times of all of them, then the values of each. Undefined is a time of another line, null a
 * value that is NULL or missing: only that leaves a gap.
 * @param {readonly Line[]} lines
 * @param {number} [step] seconds from one window to the next, where the values are of windows
 * @returns {Series}
 */
export function aligned(lines, step) {
  const broken = lines.map(({ points }) => withGaps(points, step));
  const times = new Set(broken.flatMap((points) => [...points.keys()]));
  const ordered = Float64Array.from(times).sort();
  const values = broken.map((points) =>
    wideGaps(Array.from(ordered, (time) => /** @type {number | null} */ (points.get(time)))),
  );
  return { names: lines.map(({ name }) => name), data: [[...ordered], ...values] };
}

/**
 * Values of a line with null for all times of a gap: those of other lines, too, which end a gap for the library.
 * @param {(number | null)[]} values undefined for times of other lines; is changed
 */
function wideGaps(values) {
  let isGap = false;
  let last = -1;
  for (const [at, value] of values.entries()) {
    if (value === null) isGap = true;
    if (value === null || value === undefined) continue;
    if (isGap) values.fill(null, last + 1, at);
    isGap = false;
    last = at;
  }
  if (isGap) values.fill(null, last + 1);
  return values;
}

/** Values are missing between points that are further from each other than this many times their usual distance. */
const [gapOfWindows, gapOfRows] = [1.5, 3];

/**
 * Points with null between those that lie too far from each other, because a window is missing. Of rows, and where values are
 * rarer than windows, three times the median distance is too far.
 * @param {Map<number, number | null>} points
 * @param {number} [step] seconds from one window to the next
 */
function withGaps(points, step = 0) {
  const times = Float64Array.from(points.keys()).sort();
  const distances = times.subarray(1).map((time, at) => time - Number(times[at]));
  const median = Float64Array.from(distances).sort()[(distances.length - 1) >> 1] ?? 0;
  const tooLong = step * gapOfWindows;
  const missing = distances.filter((distance) => distance > tooLong).length;
  const areRare = median > tooLong || missing > Math.max(2, distances.length / 8);
  const limit = step === 0 || areRare ? median * gapOfRows : tooLong;
  const broken = new Map(points);
  for (const [at, distance] of distances.entries()) {
    if (distance > limit) broken.set(Number(times[at]) + distance / 2, null);
  }
  return broken;
}

/**
 * A key of a line. A number, a truth value, a text of digits and a part of JSON say nothing without their name.
 * @param {import('./sql.js').Column | undefined} column
 * @param {unknown} value
 */
function keyText(column, value) {
  const words = textOf(value);
  if (column === undefined) return words;
  if (column.isNumber || column.type === 'BOOL' || /^-?\d+$/.test(words)) return `${shortName(column)}=${words}`;
  const isPart = column.type === 'JSON' && (typeof value !== 'string' || !/^[{[]/.test(value));
  return isPart && typeof value !== 'object' ? `${shortName(column)}=${words}` : words;
}

/**
 * The name of a column; of a part of JSON that of the part.
 * @param {import('./sql.js').Column} column
 */
function shortName({ name }) {
  return name.replace(/^.*->\s*'(.*)'$/, '$1');
}

/**
 * A value that tells series apart, in words: JSON as `name=value`, texts without their quotes.
 * @param {unknown} value
 */
function textOf(value) {
  const held = typeof value === 'string' && /^["{[]/.test(value) ? parsed(value) : value;
  if (typeof held !== 'object' || held === null) return String(held);
  return Object.entries(held)
    .map(([key, part]) => `${key}=${typeof part === 'string' ? part : JSON.stringify(part)}`)
    .join(' ');
}

/** @param {string} text */
function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/**
 * @param {string} column
 * @param {string} group
 * @param {number} columns that are drawn
 */
function nameOf(column, group, columns) {
  if (group === '') return column;
  return columns === 1 ? group : `${group}: ${column}`;
}
