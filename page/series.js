/** Lines that one plot shows. */
const maxLines = 12;

const textTypes = /^(?:VARCHAR|NCHAR|BOOL)/;

/** @typedef {{ names: string[]; data: (number | null)[][] }} Series */

/**
 * What can be drawn of rows: the first column of times against the columns of numbers, one line for each of them and for
 * each combination of the texts beside them. Undefined where there is nothing to draw.
 * @param {import('./sql.js').Rows} rows
 * @returns {{ series: Series | undefined; note: string }}
 */
export function readSeries({ columns, data }) {
  const timeAt = columns.findIndex(({ type }) => type === 'TIMESTAMP');
  const numbers = columns.flatMap(({ isNumber }, at) => (isNumber ? [at] : []));
  if (timeAt < 0 || numbers.length === 0 || data.length === 0) return { series: undefined, note: '' };
  const texts = columns.flatMap(({ type }, at) => (textTypes.test(type) ? [at] : []));
  /** @type {Map<string, Map<number, number | null>>} */
  const lines = new Map();
  /** @type {Set<number>} */
  const times = new Set();
  let left = 0;
  let repeated = 0;
  for (const row of data) {
    const seconds = Date.parse(String(row[timeAt])) / 1000;
    if (Number.isNaN(seconds)) continue;
    const group = texts.map((at) => String(row[at])).join(', ');
    for (const at of numbers) {
      const name = nameOf(columns[at]?.name ?? '', group, numbers.length);
      let line = lines.get(name);
      if (line === undefined) {
        if (lines.size >= maxLines) {
          left++;
          continue;
        }
        line = new Map();
        lines.set(name, line);
      }
      if (line.has(seconds)) repeated++;
      const value = row[at];
      line.set(seconds, value === null ? null : Number(value));
      times.add(seconds);
    }
  }
  if (times.size === 0) return { series: undefined, note: '' };
  const ordered = Float64Array.from(times).sort();
  // Undefined is a time of another line, null a value that is NULL: only that leaves a gap.
  const sorted = [...lines].sort(([a], [b]) => (a < b ? -1 : 1));
  const values = sorted.map(([, line]) => Array.from(ordered, (time) => /** @type {number | null} */ (line.get(time))));
  const notes = [];
  if (left > 0) notes.push(`Only the first ${maxLines} lines are drawn; a condition makes them fewer.`);
  if (repeated > 0) {
    notes.push(
      'Some times come more than once on a line, and the last value is drawn: select the tag that tells them apart too.',
    );
  }
  const note = notes.join(' ');
  return { series: { names: sorted.map(([name]) => name), data: [[...ordered], ...values] }, note };
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
