import type { WireFormat } from '../../model/batch.js';

/** Formats of lines in which several texts, one behind the other, mean what each of them means. */
export const lineFormats: ReadonlySet<WireFormat> = new Set(['lineproto', 'tsdbwire-telnet']);
/** Longest text that is worth being put behind others, and most that are read as one, in bytes. */
export const maxTextBytes = 16 * 1024;
export const maxJoinedBytes = 256 * 1024;
const newline = 0x0a;

/** Several texts of lines as one, and where each of them ends in it. */
interface JoinedLines {
  readonly bytes: Buffer;
  readonly ends: readonly number[];
}

/** Puts texts of lines one behind the other; the last line of each may lack its line break. */
export function joinLines(texts: readonly Uint8Array[]): JoinedLines {
  let length = 0;
  for (const text of texts) length += text.length + 1;
  const bytes = Buffer.allocUnsafe(length);
  const ends: number[] = [];
  let at = 0;
  for (const text of texts) {
    bytes.set(text, at);
    at += text.length;
    if (text.length > 0 && bytes[at - 1] !== newline) bytes[at++] = newline;
    ends.push(at);
  }
  return { bytes: bytes.subarray(0, at), ends };
}
