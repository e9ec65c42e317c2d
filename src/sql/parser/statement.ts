import type { Statement } from '../syntax/ast-statement.js';
import { TokenKind } from '../syntax/lexer.js';
import { parseAdministration } from './administration.js';
import { parseAlterTable } from './alter-table.js';
import { parseAlterDatabase, parseCreateDatabase } from './create-database.js';
import { parseCreateStable, parseCreateTable } from './create-table.js';
import { Cursor } from './cursor.js';
import { parseDropDatabase, parseDropTable, parseDropUser } from './drop.js';
import { parseExpression } from './expression.js';
import { parseInsert } from './insert.js';
import { parseCount } from './literals.js';
import { parseDatabaseName, parseObjectName } from './names.js';
import { parseQuery } from './query.js';
import { parseShow } from './show.js';
import { parseCreateStream, parseDropStream, parseSwitchStream } from './stream.js';
import { parseAlterToken, parseCreateToken, parseDropToken } from './token.js';
import { parseCreateTopic, parseDropConsumerGroup, parseDropTopic } from './topic.js';
import { parseCreateTsma, parseDropTsma, parseSmaIndex } from './tsma.js';
import { parseAlterUser, parseCreateUser, parseGrant } from './user.js';
import { parseCreateView, parseDropView } from './view.js';

/**
 * Syntax of one statement, with or without a trailing `;`. Names are not looked up and values not checked.
 *
 * Throws a FaultError: 0x2600 with the text from the offending token on, 0x2601 when the statement ends early, 0x2617
 * for an empty or too long name, 0x265D for EVERY or FILL without RANGE or window, 0x0100 inside a statement that is
 * otherwise supported (OVER, queries in conditions of DELETE, RANGE with a third argument ...). Runs in time
 * proportional to the text; of an INSERT of values only the head is read.
 */
export function parseStatement(text: string): Statement {
  const cursor = new Cursor(text);
  const statement = parseAny(cursor);
  if (statement.kind !== 'insert' && statement.kind !== 'unsupported') cursor.finish();
  return statement;
}

function parseAny(cursor: Cursor): Statement {
  const start = cursor.start;
  if (cursor.at('SELECT') || cursor.at('(')) return { kind: 'query', query: parseQuery(cursor), explain: undefined };
  if (cursor.at('INSERT') || cursor.at('IMPORT')) return parseInsert(cursor);
  const administration = parseAdministration(cursor);
  if (administration !== undefined) return administration;
  const verb = cursor.word;
  if (verb !== '') cursor.advance();
  switch (verb) {
    case 'SHOW':
      return parseShow(cursor);
    case 'DESCRIBE':
    case 'DESC':
      return { kind: 'describe', table: parseObjectName(cursor) };
    case 'CREATE':
      return parseCreate(cursor);
    case 'ALTER':
      return parseAlter(cursor);
    case 'DROP':
      return parseDrop(cursor);
    case 'DELETE':
      return parseDelete(cursor);
    case 'GRANT':
      return parseGrant(cursor, 'grant');
    case 'REVOKE':
      return parseGrant(cursor, 'revoke');
    case 'PAUSE':
    case 'STOP':
    case 'RESUME':
    case 'START':
      cursor.expect('STREAM');
      return parseSwitchStream(cursor, verb === 'PAUSE' || verb === 'STOP');
    case 'USE':
      return { kind: 'use', name: parseDatabaseName(cursor) };
    case 'EXPLAIN':
      return parseExplain(cursor);
    case '':
    case ';':
      return cursor.fail();
    default:
      return cursor.failAt(start);
  }
}

function parseCreate(cursor: Cursor): Statement {
  if (cursor.accept('TABLE')) return parseCreateTable(cursor);
  if (cursor.accept('STABLE')) return parseCreateStable(cursor);
  if (cursor.accept('DATABASE')) return parseCreateDatabase(cursor);
  if (cursor.accept('VIEW')) return parseCreateView(cursor, false);
  if (cursor.acceptPhrase('OR REPLACE VIEW')) return parseCreateView(cursor, true);
  if (cursor.accept('STREAM')) return parseCreateStream(cursor);
  if (cursor.accept('TSMA')) return parseCreateTsma(cursor, false);
  if (cursor.acceptPhrase('RECURSIVE TSMA')) return parseCreateTsma(cursor, true);
  if (cursor.acceptPhrase('SMA INDEX')) return parseSmaIndex(cursor);
  if (cursor.accept('TOKEN')) return parseCreateToken(cursor);
  if (cursor.accept('TOPIC')) return parseCreateTopic(cursor);
  cursor.expect('USER');
  return parseCreateUser(cursor);
}

function parseAlter(cursor: Cursor): Statement {
  if (cursor.accept('TABLE')) return parseAlterTable(cursor, false);
  if (cursor.accept('STABLE')) return parseAlterTable(cursor, true);
  if (cursor.accept('DATABASE')) return parseAlterDatabase(cursor);
  if (cursor.accept('TOKEN')) return parseAlterToken(cursor);
  cursor.expect('USER');
  return parseAlterUser(cursor);
}

function parseDrop(cursor: Cursor): Statement {
  if (cursor.accept('TABLE')) return parseDropTable(cursor, false);
  if (cursor.accept('STABLE')) return parseDropTable(cursor, true);
  if (cursor.accept('DATABASE')) return parseDropDatabase(cursor);
  if (cursor.accept('VIEW')) return parseDropView(cursor);
  if (cursor.accept('STREAM')) return parseDropStream(cursor);
  if (cursor.accept('TSMA')) return parseDropTsma(cursor, false);
  if (cursor.accept('INDEX')) return parseDropTsma(cursor, true);
  if (cursor.accept('TOKEN')) return parseDropToken(cursor);
  if (cursor.accept('TOPIC')) return parseDropTopic(cursor);
  if (cursor.acceptPhrase('CONSUMER GROUP')) return parseDropConsumerGroup(cursor);
  cursor.expect('USER');
  return parseDropUser(cursor);
}

function parseDelete(cursor: Cursor): Statement {
  cursor.expect('FROM');
  const table = parseObjectName(cursor);
  const where = cursor.accept('WHERE') ? parseExpression(cursor) : undefined;
  return { kind: 'delete', table, where };
}

/** `EXPLAIN [ANALYZE] [VERBOSE bool] [RATIO number] select`; the ratio is read and dropped. */
function parseExplain(cursor: Cursor): Statement {
  const analyze = cursor.accept('ANALYZE');
  let verbose = false;
  if (cursor.accept('VERBOSE')) {
    verbose = cursor.accept('TRUE');
    if (!verbose) cursor.expect('FALSE');
  }
  if (cursor.accept('RATIO')) {
    if (cursor.kind === TokenKind.number) cursor.advance();
    else parseCount(cursor);
  }
  return { kind: 'query', query: parseQuery(cursor), explain: { analyze, verbose } };
}
