import { cutToBytes } from '../../text/cut.js';
import type { Expression } from '../syntax/ast.js';
import type { Cursor } from './cursor.js';

/** Longest result name in bytes. */
const maxResultNameBytes = 64;

/**
 * The name a result column gets when it has no alias: the stored name of a plain column, with or without qualifier or
 * brackets; otherwise the source text from `start` to the last consumed token, blanks as written, in lower case outside
 * quotes and back quotes, cut at 64 bytes. A star keeps its text; what it expands to is the resolver's business.
 */
export function resultName(cursor: Cursor, value: Expression, start: number): string {
  if (value.kind === 'column') return value.name.text;
  const source = cursor.text.slice(start, Math.min(cursor.lastEnd, start + maxResultNameBytes));
  return cutToBytes(foldOutsideQuotes(source), maxResultNameBytes);
}

function foldOutsideQuotes(source: string): string {
  let folded = '';
  let from = 0;
  for (let at = 0; at < source.length; at += 1) {
    const letter = source.charAt(at);
    if (letter !== "'" && letter !== '"' && letter !== '`') continue;
    const close = quoteEnd(source, at);
    folded += source.slice(from, at).toLowerCase() + source.slice(at, close);
    from = close;
    at = close - 1;
  }
  return folded + source.slice(from).toLowerCase();
}

function quoteEnd(source: string, open: number): number {
  const delimiter = source.charAt(open);
  for (let at = open + 1; at < source.length; at += 1) {
    const letter = source.charAt(at);
    if (letter === '\\' && delimiter !== '`') at += 1;
    else if (letter === delimiter) return at + 1;
  }
  return source.length;
}
