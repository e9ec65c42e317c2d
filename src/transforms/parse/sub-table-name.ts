import { createHash } from 'node:crypto';

/** ASCII lower case of a byte. */
function folded(byte: number): number {
  return byte >= 0x41 && byte <= 0x5a ? byte | 0x20 : byte;
}

/**
 * Order of tag names in a series: bytes compared without regard to ASCII case over the shorter length, then the shorter name
 * first. Names that differ in case only are ordered by their bytes, so that the order never depends on the text.
 */
function compareTagNames(a: Uint8Array, b: Uint8Array): number {
  const shorter = Math.min(a.length, b.length);
  for (let i = 0; i < shorter; i++) {
    const difference = folded(a[i]!) - folded(b[i]!);
    if (difference !== 0) return difference;
  }
  return a.length - b.length || Buffer.compare(a, b);
}

/** The tags of a series in the order of {@link compareTagNames}. */
export function sortTags(tags: Iterable<readonly [string, string]>): [string, string][] {
  const keyed = Array.from(tags, ([name, value]) => ({ bytes: Buffer.from(name), name, value }));
  keyed.sort((a, b) => compareTagNames(a.bytes, b.bytes));
  return keyed.map(({ name, value }): [string, string] => [name, value]);
}

/**
 * Name of the sub-table of a schemaless write: `t_` and the MD5 of `<super table>,<tag>=<value>,...` with the tags in the
 * order of {@link sortTags}. MD5 serves as a fingerprint that clients know, not as protection.
 */
export function seriesTableName(superTable: string, sortedTags: readonly (readonly [string, string])[]): string {
  const hash = createHash('md5').update(superTable);
  for (const [name, value] of sortedTags) hash.update(`,${name}=${value}`);
  return `t_${hash.digest('hex')}`;
}
