import { defaultKeepDays } from '../../../model/database-options.js';
import type { Precision } from '../../../model/schema.js';
import { ticksPerSecond } from '../../../model/schema.js';
import { kindOf, type Values } from '../keys/setting.js';
import { table } from '../keys/table.js';
import type { LoadInput } from './request.js';
import type { Section } from './section.js';

/** Reads `start_timestamp`: `now`, a timestamp text, or ticks of the database's precision. */
export function readStart(section: Section, precision: Precision, input: LoadInput): bigint {
  const now = BigInt(input.nowMs) * BigInt(ticksPerSecond(precision) / 1000);
  const node = section.get(table.start);
  if (node === undefined) return now;
  if (node.kind !== 'string' && node.kind !== 'number') {
    section.refuse(table.start, `expected a text or a number, found ${kindOf(node)}`);
    return now;
  }
  const text = node.text.trim();
  if (text.toLowerCase() === 'now') return now;
  if (/^-?\d+$/.test(text)) {
    if (node.kind === 'string') section.warn(table.start, 'is a text of digits; it is taken as a number of ticks');
    const ticks = BigInt(text);
    if (BigInt.asIntN(64, ticks) === ticks) return ticks;
  }
  const ticks = input.parseTime(text, precision);
  if (ticks !== undefined) return ticks;
  section.refuse(table.start, `failed to parse time ${JSON.stringify(text)}`);
  return now;
}

/** Time of the first row of a command line: 2017-07-14 02:40:00 UTC, as with other tools of this kind. */
const usualStart = 1_500_000_000_000;
const msPerDay = 86_400_000;
/** Rows of a run begin so many days before the database drops them, at least. */
const spareDays = 60;

/**
 * The start of a command line: the one that is given, or the usual one. Once a new database would not keep that any more, rows begin
 * on 1 January five years ago, so that all runs of one year begin at the same time.
 */
export function argumentStart(values: Values, { nowMs }: LoadInput): bigint {
  const text = values.get(table.startArgument);
  if (text !== undefined) return BigInt(text);
  if (usualStart >= nowMs - (defaultKeepDays - spareDays) * msPerDay) return BigInt(usualStart);
  return BigInt(Date.UTC(new Date(nowMs).getUTCFullYear() - 5, 0, 1));
}
