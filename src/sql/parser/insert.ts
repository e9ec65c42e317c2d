import type { Statement } from '../syntax/ast-statement.js';
import { TokenKind } from '../syntax/lexer.js';
import type { Cursor } from './cursor.js';
import { beginsQuery } from './from.js';
import { atName, parseNameList, parseObjectName } from './names.js';
import { parseQuery } from './query.js';

/**
 * `INSERT INTO table [(columns)] SELECT ...` is parsed here. Every other INSERT or IMPORT, faulty ones included, is
 * left to the INSERT scanner, which has its own error code: only its head is parsed, whatever its size.
 */
export function parseInsert(cursor: Cursor): Statement {
  const offset = cursor.start;
  if (!leadsToSelect(cursor)) return { kind: 'insert', offset };
  cursor.seek(offset);
  cursor.advance();
  cursor.expect('INTO');
  const table = parseObjectName(cursor);
  const columns = cursor.at('(') && !beginsQuery(cursor) ? parseNameList(cursor) : undefined;
  const query = parseQuery(cursor);
  cursor.finish();
  return { kind: 'insert-select', table, columns, query };
}

/** Moves over the head; the caller puts the cursor back. */
function leadsToSelect(cursor: Cursor): boolean {
  cursor.advance();
  if (!cursor.accept('INTO') || !skipName(cursor)) return false;
  if (cursor.accept('.') && !skipName(cursor)) return false;
  if (cursor.at('(') && !beginsQuery(cursor) && !skipColumnList(cursor)) return false;
  return beginsQuery(cursor);
}

function skipName(cursor: Cursor): boolean {
  if (cursor.kind !== TokenKind.word && cursor.kind !== TokenKind.quoted) return false;
  cursor.advance();
  return true;
}

function skipColumnList(cursor: Cursor): boolean {
  do {
    cursor.advance();
    if (!atName(cursor)) return false;
    cursor.advance();
  } while (cursor.at(','));
  return cursor.accept(')');
}
