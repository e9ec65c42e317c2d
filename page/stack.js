/**
 * Values on top of each other, for stacked areas. A line has no point at a time of others only: its value is then between its
 * neighbours. A missing value adds nothing, and where all are missing there is a gap.
 * @param {readonly (number | null)[]} times in their order
 * @param {readonly (readonly (number | null | undefined)[])[]} lines values of each at these times; undefined for a time of others
 * @param {readonly boolean[]} isStacked whether a line is a part of the stack; others stay as they are
 * @returns {(number | null)[][]}
 */
export function stacked(times, lines, isStacked) {
  const filled = lines.map((values, at) => (isStacked[at] ? between(times, values) : [...values]));
  const sums = times.map((_, at) => ({
    sum: 0,
    isGap: filled.every((values, line) => !isStacked[line] || (values[at] ?? null) === null),
  }));
  return filled.map((values, line) =>
    values.map((value, at) => {
      const top = sums[at];
      if (!isStacked[line] || top === undefined) return /** @type {number | null} */ (value);
      if (top.isGap) return null;
      top.sum += value ?? 0;
      return top.sum;
    }),
  );
}

/**
 * Values with those between two points in place of undefined.
 * @param {readonly (number | null)[]} times
 * @param {readonly (number | null | undefined)[]} values
 * @returns {(number | null | undefined)[]}
 */
function between(times, values) {
  const filled = [...values];
  let last = -1;
  for (const [at, value] of values.entries()) {
    if (value === undefined) continue;
    const before = last < 0 ? null : values[last];
    if (value !== null && before !== null && before !== undefined) {
      const [begin, span] = [Number(times[last]), Number(times[at]) - Number(times[last])];
      for (let place = last + 1; place < at; place++) {
        filled[place] = before + ((value - before) * (Number(times[place]) - begin)) / span;
      }
    }
    last = at;
  }
  return filled;
}
