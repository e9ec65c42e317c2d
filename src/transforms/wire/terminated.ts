import { lineFeed } from '../../bytes/ascii.js';

/**
 * The text with a line break at its end, so that every scan that minds line breaks stops by itself. Copies only to add
 * one.
 */
export function terminated(bytes: Uint8Array): Uint8Array {
  if (bytes.length > 0 && bytes[bytes.length - 1] === lineFeed) return bytes;
  const copy = new Uint8Array(bytes.length + 1);
  copy.set(bytes);
  copy[bytes.length] = lineFeed;
  return copy;
}
