import { openParenthesis } from '../../bytes/ascii.js';
import { FaultError } from '../../model/fault.js';
import { refusals } from '../../model/refusals.js';
import type { Name } from '../syntax/ast.js';
import { type Cursor, Token } from './cursor.js';
import { parseScaled } from './number.js';

const maxCommentBytes = 1024;
const maxTtlDays = 2147483647n;

/** A USING clause as written. Its tag values are passed by and read once the super table is known. */
export interface UsingClause {
  readonly database: string | undefined;
  readonly name: string;
  readonly tagNames: readonly Name[] | undefined;
  /** Where the bracket before the tag values is. */
  readonly valuesAt: number;
  /** Options of a sub-table that is made. */
  readonly options: SubTableOptions;
}

/** Days to live, 0 for ever, and the comment of a sub-table. */
export interface SubTableOptions {
  readonly ttl: number;
  readonly comment: string | undefined;
}

/** Reads `stb [(tags)] TAGS (values) {TTL days | COMMENT text}`; the word USING is passed already. */
export function readUsing(cursor: Cursor): UsingClause {
  const { database, name } = cursor.readObjectName();
  const tagNames = cursor.skip(openParenthesis) ? cursor.readNames() : undefined;
  if (!cursor.skipWord('TAGS')) throw cursor.syntaxError('TAGS is expected');
  cursor.skipBlanks();
  const valuesAt = cursor.at;
  if (cursor.bytes[valuesAt] !== openParenthesis) throw cursor.syntaxError('( is expected');
  cursor.skipBrackets();
  return { database: database?.text, name: name.text, tagNames, valuesAt, options: readOptions(cursor) };
}

/** Of an option that is given twice, the last one counts. */
function readOptions(cursor: Cursor): SubTableOptions {
  let ttl = 0;
  let comment: string | undefined;
  for (;;) {
    if (cursor.skipWord('TTL')) ttl = readTtl(cursor);
    else if (cursor.skipWord('COMMENT')) comment = readComment(cursor);
    else return { ttl, comment };
  }
}

function readTtl(cursor: Cursor): number {
  cursor.skipBlanks();
  const start = cursor.at;
  const token = cursor.readValue();
  const days = token === Token.number ? parseScaled(cursor.text, cursor.textStart, cursor.textEnd, 0) : undefined;
  if (days === undefined || days < 0n || days > maxTtlDays) throw cursor.syntaxError('invalid numeric data', start);
  return Number(days);
}

function readComment(cursor: Cursor): string {
  cursor.skipBlanks();
  const start = cursor.at;
  if (cursor.readValue() !== Token.string) throw cursor.syntaxError('invalid data or symbol', start);
  if (cursor.textEnd - cursor.textStart > maxCommentBytes) throw new FaultError(refusals.commentTooLong);
  return cursor.textString();
}
