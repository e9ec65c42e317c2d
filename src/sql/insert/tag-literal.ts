import type { ColumnDef, Precision, TagValue } from '../../model/schema.js';
import { TagReader } from './convert-tag.js';
import { TimeReader } from './convert-time.js';
import { Cursor } from './cursor.js';

/**
 * The value of one tag written as a literal, by the same rules as in INSERT … USING … TAGS. Throws a FaultError for a
 * value that does not fit the tag. `precision` and `zone` are those of timestamps.
 */
export function readTagLiteral(
  literal: string,
  tag: ColumnDef,
  precision: Precision,
  zone: string,
  nowNs: bigint,
): TagValue {
  const cursor = new Cursor(Buffer.from(literal));
  cursor.skipBlanks();
  const value = new TagReader(cursor).read(tag, new TimeReader(cursor, precision, zone, nowNs));
  cursor.skipBlanks();
  if (cursor.at < cursor.end) throw cursor.syntaxError('invalid data or symbol');
  return value;
}
