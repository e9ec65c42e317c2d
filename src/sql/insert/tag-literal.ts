import { apostrophe, quote } from '../../bytes/ascii.js';
import type { ColumnDef, Precision, TagValue } from '../../model/schema.js';
import { TagReader } from './convert-tag.js';
import { TimeReader } from './convert-time.js';
import { Cursor } from './cursor.js';
import { parseDouble } from './number.js';

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

/**
 * The value of one tag in `SET TAG`, which is laxer: a text that is no number means 0 for FLOAT and DOUBLE.
 * Otherwise as {@link readTagLiteral}.
 */
export const readChangedTag: typeof readTagLiteral = (literal, tag, ...times) =>
  (tag.type.name === 'FLOAT' || tag.type.name === 'DOUBLE') && isBadNumber(literal)
    ? '0'
    : readTagLiteral(literal, tag, ...times);

function isBadNumber(literal: string): boolean {
  const cursor = new Cursor(Buffer.from(literal));
  cursor.skipBlanks();
  const byte = cursor.bytes[cursor.at];
  if (byte !== apostrophe && byte !== quote) return false;
  cursor.readString();
  return !cursor.textIs('NULL') && Number.isNaN(parseDouble(cursor.text, cursor.textStart, cursor.textEnd));
}
