import type { Name } from '../syntax/ast.js';
import type { Statement, StreamOptions, StreamTag, StreamTrigger } from '../syntax/ast-statement.js';
import type { Cursor } from './cursor.js';
import { parseExpression } from './expression.js';
import { parseDuration } from './literals.js';
import { atName, parseColumnName, parseName, parseObjectName } from './names.js';
import { parseQuery } from './query.js';
import { parseType } from './types.js';

/** Longest name of a stream in bytes. */
const maxStreamNameBytes = 192;

/**
 * With what the other form of the statement, in which the trigger names a table of its own, continues behind the name.
 */
const otherForm = 'PERIOD INTERVAL SLIDING SESSION STATE_WINDOW EVENT_WINDOW COUNT_WINDOW FROM STREAM_OPTIONS'.split(
  ' ',
);

/**
 * `CREATE STREAM [IF NOT EXISTS] name [options] INTO [db.]table [(columns)] [TAGS (tags)] [SUBTABLE (expression)] AS
 * query`, from behind STREAM. The form whose trigger is apart from the query is refused with 0x0100.
 */
export function parseCreateStream(cursor: Cursor): Statement {
  const ifNotExists = cursor.acceptPhrase('IF NOT EXISTS');
  const name = parseName(cursor, maxStreamNameBytes);
  if (cursor.at('.') || otherForm.some((word) => cursor.at(word))) {
    cursor.refuse('CREATE STREAM with a trigger of its own; write CREATE STREAM name INTO table AS SELECT …');
  }
  const options = parseOptions(cursor);
  cursor.expect('INTO');
  const target = parseObjectName(cursor);
  const columns = cursor.at('(') ? cursor.bracketed(parseColumn) : undefined;
  const tags = cursor.accept('TAGS') ? cursor.bracketed(parseTag) : undefined;
  const subTable = cursor.accept('SUBTABLE') ? parseSubTable(cursor) : undefined;
  cursor.expect('AS');
  const start = cursor.start;
  const query = parseQuery(cursor);
  const text = cursor.sourceFrom(start);
  return { kind: 'create-stream', name, ifNotExists, options, target, columns, tags, subTable, query, text };
}

/** `DROP STREAM [IF EXISTS] name`, from behind STREAM. */
export function parseDropStream(cursor: Cursor): Statement {
  const ifExists = cursor.acceptPhrase('IF EXISTS');
  return { kind: 'drop-stream', name: parseName(cursor, maxStreamNameBytes), ifExists };
}

/** `PAUSE | RESUME STREAM [IF EXISTS] name [IGNORE UNTREATED]`, from behind STREAM. */
export function parseSwitchStream(cursor: Cursor, paused: boolean): Statement {
  const ifExists = cursor.acceptPhrase('IF EXISTS');
  const name = parseName(cursor, maxStreamNameBytes);
  if (!paused && cursor.acceptPhrase('IGNORE UNTREATED')) cursor.refuse('RESUME STREAM … IGNORE UNTREATED');
  return { kind: 'switch-stream', name, ifExists, paused };
}

function parseOptions(cursor: Cursor): StreamOptions {
  const options: { -readonly [Key in keyof StreamOptions]: StreamOptions[Key] } = {
    trigger: { kind: 'at-once' },
    watermark: undefined,
    ignoreExpired: false,
    fillHistory: false,
  };
  for (;;) {
    if (cursor.accept('TRIGGER')) options.trigger = parseTrigger(cursor);
    else if (cursor.accept('WATERMARK')) options.watermark = parseDuration(cursor);
    else if (cursor.acceptPhrase('IGNORE EXPIRED')) options.ignoreExpired = parseSwitch(cursor);
    else if (cursor.acceptPhrase('IGNORE UPDATE')) parseSwitch(cursor);
    else if (cursor.accept('FILL_HISTORY')) options.fillHistory = parseSwitch(cursor);
    else if (cursor.accept('DELETE_MARK')) parseDuration(cursor);
    else return options;
  }
}

function parseTrigger(cursor: Cursor): StreamTrigger {
  if (cursor.accept('AT_ONCE')) return { kind: 'at-once' };
  if (cursor.accept('WINDOW_CLOSE')) return { kind: 'window-close' };
  for (const word of ['FORCE_WINDOW_CLOSE', 'CONTINUOUS_WINDOW_CLOSE']) {
    if (cursor.at(word)) cursor.refuse(`TRIGGER ${word}`);
  }
  cursor.expect('MAX_DELAY');
  return { kind: 'max-delay', delay: parseDuration(cursor) };
}

function parseSwitch(cursor: Cursor): boolean {
  const text = cursor.text.slice(cursor.start, cursor.end);
  if (text !== '0' && text !== '1') cursor.fail();
  cursor.advance();
  return text === '1';
}

function parseColumn(cursor: Cursor): Name {
  const name = parseColumnName(cursor);
  if (cursor.at('PRIMARY') || cursor.at('COMPOSITE')) cursor.refuse('a composite key in the table of a stream');
  return name;
}

/** A tag with the type it gets, or its name alone when the table has it already. */
function parseTag(cursor: Cursor): StreamTag {
  const name = parseColumnName(cursor);
  return { name, type: atName(cursor) ? parseType(cursor, true) : undefined };
}

function parseSubTable(cursor: Cursor) {
  cursor.expect('(');
  const expression = parseExpression(cursor);
  cursor.expect(')');
  return expression;
}
