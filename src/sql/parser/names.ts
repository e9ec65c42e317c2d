import { Codes, FaultError, fault } from '../../model/fault.js';
import { maxColumnNameBytes } from '../../model/sent-name.js';
import type { Expression, Name, ObjectName } from '../syntax/ast.js';
import { quotedNameText, stringValue, TokenKind } from '../syntax/lexer.js';
import type { Cursor } from './cursor.js';

/** Longest names in bytes, back quotes not counted. */
const maxDatabaseNameBytes = 64;
export const maxTableNameBytes = 192;

/**
 * Words that are never bare identifiers. The dialect reserves many more, but clients of several versions use them as
 * names, so every other word is a name wherever the grammar has no other reading for it.
 */
const strictWords = new Set(
  (
    'SELECT FROM WHERE GROUP ORDER PARTITION INTERVAL FILL LIMIT SLIMIT TAGS USING VALUES INTO ' +
    'AND OR NOT CASE WHEN THEN ELSE END'
  ).split(' '),
);

/** Words that end a select item or table and so cannot be an alias without AS. */
const neverBareAlias = new Set(['AS', 'ON', 'JOIN', 'UNION', 'HAVING', 'JLIMIT']);
/** Words that begin a clause only with what follows them. */
const bracketClauses = new Set(
  'RANGE EVERY SLIDING SESSION STATE_WINDOW COUNT_WINDOW EXTERNAL_WINDOW ANOMALY_WINDOW WINDOW_OFFSET OVER'.split(' '),
);
const joinSides = new Set(['INNER', 'LEFT', 'RIGHT', 'FULL']);
const joinFollowers = new Set(['JOIN', 'OUTER', 'SEMI', 'ANTI', 'ASOF', 'WINDOW']);

/** Whether the current token can stand as a name. */
export function atName(cursor: Cursor): boolean {
  if (cursor.kind === TokenKind.quoted) return true;
  return cursor.kind === TokenKind.word && !strictWords.has(cursor.word);
}

/**
 * A name of at most `maxBytes` UTF-8 bytes. Empty or too long: 0x2617. In back quotes any character may stand, control
 * characters too: names that arriving data made may hold them.
 */
export function parseName(cursor: Cursor, maxBytes = Number.POSITIVE_INFINITY): Name {
  if (!atName(cursor)) cursor.fail();
  return takeName(cursor, maxBytes);
}

/** Name of a database. */
export function parseDatabaseName(cursor: Cursor): Name {
  return parseName(cursor, maxDatabaseNameBytes);
}

/** Name of a column or tag in a definition. */
export function parseColumnName(cursor: Cursor): Name {
  return parseName(cursor, maxColumnNameBytes);
}

/** Pseudo columns: as bare names of columns they would take their place. */
const pseudoColumns = new Set(
  'TBNAME _C0 _ROWTS _IROWTS _IROWTS_ORIGIN _ISFILLED _QSTART _QEND _QDURATION _WSTART _WEND _WDURATION'.split(' '),
);

/** Name of a new column or tag. Names of pseudo columns need back quotes. */
export function parseNewColumnName(cursor: Cursor): Name {
  if (pseudoColumns.has(cursor.word)) cursor.fail();
  return parseColumnName(cursor);
}

/** A name behind a dot, where even the strict words have no other reading. */
export function parseMemberName(cursor: Cursor, maxBytes = Number.POSITIVE_INFINITY): Name {
  if (cursor.kind !== TokenKind.quoted && cursor.kind !== TokenKind.word) cursor.fail();
  return takeName(cursor, maxBytes);
}

/** `[db.]name`; a dot inside a back-quoted table name is refused with 0x2617. */
export function parseObjectName(cursor: Cursor): ObjectName {
  const first = parseName(cursor);
  const qualified = cursor.accept('.');
  const name = qualified ? parseMemberName(cursor, maxTableNameBytes) : first;
  if (qualified) checkLength(first, maxDatabaseNameBytes);
  else checkLength(first, maxTableNameBytes);
  if (name.quoted && name.text.includes('.')) throw invalidName(name.text);
  return { database: qualified ? first : undefined, name };
}

/** `(name, name ...)`, brackets included. */
export function parseNameList(cursor: Cursor): readonly Name[] {
  return cursor.bracketed(parseColumnName);
}

/** `[AS] alias` of a select item or PARTITION BY item; a string is an alias too and keeps its case. */
export function parseAlias(cursor: Cursor): Name | undefined {
  const explicit = cursor.accept('AS');
  if (cursor.kind === TokenKind.string) return takeStringName(cursor);
  return parseTableAlias(cursor, explicit);
}

/** `[AS] alias` of a table or subquery. */
export function parseTableAlias(cursor: Cursor, explicit = cursor.accept('AS')): Name | undefined {
  if (explicit) return parseName(cursor);
  return atBareAlias(cursor) ? takeName(cursor, Number.POSITIVE_INFINITY) : undefined;
}

function atBareAlias(cursor: Cursor): boolean {
  if (!atName(cursor)) return false;
  if (cursor.kind === TokenKind.quoted) return true;
  const word = cursor.word;
  if (neverBareAlias.has(word)) return false;
  if (bracketClauses.has(word)) return cursor.peek() !== '(';
  if (joinSides.has(word)) return !joinFollowers.has(cursor.peek());
  return word !== 'EVENT_WINDOW' || cursor.peek() !== 'START';
}

function takeName(cursor: Cursor, maxBytes: number): Name {
  const { text, start, end } = cursor;
  const quoted = cursor.kind === TokenKind.quoted;
  const name: Name = {
    text: quoted ? quotedNameText(text, start, end) : text.slice(start, end).toLowerCase(),
    quoted,
    span: { start, end },
  };
  if (name.text === '') throw invalidName('');
  checkLength(name, maxBytes);
  cursor.advance();
  return name;
}

function takeStringName(cursor: Cursor): Name {
  const { start, end } = cursor;
  const text = stringValue(cursor.text, start, end);
  if (text === '') throw invalidName(text);
  cursor.advance();
  return { text, quoted: true, span: { start, end } };
}

function checkLength(name: Name, maxBytes: number): void {
  if (name.text.length * 3 > maxBytes && Buffer.byteLength(name.text) > maxBytes) throw invalidName(name.text);
}

function invalidName(text: string): FaultError {
  return new FaultError(fault('syntax', Codes.invalidIdentifier, `Invalid identifier name: ${text.slice(0, 256)}`));
}

/** `*` or `table.*`, where a list may hold one; undefined when the next tokens are something else. */
export function parseStar(cursor: Cursor): Expression | undefined {
  const start = cursor.start;
  if (cursor.accept('*')) return { kind: 'star', table: undefined, span: cursor.spanFrom(start) };
  const named = cursor.kind === TokenKind.word || cursor.kind === TokenKind.quoted;
  if (!named || cursor.peek() !== '.') return undefined;
  const lastEnd = cursor.lastEnd;
  const table = parseName(cursor);
  cursor.advance();
  if (cursor.accept('*')) return { kind: 'star', table, span: cursor.spanFrom(start) };
  cursor.seek(start);
  cursor.lastEnd = lastEnd;
  return undefined;
}
