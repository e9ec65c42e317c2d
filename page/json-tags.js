/** @typedef {import('./tags.js').KnownTag} KnownTag */
/** @typedef {Readonly<Record<string, unknown>>} Labels the object that a JSON tag of one series holds */

/**
 * The keys of a JSON tag, each as a tag with the number of its values and the series of each.
 * @param {string} name of the tag
 * @param {readonly Labels[]} series
 * @param {boolean} isSample whether there are more series
 * @returns {KnownTag[]}
 */
export function keysOf(name, series, isSample) {
  /** @type {Map<string, Map<string, number>>} */
  const keys = new Map();
  for (const labels of series) {
    for (const [key, value] of Object.entries(labels)) {
      const counts = keys.get(key) ?? new Map();
      keys.set(key, counts);
      const said = String(value);
      counts.set(said, (counts.get(said) ?? 0) + 1);
    }
  }
  return [...keys].map(([key, counts]) => ({
    name,
    key,
    type: 'JSON',
    distinct: counts.size,
    values: [...counts]
      .map(([value, many]) => ({ value, series: many }))
      .sort((a, b) => b.series - a.series || (a.value < b.value ? -1 : 1)),
    isSample,
    series,
  }));
}

/**
 * Tags as the series have them that filters leave: other metrics have other labels. Only filters of keys that say `=` count,
 * and those that no series meets, such as a value that is half written, do not.
 * @param {readonly KnownTag[]} tags
 * @param {readonly import('./explore-sql.js').Filter[]} filters
 * @returns {readonly KnownTag[]} those with most values first
 */
export function narrowed(tags, filters) {
  const of = tags.find(({ series }) => series !== undefined);
  /** @type {Map<string, string[]>} */
  const wanted = new Map();
  for (const { tag, comparison, value } of filters) {
    if (tag.key !== undefined && comparison === '=' && value !== '') {
      wanted.set(tag.key, [...(wanted.get(tag.key) ?? []), value]);
    }
  }
  if (of?.series === undefined || wanted.size === 0) return tags;
  const left = of.series.filter((labels) =>
    [...wanted].every(([key, values]) => key in labels && values.includes(String(labels[key]))),
  );
  return left.length === 0 ? tags : keysOf(of.name, left, of.isSample === true).sort(byValues);
}

/**
 * Tags with most values first.
 * @param {KnownTag} a
 * @param {KnownTag} b
 */
export function byValues(a, b) {
  return b.distinct - a.distinct || (a.name + a.key < b.name + b.key ? -1 : 1);
}
