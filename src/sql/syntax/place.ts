import type { Fault } from '../../model/fault.js';

/**
 * The fault with the line and column of its place in a statement's text, both counted from 1. A place in another text,
 * say that of a view, is left out: its word does not stand there.
 */
export function withPlace(fault: Fault, text: string): Fault {
  const { place, message } = fault;
  if (place === undefined) return fault;
  const { start, word } = place;
  const there = text.startsWith('`', start) ? start + 1 : start;
  if (text.slice(there, there + word.length).toLowerCase() !== word.toLowerCase()) return fault;
  const before = text.slice(0, start).split('\n');
  const column = (before.at(-1)?.length ?? 0) + 1;
  return { ...fault, message: `${message} at line ${before.length}, column ${column}` };
}
