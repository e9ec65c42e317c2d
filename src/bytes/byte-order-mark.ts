const markBytes = 3;

/**
 * Length of the mark U+FEFF in UTF-8 that some editors and shells put before a text, at `start`; 0 where there is none.
 */
export function byteOrderMarkLength(text: Uint8Array, start = 0): number {
  const isMark = text[start] === 0xef && text[start + 1] === 0xbb && text[start + 2] === 0xbf;
  return isMark ? markBytes : 0;
}

/** A text without such a mark, which would become a part of its first word. */
export function withoutByteOrderMark<T extends Uint8Array>(text: T): T;
export function withoutByteOrderMark(text: Uint8Array): Uint8Array {
  const length = byteOrderMarkLength(text);
  return length === 0 ? text : text.subarray(length);
}
