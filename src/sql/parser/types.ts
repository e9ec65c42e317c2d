import type { TypeSyntax } from '../syntax/ast.js';
import { TokenKind } from '../syntax/lexer.js';
import type { Cursor } from './cursor.js';
import { parseCount } from './literals.js';

/** Content of the brackets behind a type name. */
type Brackets = 'none' | 'length' | 'decimal';

const types = new Map<string, { readonly name: string; readonly brackets: Brackets; readonly integer: boolean }>([
  ['BOOL', plain('BOOL')],
  ['TINYINT', integer('TINYINT')],
  ['SMALLINT', integer('SMALLINT')],
  ['INT', integer('INT')],
  ['INTEGER', integer('INT')],
  ['BIGINT', integer('BIGINT')],
  ['FLOAT', plain('FLOAT')],
  ['DOUBLE', plain('DOUBLE')],
  ['TIMESTAMP', plain('TIMESTAMP')],
  ['JSON', plain('JSON')],
  ['BLOB', plain('BLOB')],
  ['MEDIUMBLOB', plain('BLOB')],
  ['VARCHAR', sized('VARCHAR')],
  ['BINARY', sized('VARCHAR')],
  ['NCHAR', sized('NCHAR')],
  ['VARBINARY', sized('VARBINARY')],
  ['GEOMETRY', sized('GEOMETRY')],
  ['DECIMAL', { name: 'DECIMAL', brackets: 'decimal', integer: false }],
]);

/**
 * A type name with its length. Synonyms arrive under their main name (BINARY as VARCHAR, INTEGER as INT, MEDIUMBLOB as
 * BLOB); names of other dialects are syntax errors. `lengthRequired` holds in definitions; CAST may leave the length
 * out.
 */
export function parseType(cursor: Cursor, lengthRequired: boolean): TypeSyntax {
  const start = cursor.start;
  const type = cursor.kind === TokenKind.word ? types.get(cursor.word) : undefined;
  if (type === undefined) return cursor.fail();
  cursor.advance();
  const name = type.integer && cursor.accept('UNSIGNED') ? `${type.name} UNSIGNED` : type.name;
  let length: number | undefined;
  let scale: number | undefined;
  if (type.brackets !== 'none' && cursor.accept('(')) {
    length = parseCount(cursor);
    if (type.brackets === 'decimal' && cursor.accept(',')) scale = parseCount(cursor);
    cursor.expect(')');
  } else if (type.brackets === 'length' && lengthRequired) {
    cursor.fail();
  }
  return { name, length, scale, span: cursor.spanFrom(start) };
}

function plain(name: string) {
  return { name, brackets: 'none', integer: false } as const;
}

function integer(name: string) {
  return { name, brackets: 'none', integer: true } as const;
}

function sized(name: string) {
  return { name, brackets: 'length', integer: false } as const;
}
