import type { Expression, ObjectName } from '../syntax/ast.js';
import type { Statement } from '../syntax/ast-statement.js';
import { TokenKind } from '../syntax/lexer.js';
import type { Cursor } from './cursor.js';
import { parseExpression } from './expression.js';
import { parseDuration, parseWindowLength } from './literals.js';
import { parseObjectName } from './names.js';

/**
 * `CREATE TSMA [IF NOT EXISTS] [db.]name ON [db.]table FUNCTION (f, …) INTERVAL (d) [SLIDING (d)]`, from behind TSMA.
 * The recursive form stands on another TSMA and has its functions from there.
 */
export function parseCreateTsma(cursor: Cursor, recursive: boolean): Statement {
  const ifNotExists = cursor.acceptPhrase('IF NOT EXISTS');
  const tsma = parseObjectName(cursor);
  cursor.expect('ON');
  const table = parseObjectName(cursor);
  const functions = recursive && !cursor.at('FUNCTION') ? { list: [], texts: [] } : parseFunctions(cursor);
  return parseWindows(cursor, { tsma, ifNotExists, table, recursive, index: false }, functions);
}

/**
 * The older form: `CREATE SMA INDEX [IF NOT EXISTS] name ON table FUNCTION (f, …) INTERVAL (d[, offset]) [SLIDING (d)]
 * [WATERMARK d] [MAX_DELAY d] [DELETE_MARK d] [STABLE …]`, from behind INDEX. What follows the windows is checked in
 * shape and has no effect.
 */
export function parseSmaIndex(cursor: Cursor): Statement {
  const ifNotExists = cursor.acceptPhrase('IF NOT EXISTS');
  const tsma = parseObjectName(cursor);
  cursor.expect('ON');
  const table = parseObjectName(cursor);
  const functions = parseFunctions(cursor);
  const statement = parseWindows(cursor, { tsma, ifNotExists, table, recursive: false, index: true }, functions);
  while (cursor.accept('WATERMARK') || cursor.accept('MAX_DELAY') || cursor.accept('DELETE_MARK'))
    parseDuration(cursor);
  return statement;
}

/** `[IF EXISTS] [db.]name`, from behind TSMA or INDEX. */
export function parseDropTsma(cursor: Cursor, index: boolean): Statement {
  const ifExists = cursor.acceptPhrase('IF EXISTS');
  return { kind: 'drop-tsma', index, tsma: parseObjectName(cursor), ifExists };
}

interface Functions {
  readonly list: readonly Expression[];
  readonly texts: readonly string[];
}

interface Head {
  readonly tsma: ObjectName;
  readonly ifNotExists: boolean;
  readonly table: ObjectName;
  readonly recursive: boolean;
  readonly index: boolean;
}

function parseFunctions(cursor: Cursor): Functions {
  cursor.expect('FUNCTION');
  cursor.expect('(');
  const items = cursor.list(() => {
    const { start } = cursor;
    return { value: parseExpression(cursor), text: cursor.sourceFrom(start) };
  });
  cursor.expect(')');
  return { list: items.map(({ value }) => value), texts: items.map(({ text }) => text) };
}

function parseWindows(cursor: Cursor, head: Head, { list, texts }: Functions): Statement {
  cursor.expect('INTERVAL');
  cursor.expect('(');
  const interval = parseWindowLength(cursor);
  const offset = cursor.accept(',') ? parseWindowLength(cursor) : undefined;
  cursor.expect(')');
  const sliding = cursor.accept('SLIDING') ? parseSliding(cursor) : undefined;
  return { kind: 'create-tsma', ...head, functions: list, functionTexts: texts, interval, offset, sliding };
}

function parseSliding(cursor: Cursor) {
  const bracketed = cursor.accept('(');
  if (!bracketed && cursor.kind !== TokenKind.duration) cursor.fail();
  const sliding = parseWindowLength(cursor);
  if (bracketed) cursor.expect(')');
  return sliding;
}
