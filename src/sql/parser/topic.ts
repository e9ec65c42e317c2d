import type { Statement, TopicSourceSyntax } from '../syntax/ast-statement.js';
import type { Cursor } from './cursor.js';
import { parseExpression } from './expression.js';
import { maxTableNameBytes, parseDatabaseName, parseName, parseObjectName } from './names.js';
import { parseQuery } from './query.js';

/** Longest name of a consumer group, in bytes. */
const maxGroupNameBytes = 192;

/**
 * `CREATE TOPIC [IF NOT EXISTS] name [WITH META] AS (query | STABLE table [WHERE condition] | DATABASE db)`, from
 * behind TOPIC.
 */
export function parseCreateTopic(cursor: Cursor): Statement {
  const ifNotExists = cursor.acceptPhrase('IF NOT EXISTS');
  const name = parseName(cursor, maxTableNameBytes);
  if (cursor.acceptPhrase('ONLY META')) cursor.refuse('CREATE TOPIC ... ONLY META');
  const meta = cursor.acceptPhrase('WITH META');
  cursor.expect('AS');
  return { kind: 'create-topic', name, ifNotExists, meta, source: parseSource(cursor) };
}

function parseSource(cursor: Cursor): TopicSourceSyntax {
  if (cursor.accept('DATABASE')) return { kind: 'database', database: parseDatabaseName(cursor) };
  if (cursor.accept('STABLE')) {
    const table = parseObjectName(cursor);
    if (!cursor.accept('WHERE')) return { kind: 'table', table, where: undefined, text: undefined };
    const start = cursor.start;
    const where = parseExpression(cursor);
    return { kind: 'table', table, where, text: cursor.sourceFrom(start) };
  }
  const start = cursor.start;
  const query = parseQuery(cursor);
  return { kind: 'query', query, text: cursor.sourceFrom(start) };
}

/** `DROP TOPIC [IF EXISTS] [FORCE] name`, from behind TOPIC. */
export function parseDropTopic(cursor: Cursor): Statement {
  const ifExists = cursor.acceptPhrase('IF EXISTS');
  const force = acceptForce(cursor);
  return { kind: 'drop-topic', name: parseName(cursor), ifExists, force };
}

/** `DROP CONSUMER GROUP [IF EXISTS] [FORCE] group ON topic`, from behind GROUP. */
export function parseDropConsumerGroup(cursor: Cursor): Statement {
  const ifExists = cursor.acceptPhrase('IF EXISTS');
  const force = acceptForce(cursor);
  const group = parseName(cursor, maxGroupNameBytes);
  cursor.expect('ON');
  return { kind: 'drop-consumer-group', group, topic: parseName(cursor), ifExists, force };
}

/** `force` may be a name itself: the word is an option only when a name follows. */
function acceptForce(cursor: Cursor): boolean {
  const force = cursor.at('FORCE') && cursor.isNameAhead();
  if (force) cursor.advance();
  return force;
}
