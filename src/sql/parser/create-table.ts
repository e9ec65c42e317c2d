import type { EncodingWords } from '../../model/schema.js';
import type { Expression, ObjectName } from '../syntax/ast.js';
import type { ChildTable, ColumnSyntax, Statement, TableOptions } from '../syntax/ast-statement.js';
import { TokenKind } from '../syntax/lexer.js';
import type { Cursor } from './cursor.js';
import { parseExpression } from './expression.js';
import { foldSign, parseCount, parseDuration, parseString } from './literals.js';
import { atName, parseNameList, parseNewColumnName, parseObjectName } from './names.js';
import { parseType } from './types.js';

/** `CREATE STABLE ...`, from the name clause on. */
export function parseCreateStable(cursor: Cursor): Statement {
  const ifNotExists = cursor.acceptPhrase('IF NOT EXISTS');
  const table = parseObjectName(cursor);
  const columns = cursor.bracketed(parseColumn);
  if (!cursor.at('TAGS')) cursor.fail();
  return parseTableEnd(cursor, table, ifNotExists, columns);
}

/**
 * `CREATE TABLE ...`, from the name clause on: a normal table, a super table (with TAGS definitions), or one or many
 * sub-tables (USING). Sub-tables from a file on the server are not available.
 */
export function parseCreateTable(cursor: Cursor): Statement {
  const ifNotExists = cursor.acceptPhrase('IF NOT EXISTS');
  if (cursor.at('USING')) return { kind: 'unsupported', words: 'CREATE TABLE USING FILE' };
  const table = parseObjectName(cursor);
  if (cursor.at('USING')) return parseChildTables(cursor, table, ifNotExists);
  return parseTableEnd(cursor, table, ifNotExists, cursor.bracketed(parseColumn));
}

function parseTableEnd(
  cursor: Cursor,
  table: ObjectName,
  ifNotExists: boolean,
  columns: readonly ColumnSyntax[],
): Statement {
  const tags = cursor.accept('TAGS') ? cursor.bracketed(parseTag) : undefined;
  return { kind: 'create-table', table, ifNotExists, columns, tags, options: parseTableOptions(cursor) };
}

function parseColumn(cursor: Cursor): ColumnSyntax {
  const name = parseNewColumnName(cursor);
  const type = parseType(cursor, true);
  const primaryKey = parseKeyMark(cursor);
  const encoding = parseEncoding(cursor);
  return { name, type, primaryKey, ...(encoding === undefined ? {} : { encoding }) };
}

/** The words that make a column part of the key; false without them. */
export function parseKeyMark(cursor: Cursor): boolean {
  return cursor.acceptPhrase('PRIMARY KEY') || cursor.acceptPhrase('COMPOSITE KEY');
}

function parseTag(cursor: Cursor): ColumnSyntax {
  return { name: parseNewColumnName(cursor), type: parseType(cursor, true), primaryKey: false };
}

/** `ENCODE 's'`, `COMPRESS 's'` and `LEVEL 's'`, each of which may be left out; undefined when all are. */
export function parseEncoding(cursor: Cursor): EncodingWords | undefined {
  const encode = cursor.accept('ENCODE') ? parseString(cursor) : undefined;
  const compress = cursor.accept('COMPRESS') ? parseString(cursor) : undefined;
  const level = cursor.accept('LEVEL') ? parseString(cursor) : undefined;
  if (encode === undefined && compress === undefined && level === undefined) return undefined;
  return {
    ...(encode === undefined ? {} : { encode }),
    ...(compress === undefined ? {} : { compress }),
    ...(level === undefined ? {} : { level }),
  };
}

function parseChildTables(cursor: Cursor, first: ObjectName, firstIfNotExists: boolean): Statement {
  const tables = [parseChildTable(cursor, first, firstIfNotExists)];
  for (;;) {
    if (!cursor.accept(',') && !atName(cursor)) return { kind: 'create-child-tables', tables };
    const ifNotExists = cursor.acceptPhrase('IF NOT EXISTS');
    tables.push(parseChildTable(cursor, parseObjectName(cursor), ifNotExists));
  }
}

function parseChildTable(cursor: Cursor, table: ObjectName, ifNotExists: boolean): ChildTable {
  cursor.expect('USING');
  const superTable = parseObjectName(cursor);
  const tagNames = cursor.at('(') ? parseNameList(cursor) : undefined;
  cursor.expect('TAGS');
  const tagValues = cursor.bracketed(parseTagValue);
  return { ifNotExists, table, superTable, tagNames, tagValues, options: parseTableOptions(cursor) };
}

/** A tag value: a literal, its sign included, or a simple expression such as NOW or a CAST. */
export function parseTagValue(cursor: Cursor): Expression {
  return foldSign(parseExpression(cursor));
}

function parseTableOptions(cursor: Cursor): TableOptions {
  let comment: string | undefined;
  let ttl: number | undefined;
  const other: { name: string; text: string }[] = [];
  for (;;) {
    const word = cursor.word;
    if (word === 'VIRTUAL' && cursor.peek() !== 'USING' && cursor.peek() !== '.') cursor.refuse('virtual tables');
    if (!isTableOption(cursor, word)) return { comment, ttl, other };
    cursor.advance();
    if (word === 'COMMENT') comment = parseString(cursor);
    else if (word === 'TTL') ttl = parseCount(cursor);
    else other.push({ name: word, text: parseOptionText(cursor, word) });
  }
}

/** In a list of sub-tables an option word may also be the next table's name: then USING or a dot follows. */
function isTableOption(cursor: Cursor, word: string): boolean {
  switch (word) {
    case 'COMMENT':
    case 'TTL':
    case 'SMA':
    case 'ROLLUP':
    case 'KEEP':
    case 'WATERMARK':
    case 'MAX_DELAY':
    case 'DELETE_MARK':
    case 'DELAY':
    case 'FILE_FACTOR': {
      const next = cursor.peek();
      return next !== 'USING' && next !== '.';
    }
    default:
      return false;
  }
}

/** Checks the shape of an option without effect and gives its source text. */
function parseOptionText(cursor: Cursor, option: string): string {
  const start = cursor.start;
  switch (option) {
    case 'SMA':
    case 'ROLLUP':
      parseNameList(cursor);
      break;
    case 'DELAY':
    case 'FILE_FACTOR':
      if (cursor.kind !== TokenKind.integer && cursor.kind !== TokenKind.number) cursor.fail();
      cursor.advance();
      break;
    case 'KEEP':
      parseKeep(cursor);
      break;
    default:
      parseDuration(cursor);
      if (cursor.accept(',')) parseDuration(cursor);
  }
  return cursor.sourceFrom(start);
}

/** The value of KEEP, in days when it has no unit; gives its source text. */
export function parseKeep(cursor: Cursor): string {
  const start = cursor.start;
  if (cursor.kind !== TokenKind.integer && cursor.kind !== TokenKind.duration) cursor.fail();
  cursor.advance();
  return cursor.sourceFrom(start);
}
