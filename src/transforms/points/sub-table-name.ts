import { fingerprintName, isPlain, isPlainName } from '../../model/label-set.js';

/** From here on the order of UTF-16 units is not that of the characters. */
const firstSurrogate = 0xd800;

/** ASCII lower case of a byte or UTF-16 unit. */
function folded(unit: number): number {
  return unit >= 0x41 && unit <= 0x5a ? unit | 0x20 : unit;
}

/**
 * Order of tag names in a series: bytes in UTF-8 compared without regard to ASCII case over the shorter length, then
 * the shorter name first. Names that differ in case only are ordered by their bytes, so that the order never depends on
 * the text.
 */
function compareTagNames(a: string, b: string): number {
  const shorter = Math.min(a.length, b.length);
  for (let i = 0; i < shorter; i++) {
    const unitA = a.charCodeAt(i);
    const unitB = b.charCodeAt(i);
    // Up to the surrogates UTF-8 keeps the order of the characters.
    if (unitA >= firstSurrogate || unitB >= firstSurrogate) return compareBytes(Buffer.from(a), Buffer.from(b));
    const difference = folded(unitA) - folded(unitB);
    if (difference !== 0) return difference;
  }
  if (a.length !== b.length) return a.length - b.length;
  return a < b ? -1 : Number(a > b);
}

function compareBytes(a: Uint8Array, b: Uint8Array): number {
  const shorter = Math.min(a.length, b.length);
  for (let i = 0; i < shorter; i++) {
    const difference = folded(a[i]!) - folded(b[i]!);
    if (difference !== 0) return difference;
  }
  return a.length - b.length || Buffer.compare(a, b);
}

/** The tags of a series in the order of {@link compareTagNames}. */
export function sortTags(tags: Iterable<readonly [string, string]>): (readonly [string, string])[] {
  return [...tags].sort(([a], [b]) => compareTagNames(a, b));
}

/**
 * Name of the sub-table of a schemaless write: `t_` and the MD5 of `<super table>,<tag>=<value>,...` with the tags in
 * the order of {@link sortTags}. MD5 serves as a fingerprint that clients know, not as protection. Where commas and
 * equals signs in names and values would let two series have the same text, their JSON text behind a NUL takes its
 * place.
 */
export function seriesTableName(superTable: string, sortedTags: readonly (readonly [string, string])[]): string {
  if (!isPlainName(superTable) || !sortedTags.every(isPlain)) {
    return fingerprintName(`\0${JSON.stringify([superTable, ...sortedTags])}`);
  }
  let text = superTable;
  for (const [name, value] of sortedTags) text += `,${name}=${value}`;
  return fingerprintName(text);
}
