/**
 * Counts the Unicode characters of `bytes[start, end)`, or returns -1 when the bytes are not well-formed UTF-8
 * (RFC 3629: no overlong forms, no surrogates, nothing above U+10FFFF). Allocates nothing.
 */
export function countCharacters(bytes: Uint8Array, start: number, end: number): number {
  let characters = 0;
  let at = start;
  while (at < end) {
    const lead = bytes[at]!;
    const width = lead < 0x80 ? 1 : sequenceLength(bytes, at, end, lead);
    if (width === 0) return -1;
    at += width;
    characters++;
  }
  return characters;
}

/** Length of the multi-byte sequence at `at`, 0 when it is ill-formed. */
function sequenceLength(bytes: Uint8Array, at: number, end: number, lead: number): number {
  if (lead < 0xc2 || lead > 0xf4) return 0;
  const width = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  if (at + width > end) return 0;
  const second = bytes[at + 1]!;
  // The second byte alone decides about overlong forms, surrogates and the upper end of the code space.
  const low = lead === 0xe0 ? 0xa0 : lead === 0xf0 ? 0x90 : 0x80;
  const high = lead === 0xed ? 0x9f : lead === 0xf4 ? 0x8f : 0xbf;
  if (second < low || second > high) return 0;
  for (let i = 2; i < width; i++) if ((bytes[at + i]! & 0xc0) !== 0x80) return 0;
  return width;
}
