import type { ObjectName } from '../ast.js';
import type { Statement } from '../ast-statement.js';
import { TokenKind } from '../lexer.js';
import type { Cursor } from './cursor.js';
import { parseDatabaseName, parseName, parseObjectName } from './names.js';

/** `DROP DATABASE [IF EXISTS] [FORCE] name`, from behind DATABASE. */
export function parseDropDatabase(cursor: Cursor): Statement {
  const ifExists = cursor.acceptPhrase('IF EXISTS');
  if (cursor.at('FORCE') && isNameAhead(cursor)) cursor.advance();
  return { kind: 'drop-database', name: parseDatabaseName(cursor), ifExists };
}

/** A database may be called `force` itself: the word is an option only when a name follows. */
function isNameAhead(cursor: Cursor): boolean {
  const { kind } = cursor.ahead();
  return kind === TokenKind.word || kind === TokenKind.quoted;
}

/** `DROP TABLE | STABLE [IF EXISTS] name {, [IF EXISTS] name}`, from behind the kind. */
export function parseDropTable(cursor: Cursor, stable: boolean): Statement {
  const tables: { table: ObjectName; ifExists: boolean }[] = [];
  do {
    const ifExists = cursor.acceptPhrase('IF EXISTS');
    tables.push({ ifExists, table: parseObjectName(cursor) });
  } while (cursor.accept(','));
  return { kind: 'drop-table', stable, tables };
}

/** `DROP USER [IF EXISTS] name`, from behind USER. */
export function parseDropUser(cursor: Cursor): Statement {
  const ifExists = cursor.acceptPhrase('IF EXISTS');
  return { kind: 'drop-user', name: parseName(cursor), ifExists };
}
