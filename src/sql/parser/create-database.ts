import { databaseOptionNames } from '../../model/database-options.js';
import type { DatabaseOption, Statement } from '../syntax/ast-statement.js';
import { stringValue, TokenKind } from '../syntax/lexer.js';
import type { Cursor } from './cursor.js';
import { parseDatabaseName } from './names.js';

/** Ranges are the executor's business. Words of older versions are syntax errors. */
const databaseOptions = new Set(databaseOptionNames);

/** `CREATE DATABASE [IF NOT EXISTS] name {option}`, from the name clause on. */
export function parseCreateDatabase(cursor: Cursor): Statement {
  const ifNotExists = cursor.acceptPhrase('IF NOT EXISTS');
  const name = parseDatabaseName(cursor);
  return { kind: 'create-database', name, ifNotExists, options: parseOptions(cursor) };
}

/** `ALTER DATABASE name option {option}`, from the name on. */
export function parseAlterDatabase(cursor: Cursor): Statement {
  const name = parseDatabaseName(cursor);
  const options = parseOptions(cursor);
  if (options.length === 0) cursor.fail();
  return { kind: 'alter-database', name, options };
}

function parseOptions(cursor: Cursor): readonly DatabaseOption[] {
  const options: DatabaseOption[] = [];
  while (databaseOptions.has(cursor.word)) {
    const { start, word: name } = cursor;
    cursor.advance();
    const values = cursor.list(parseValue);
    options.push({ name, values, span: cursor.spanFrom(start) });
  }
  return options;
}

/** A string without its quotes, otherwise the text of a number or duration in lower case, sign included. */
function parseValue(cursor: Cursor): string {
  const { kind, start, end, text } = cursor;
  if (kind === TokenKind.string) {
    cursor.advance();
    return stringValue(text, start, end);
  }
  const negative = cursor.accept('-');
  const numeric = cursor.kind === TokenKind.integer || cursor.kind === TokenKind.number;
  if (!numeric && cursor.kind !== TokenKind.duration) cursor.fail();
  const value = text.slice(cursor.start, cursor.end).toLowerCase();
  cursor.advance();
  return negative ? `-${value}` : value;
}
