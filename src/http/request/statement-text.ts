import { behindBlanks } from '../../text/sql-blanks.js';

/** Blank, and tab to carriage return. */
function isBlank(byte: number): boolean {
  return byte === 32 || (byte >= 9 && byte <= 13);
}

/**
 * The bytes without leading and trailing white space, of which at most `most` bytes are searched on each side; shares
 * memory.
 */
export function trimmed(bytes: Buffer, most: number): Buffer {
  let start = 0;
  let end = bytes.length;
  const lastStart = Math.min(end, most);
  while (start < lastStart && isBlank(bytes[start]!)) start++;
  const firstEnd = Math.max(start, end - most);
  while (end > firstEnd && isBlank(bytes[end - 1]!)) end--;
  return bytes.subarray(start, end);
}

const queryWord = /^(?:select|show|desc|describe|explain)\b/i;
const longestQueryWord = 'describe'.length;
/** How far into a statement its first keyword is looked for. */
const keywordBytes = 4096;

/** True when a statement returns rows, judged by its first keyword, so that it can be refused before it runs. */
export function isQuery(statement: Buffer): boolean {
  const text = statement.toString('latin1', 0, Math.min(statement.length, keywordBytes));
  let start = behindBlanks(text, 0);
  while (text[start] === '(') start = behindBlanks(text, start + 1);
  return queryWord.test(text.slice(start, start + longestQueryWord + 1));
}
