import type { Precision } from '../../model/schema.js';
import { ticksPerSecond } from '../../model/schema.js';
import type { LoadInput } from './request.js';
import { kindOf, type Section } from './section.js';

/** Reads `start_timestamp`: `now`, a timestamp text, or ticks of the database's precision. */
export function readStart(section: Section, precision: Precision, input: LoadInput): bigint {
  const now = BigInt(input.nowMs) * BigInt(ticksPerSecond(precision) / 1000);
  const node = section.any('start_timestamp');
  if (node === undefined || node.kind === 'null') return now;
  if (node.kind !== 'string' && node.kind !== 'number') {
    section.refuse('start_timestamp', `expected a text or a number, found ${kindOf(node)}`);
    return now;
  }
  const text = node.text.trim();
  if (text.toLowerCase() === 'now') return now;
  if (/^-?\d+$/.test(text)) {
    if (node.kind === 'string')
      section.warn('start_timestamp', 'is a text of digits; it is taken as a number of ticks');
    const ticks = BigInt(text);
    if (BigInt.asIntN(64, ticks) === ticks) return ticks;
  }
  const ticks = input.parseTime(text, precision);
  if (ticks !== undefined) return ticks;
  section.refuse('start_timestamp', `failed to parse time ${JSON.stringify(text)}`);
  return now;
}
