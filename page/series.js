import { groupedBy, sameName, selectedItems } from './grouping.js';
import { uniqueNames } from './names.js';

/** Lines that one plot shows: as many as there are colours, each once solid and once dashed. */
export const maxLines = 20;

const textTypes = /^(?:VARCHAR|NCHAR|JSON)/;

/**
 * @typedef {object} Label what tells a line from others
 * @property {string} name of a column, or of a key of JSON
 * @property {string} words as a legend shows it
 * @property {string} value
 */
/**
 * @typedef {object} Line
 * @property {string} name of all lines different
 * @property {string} column whose values it has; of columns with one name that of `row_with_meta=true`
 * @property {number} columnAt place of the column in the rows
 * @property {boolean} isTruth whether its values are truth values, 0 and 1
 * @property {readonly Label[]} labels
 * @property {Point[]} points in the order of the rows; a time may come more than once
 * @property {boolean} repeated whether a time came more than once
 */
/** @typedef {[seconds: number, value: number | null]} Point its time is in Unix seconds */
/** @typedef {{ names: string[]; data: (number | null)[][] }} Series */

/**
 * What can be drawn of rows: the first column of times against the columns of numbers and truth values, one line for each of
 * them and for each combination of the values that tell series apart. Those are texts and JSON, and numbers and truth values
 * that are tags or stand in PARTITION BY or GROUP BY. Texts beside the tags of a super table are values and tell nothing
 * apart. Undefined where there is nothing to draw.
 * @param {import('./sql.js').Rows} rows
 * @param {string} [statement] that gave the rows
 * @param {Partial<import('./schema.js').KnownColumns>} [known] columns of its tables
 * @returns {Line[] | undefined} by name
 */
export function readLines({ columns, data }, statement = '', { tags = new Set(), values: plain = new Set() } = {}) {
  const timeAt = columns.findIndex(({ type }) => type === 'TIMESTAMP');
  if (timeAt < 0) return undefined;
  const grouped = groupedBy(statement);
  const items = selectedItems(statement);
  const isKey = columns.map(({ name, type }, at) => {
    if (at === timeAt) return false;
    const forms = new Set([sameName(name), ...(items?.length === columns.length ? (items[at] ?? []) : [])]);
    const isIn = (/** @type {ReadonlySet<string>} */ set) => [...forms].some((form) => set.has(form));
    return isIn(tags) || isIn(grouped) || (textTypes.test(type) && !plain.has(sameName(name)));
  });
  const keys = columns.flatMap((_, at) => (isKey[at] ? [at] : []));
  const values = columns.flatMap(({ isNumber, type }, at) => ((isNumber || type === 'BOOL') && !isKey[at] ? [at] : []));
  if (values.length === 0) return undefined;
  const names = uniqueNames(columns.map(({ name }) => name));
  /** @type {Map<string, { labels: readonly (readonly Label[])[]; lines: (Line | undefined)[]; times: Set<number> }>} */
  const groups = new Map();
  for (const row of data) {
    const seconds = secondsOf(String(row[timeAt]));
    if (Number.isNaN(seconds)) continue;
    const id = JSON.stringify(keys.map((at) => row[at]));
    let group = groups.get(id);
    if (group === undefined) {
      group = { labels: keys.map((at) => labelsOf(columns[at], row[at])), lines: [], times: new Set() };
      groups.set(id, group);
    }
    const repeated = group.times.has(seconds);
    group.times.add(seconds);
    for (const [place, at] of values.entries()) {
      let line = group.lines[place];
      if (line === undefined) {
        const isTruth = columns[at]?.type === 'BOOL';
        line = {
          name: '',
          column: names[at] ?? '',
          columnAt: at,
          isTruth,
          labels: group.labels.flat(),
          points: [],
          repeated: false,
        };
        group.lines[place] = line;
      }
      line.repeated ||= repeated;
      const value = row[at];
      line.points.push([seconds, value === null ? null : Number(value)]);
    }
  }
  if (groups.size === 0) return undefined;
  return named([...groups.values()], values.length);
}

/**
 * Names the lines of groups by what differs: labels that all of them share are left out.
 * @param {readonly { labels: readonly (readonly Label[])[]; lines: readonly (Line | undefined)[] }[]} groups with the labels of
 *   each column
 * @param {number} columns that are drawn
 * @returns {Line[]} by name
 */
function named(groups, columns) {
  const shared = new Set(
    groups.length * columns > 1 ? sharedLabels(groups.map(({ labels }) => ({ labels: labels.flat() }))) : [],
  );
  const lines = groups.flatMap(({ labels, lines }) => {
    const words = labels
      .map((of) => of.filter((label) => !shared.has(label.words)).map((label) => label.words))
      .filter((left) => left.length > 0)
      .map((left) => left.join(' '))
      .join(', ');
    return lines.flatMap((line) =>
      line === undefined ? [] : [{ ...line, name: nameOf(line.column, words, columns) }],
    );
  });
  const unique = uniqueNames(lines.map(({ name }) => name));
  return lines.map((line, at) => ({ ...line, name: unique[at] ?? '' })).sort((a, b) => byName.compare(a.name, b.name));
}

/**
 * What all lines have in common, in words.
 * @param {readonly { labels: readonly Label[] }[]} lines
 * @returns {string[]}
 */
export function sharedLabels([first, ...others]) {
  const sets = others.map(({ labels }) => new Set(labels.map(({ words }) => words)));
  return (first?.labels ?? []).map(({ words }) => words).filter((words) => sets.every((set) => set.has(words)));
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
    points.reduce((last, now) => (now[0] > last[0] ? now : last), /** @type {Point} */ ([-Infinity, 0]))[1] ??
    -Infinity,
  range: (/** @type {Line} */ { points }) => best(points, (value) => value) + best(points, (value) => -value),
};

/** @typedef {keyof typeof ranks} Rank */

/**
 * @param {readonly Point[]} points
 * @param {(value: number) => number} of
 */
function best(points, of) {
  let most = -Infinity;
  for (const [, value] of points) if (value !== null && of(value) > most) most = of(value);
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
 * value that is NULL or missing: only that leaves a gap. A time that comes more than once on a line is there as often.
 * @param {readonly Line[]} lines
 * @param {number} [step] seconds from one window to the next, where the values are of windows
 * @returns {Series}
 */
export function aligned(lines, step) {
  const broken = lines.map(({ points }) => withGaps(points, step));
  /** @type {Map<number, number>} how often a time comes on the line that has it most often */
  const most = new Map();
  for (const points of broken) {
    let count = 0;
    for (const [at, [time]] of points.entries()) {
      count = points[at - 1]?.[0] === time ? count + 1 : 1;
      if (count > (most.get(time) ?? 0)) most.set(time, count);
    }
  }
  const ordered = [...Float64Array.from(most.keys()).sort()].flatMap((time) => Array(most.get(time) ?? 1).fill(time));
  const values = broken.map((points) => {
    let next = 0;
    return wideGaps(
      ordered.map(
        (time) => /** @type {number | null} */ (points[next]?.[0] === time ? points[next++]?.[1] : undefined),
      ),
    );
  });
  return { names: lines.map(({ name }) => name), data: [ordered, ...values] };
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
 * Points by time, with null between those that lie too far from each other, because a window is missing. Of rows, and where values are
 * rarer than windows, three times the median distance is too far.
 * @param {readonly Point[]} points
 * @param {number} [step] seconds from one window to the next
 */
function withGaps(points, step = 0) {
  const times = Float64Array.from(new Set(points.map(([time]) => time))).sort();
  const distances = times.subarray(1).map((time, at) => time - Number(times[at]));
  const median = Float64Array.from(distances).sort()[(distances.length - 1) >> 1] ?? 0;
  const tooLong = step * gapOfWindows;
  const missing = distances.filter((distance) => distance > tooLong).length;
  const areRare = median > tooLong || missing > Math.max(2, distances.length / 4);
  const limit = step === 0 || areRare ? median * gapOfRows : tooLong;
  const broken = [...points];
  for (const [at, distance] of distances.entries()) {
    if (distance > limit) broken.push([Number(times[at]) + distance / 2, null]);
  }
  return broken.sort(([one], [other]) => one - other);
}

/**
 * What a value of a key tells of a line. A number, a truth value, a text of digits and a part of JSON say nothing without their
 * name; JSON gives a label for each of its parts.
 * @param {import('./sql.js').Column | undefined} column
 * @param {unknown} value
 * @returns {Label[]}
 */
function labelsOf(column, value) {
  if (column === undefined) return [];
  const held = typeof value === 'string' && /^["{[]/.test(value) ? parsed(value) : value;
  if (typeof held === 'object' && held !== null) {
    return Object.entries(held).map(([name, part]) => {
      const text = typeof part === 'string' ? part : JSON.stringify(part);
      return { name, value: text, words: `${name}=${text}` };
    });
  }
  const text = String(held);
  const name = shortName(column);
  const isPart = column.type === 'JSON' && (typeof value !== 'string' || !/^[{[]/.test(value));
  const needsName = column.isNumber || column.type === 'BOOL' || /^-?\d+$/.test(text) || isPart;
  return [{ name, value: text, words: needsName ? `${name}=${text}` : text }];
}

/**
 * The name of a column; of a part of JSON that of the part.
 * @param {import('./sql.js').Column} column
 */
function shortName({ name }) {
  return name.replace(/^.*->\s*'(.*)'$/, '$1');
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
