import type { Statement, TokenOptions } from '../syntax/ast-statement.js';
import type { Cursor } from './cursor.js';
import { parseCount, parseString } from './literals.js';
import { parseName } from './names.js';

/** Longest name of a token, in bytes. */
const maxTokenNameBytes = 31;

/** `CREATE TOKEN [IF NOT EXISTS] name FROM USER user {option}`, from behind TOKEN. */
export function parseCreateToken(cursor: Cursor): Statement {
  const ifNotExists = cursor.acceptPhrase('IF NOT EXISTS');
  const name = parseName(cursor, maxTokenNameBytes);
  cursor.expect('FROM');
  cursor.expect('USER');
  const user = parseName(cursor);
  return { kind: 'create-token', name, ifNotExists, user, options: parseOptions(cursor) };
}

/** `ALTER TOKEN name option {option}`, from behind TOKEN. */
export function parseAlterToken(cursor: Cursor): Statement {
  const name = parseName(cursor);
  const { start } = cursor;
  const options = parseOptions(cursor);
  if (cursor.start === start) cursor.fail();
  return { kind: 'alter-token', name, options };
}

/** `DROP TOKEN [IF EXISTS] name`, from behind TOKEN. */
export function parseDropToken(cursor: Cursor): Statement {
  const ifExists = cursor.acceptPhrase('IF EXISTS');
  return { kind: 'drop-token', name: parseName(cursor), ifExists };
}

/**
 * `ENABLE 0|1`, `TTL days`, `PROVIDER 's'` and `EXTRA_INFO 's'` in any order; of one that comes twice the last counts.
 */
function parseOptions(cursor: Cursor): TokenOptions {
  let options: TokenOptions = { enable: undefined, ttl: undefined, provider: undefined, extraInfo: undefined };
  for (;;) {
    if (cursor.accept('ENABLE')) options = { ...options, enable: parseCount(cursor) };
    else if (cursor.accept('TTL')) options = { ...options, ttl: parseCount(cursor) };
    else if (cursor.accept('PROVIDER')) options = { ...options, provider: parseString(cursor) };
    else if (cursor.accept('EXTRA_INFO')) options = { ...options, extraInfo: parseString(cursor) };
    else return options;
  }
}
