import { backslash, comma, openBrace, openBracket } from './ascii.js';
import { countByte } from './count-byte.js';

/** Bytes that cost time and memory when JSON is read: values, arrays, objects and escapes each have one of these. */
const marks = [openBrace, openBracket, comma, backslash] as const;

/**
 * How many values a text of JSON has at most, and escapes: reading it takes a time that grows with their number, and
 * cannot be interrupted.
 */
export function countJsonMarks(bytes: Uint8Array): number {
  return marks.reduce((sum, mark) => sum + countByte(bytes, mark), 0);
}
