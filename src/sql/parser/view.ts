import type { Statement } from '../syntax/ast-statement.js';
import type { Cursor } from './cursor.js';
import { parseObjectName } from './names.js';
import { parseQuery } from './query.js';

/** `CREATE [OR REPLACE] VIEW [db.]name AS query`, from behind VIEW. */
export function parseCreateView(cursor: Cursor, orReplace: boolean): Statement {
  const view = parseObjectName(cursor);
  cursor.expect('AS');
  const start = cursor.start;
  const query = parseQuery(cursor);
  return { kind: 'create-view', view, orReplace, query, text: cursor.sourceFrom(start) };
}

/** `DROP VIEW [IF EXISTS] [db.]name`, from behind VIEW. */
export function parseDropView(cursor: Cursor): Statement {
  const ifExists = cursor.acceptPhrase('IF EXISTS');
  return { kind: 'drop-view', view: parseObjectName(cursor), ifExists };
}
