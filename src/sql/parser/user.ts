import { Codes, FaultError, fault } from '../../model/fault.js';
import type { Expression, Name } from '../syntax/ast.js';
import type { Statement } from '../syntax/ast-statement.js';
import { TokenKind } from '../syntax/lexer.js';
import type { Cursor } from './cursor.js';
import { parseExpression } from './expression.js';
import { parseCount, parseString } from './literals.js';
import { atName, maxTableNameBytes, parseMemberName, parseName } from './names.js';

/** The name of a user. Its errors say the rule: the statement is not repeated. */
function parseUserName(cursor: Cursor): Name {
  const { start } = cursor;
  const isEnd = cursor.kind === TokenKind.end;
  const name = isEnd || atName(cursor) ? parseName(cursor) : undefined;
  const isWhole = cursor.kind !== TokenKind.bad || cursor.start !== name?.span.end;
  if (name !== undefined && isWhole) return name;
  const rule =
    'it has letters of ASCII, digits and underscores and does not begin with a digit, or stands in back-quotes';
  const error = fault('syntax', Codes.syntaxError, `syntax error: this is no name of a user: ${rule}`);
  throw new FaultError({ ...error, place: { start, word: '' } });
}

/** `CREATE USER [IF NOT EXISTS] name PASS 'p' {option}`, from behind USER. HOST addresses are joined with commas. */
export function parseCreateUser(cursor: Cursor): Statement {
  cursor.carriesSecret = true;
  const ifNotExists = cursor.acceptPhrase('IF NOT EXISTS');
  const name = parseUserName(cursor);
  cursor.expect('PASS');
  const password = parseString(cursor);
  return { kind: 'create-user', name, ifNotExists, password, options: parseChanges(cursor, ['HOST']) };
}

/**
 * `ALTER USER name change {change}`, from the name on; a change is PASS, ENABLE, SYSINFO, CREATEDB, ADD HOST or DROP
 * HOST.
 */
export function parseAlterUser(cursor: Cursor): Statement {
  cursor.carriesSecret = true;
  const name = parseUserName(cursor);
  const changes = parseChanges(cursor, ['PASS', 'ADD HOST', 'DROP HOST']);
  if (Object.keys(changes).length === 0) cursor.fail();
  return { kind: 'alter-user', name, changes };
}

/** Switches of a user, and those of the other phrases that are named. HOST addresses are joined with commas. */
function parseChanges(cursor: Cursor, phrases: readonly string[]): Record<string, string> {
  const changes: Record<string, string> = {};
  for (;;) {
    const word = ['SYSINFO', 'CREATEDB', 'ENABLE', ...phrases].find((phrase) => cursor.acceptPhrase(phrase));
    if (word === undefined) break;
    changes[word] = word.endsWith('HOST')
      ? parseHosts(cursor)
      : word === 'PASS'
        ? parseString(cursor)
        : parseSwitch(cursor);
  }
  const unsupported = cursor.at('ADD') || cursor.at('DROP') ? cursor.peek() : cursor.word;
  if (limits.has(unsupported)) cursor.refuse(`${unsupported} of a user`);
  return changes;
}

/** Limits of users that the dialect has, and this service has not. */
const limits: ReadonlySet<string> = new Set([
  ...[
    'CHANGEPASS',
    'SESSION_PER_USER',
    'CONNECT_TIME',
    'CONNECT_IDLE_TIME',
    'CALL_PER_SESSION',
    'FAILED_LOGIN_ATTEMPTS',
  ],
  ...['PASSWORD_LOCK_TIME', 'PASSWORD_LIFE_TIME', 'PASSWORD_GRACE_TIME', 'PASSWORD_REUSE_TIME', 'PASSWORD_REUSE_MAX'],
  ...['INACTIVE_ACCOUNT_TIME', 'ALLOW_TOKEN_NUM', 'NOT_ALLOW_HOST', 'ALLOW_DATETIME', 'NOT_ALLOW_DATETIME', 'TOTPSEED'],
]);

const rightNames = ['ALL', 'READ', 'WRITE', 'ALTER', 'SUBSCRIBE'] as const;

/**
 * `right {, right} ON *.* | db.* | db.table [WITH condition] | topic TO user`, and FROM for REVOKE. The right on a
 * topic is SUBSCRIBE. Roles are refused by name.
 */
export function parseGrant(cursor: Cursor, kind: 'grant' | 'revoke'): Statement {
  const rights = cursor.list(parseRight);
  cursor.expect('ON');
  const database = cursor.accept('*') ? undefined : parseName(cursor, maxTableNameBytes);
  if (database !== undefined && !cursor.at('.')) return parseTopicGrant(cursor, kind, rights, database);
  cursor.expect('.');
  const table = parseStarOrTable(cursor, database);
  const condition = table !== undefined && cursor.accept('WITH') ? parseTagCondition(cursor) : undefined;
  cursor.expect(kind === 'grant' ? 'TO' : 'FROM');
  return { kind, rights, database, table, ...(condition === undefined ? {} : { condition }), user: parseName(cursor) };
}

function parseTagCondition(cursor: Cursor): { readonly text: string; readonly value: Expression } {
  const { start } = cursor;
  const value = parseExpression(cursor);
  return { text: cursor.sourceFrom(start), value };
}

function parseTopicGrant(cursor: Cursor, kind: 'grant' | 'revoke', rights: readonly string[], topic: Name): Statement {
  const known = rights.every((right) => right === 'SUBSCRIBE' || right === 'ALL');
  if (!known) cursor.refuse('rights on topics other than SUBSCRIBE');
  cursor.expect(kind === 'grant' ? 'TO' : 'FROM');
  return { kind: `${kind}-topic`, topic, user: parseName(cursor) };
}

function parseRight(cursor: Cursor): string {
  const name = rightNames.find((right) => cursor.accept(right));
  if (name === undefined) {
    const { word } = cursor.ahead();
    if (word === 'TO' || word === 'FROM') cursor.refuse('roles');
    return cursor.fail();
  }
  if (name === 'ALL') cursor.accept('PRIVILEGES');
  return name;
}

function parseStarOrTable(cursor: Cursor, database: Name | undefined): Name | undefined {
  if (database === undefined) cursor.expect('*');
  else if (!cursor.accept('*')) return parseMemberName(cursor, maxTableNameBytes);
  return undefined;
}

function parseSwitch(cursor: Cursor): string {
  return String(parseCount(cursor));
}

function parseHosts(cursor: Cursor): string {
  return cursor.list(parseString).join(',');
}
