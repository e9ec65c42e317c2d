/** @typedef {import('./series.js').Line} Line */

/**
 * The buckets of a histogram, as a heat map shows them, of lines with a label `le` or of columns whose names are bounds. Counts
 * of all series are added up. Buckets that count all that is not larger than their bound, as those of Prometheus do, become
 * the counts between the bounds. Undefined where the lines are no histogram.
 * @param {readonly Line[]} lines
 * @returns {{ names: string[]; data: (number | null)[][]; note: string } | undefined} the upper bounds, the times in seconds with
 *   the counts of each bucket, and what the counts are
 */
export function bucketsOf(lines) {
  /** @type {Map<number, Map<number, number>>} */
  const buckets = new Map();
  for (const line of lines) {
    const bound = boundOf(line);
    if (bound === undefined) continue;
    const counts = buckets.get(bound) ?? new Map();
    buckets.set(bound, counts);
    for (const [time, value] of line.points) if (value !== null) counts.set(time, (counts.get(time) ?? 0) + value);
  }
  if (buckets.size < 2) return undefined;
  const bounds = [...buckets.keys()].sort((a, b) => a - b);
  const times = [...Float64Array.from(new Set([...buckets.values()].flatMap((counts) => [...counts.keys()]))).sort()];
  const totals = bounds.map((bound) => times.map((time) => buckets.get(bound)?.get(time) ?? null));
  const isCumulative = times.every((_, at) => isRising(totals.map((counts) => counts[at] ?? null)));
  const data = isCumulative ? totals.map((counts, row) => differences(counts, totals.slice(0, row))) : totals;
  return {
    names: bounds.map((bound) => (bound === Infinity ? '+Inf' : String(bound))),
    data: [times, ...data],
    note: isCumulative
      ? 'Each cell counts what lies between its bound and the one below.'
      : 'Each cell counts what its bucket holds.',
  };
}

/**
 * The upper bound of a bucket: that of the label `le`, or the name of a column, also within a function.
 * @param {Line} line
 * @returns {number | undefined}
 */
function boundOf({ column, labels }) {
  const label = labels.find(({ name }) => name === 'le');
  if (label !== undefined) return numberOf(label.value);
  const [, inner] = /^\w+\((.*)\)$/.exec(column) ?? [];
  return numberOf((inner ?? column).replaceAll('`', ''));
}

/** @param {string} text */
function numberOf(text) {
  if (/^\+?inf(?:inity)?$/i.test(text)) return Infinity;
  return text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : undefined;
}

/** @param {readonly (number | null)[]} counts by rising bounds */
function isRising(counts) {
  let before = -Infinity;
  for (const count of counts) {
    if (count === null) continue;
    if (count < before) return false;
    before = count;
  }
  return true;
}

/**
 * Counts less those of the bucket below, at each time that of the next that has one.
 * @param {readonly (number | null)[]} counts
 * @param {readonly (readonly (number | null)[])[]} below
 * @returns {(number | null)[]}
 */
function differences(counts, below) {
  return counts.map((count, at) => {
    if (count === null) return null;
    for (let row = below.length - 1; row >= 0; row--) {
      const lower = below[row]?.[at] ?? null;
      if (lower !== null) return count - lower;
    }
    return count;
  });
}
