import type { Statement } from '../syntax/ast-statement.js';
import type { Cursor } from './cursor.js';
import { parseDatabaseName, parseName, parseObjectName } from './names.js';

/** `DROP DATABASE [IF EXISTS] [FORCE] name`, from behind DATABASE. A database may be called `force` itself. */
export function parseDropDatabase(cursor: Cursor): Statement {
  const ifExists = cursor.acceptPhrase('IF EXISTS');
  if (cursor.at('FORCE') && cursor.isNameAhead()) cursor.advance();
  return { kind: 'drop-database', name: parseDatabaseName(cursor), ifExists };
}

/** `DROP TABLE | STABLE [IF EXISTS] name {, [IF EXISTS] name}`, from behind the kind. */
export function parseDropTable(cursor: Cursor, stable: boolean): Statement {
  const tables = cursor.list(() => ({ ifExists: cursor.acceptPhrase('IF EXISTS'), table: parseObjectName(cursor) }));
  return { kind: 'drop-table', stable, tables };
}

/** `DROP USER [IF EXISTS] name`, from behind USER. */
export function parseDropUser(cursor: Cursor): Statement {
  const ifExists = cursor.acceptPhrase('IF EXISTS');
  return { kind: 'drop-user', name: parseName(cursor), ifExists };
}
