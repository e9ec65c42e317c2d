import type { Name } from '../syntax/ast.js';
import type { Statement } from '../syntax/ast-statement.js';
import { TokenKind } from '../syntax/lexer.js';
import type { Cursor } from './cursor.js';
import { parseExpression } from './expression.js';
import { parseCount, parseString } from './literals.js';
import { parseDatabaseName, parseNameList, parseObjectName } from './names.js';

/** Checks what follows the words of a statement without effect; gives the database it names. */
type Rest = (cursor: Cursor) => Name | undefined;

/** Statements that are checked in shape and have no effect here, by their first words. */
const accepted: readonly (readonly [words: string, rest: Rest])[] = [
  ['FLUSH DATABASE', parseDatabaseName],
  ['TRIM DATABASE', trimDatabase],
  ['COMPACT DATABASE', compactDatabase],
  ['COMPACT VGROUPS', compactVgroups],
  ['COMPACT', compactOwnVgroups],
  ['BALANCE VGROUP LEADER', balanceLeader],
  ['BALANCE VGROUP', nothing],
  ['REDISTRIBUTE VGROUP', redistribute],
  ['SPLIT VGROUP', splitVgroup],
  ['MERGE VGROUP', mergeVgroups],
  ['SCAN DATABASE', compactDatabase],
  ['SCAN VGROUPS', compactVgroups],
  ['ROLLUP DATABASE', compactDatabase],
  ['ROLLUP VGROUPS', compactVgroups],
  ['S3MIGRATE DATABASE', parseDatabaseName],
  ['SSMIGRATE DATABASE', parseDatabaseName],
  ['RESET QUERY CACHE', nothing],
  ['KILL TRANSACTION', number],
  ['KILL COMPACT', number],
  ['KILL RETENTION', number],
  ['KILL SCAN', number],
  ['KILL SSMIGRATE', number],
  ['SET TIMEZONE', string],
  ['ALTER LOCAL', setting],
  ['ALTER CLUSTER', setting],
  ['ALTER ALL DNODES', setting],
  ['ALTER DNODE', numberedSetting],
  // Queries and streams run without nodes of their own.
  ...['QNODE', 'SNODE', 'BNODE'].flatMap((kind) =>
    ['CREATE', 'DROP'].map((verb) => [`${verb} ${kind}`, onDnode] as const),
  ),
];

const nodeKinds = ['DNODE', 'MNODE', 'ANODE'];
const restored = [...nodeKinds, 'QNODE', 'SNODE', 'BNODE', 'VNODE'];
const createOnly = [
  'VIRTUAL STABLE',
  'OR REPLACE FUNCTION',
  'OR REPLACE AGGREGATE FUNCTION',
  'AGGREGATE FUNCTION',
  'ENCRYPT_KEY',
];
const objects = ['FUNCTION', 'ROLE', 'VTABLE', 'MOUNT'];

/** Statements that are recognised by their first words and not available. */
const unavailable: readonly string[] = [
  ...[...objects, ...nodeKinds, ...createOnly].map((words) => `CREATE ${words}`),
  ...[...objects, ...nodeKinds].map((words) => `DROP ${words}`),
  ...['ROLE', 'VTABLE', 'VIEW', 'STREAM', 'TOPIC'].map((words) => `ALTER ${words}`),
  'SHOW CREATE VTABLE',
  'RECALCULATE STREAM',
  ...restored.map((words) => `RESTORE ${words}`),
];

/** An administrative statement without effect or without support; undefined when the statement is neither. */
export function parseAdministration(cursor: Cursor): Statement | undefined {
  if (cursor.acceptPhrase('KILL QUERY')) return { kind: 'kill-query', id: parseString(cursor) };
  if (cursor.acceptPhrase('KILL CONNECTION')) return { kind: 'kill-connection', id: parseCount(cursor) };
  if (cursor.acceptPhrase('CREATE INDEX')) return parseTagIndex(cursor);
  for (const [words, rest] of accepted) {
    if (cursor.acceptPhrase(words)) return { kind: 'accepted', words, database: rest(cursor) };
  }
  const words = unavailable.find((phrase) => cursor.acceptPhrase(phrase));
  return words === undefined ? undefined : { kind: 'unsupported', words };
}

/** `CREATE INDEX [IF NOT EXISTS] [db.]name ON table (tag)`, from behind INDEX. */
function parseTagIndex(cursor: Cursor): Statement {
  const ifNotExists = cursor.acceptPhrase('IF NOT EXISTS');
  const index = parseObjectName(cursor);
  cursor.expect('ON');
  const table = parseObjectName(cursor);
  const { start } = cursor;
  const [tag, ...others] = parseNameList(cursor);
  if (tag === undefined || others.length > 0) cursor.failAt(start, 'one tag is expected');
  return { kind: 'create-index', index, table, tag, ifNotExists };
}

function nothing(): undefined {
  return undefined;
}

function number(cursor: Cursor): undefined {
  parseCount(cursor);
}

function string(cursor: Cursor): undefined {
  parseString(cursor);
}

/** `'name' ['value']` */
function setting(cursor: Cursor): undefined {
  parseString(cursor);
  if (cursor.kind === TokenKind.string) parseString(cursor);
}

function numberedSetting(cursor: Cursor): undefined {
  parseCount(cursor);
  setting(cursor);
}

function trimDatabase(cursor: Cursor): Name {
  const database = parseDatabaseName(cursor);
  cursor.accept('WAL');
  if (cursor.accept('MAX_SPEED')) parseCount(cursor);
  return database;
}

function splitVgroup(cursor: Cursor): undefined {
  parseCount(cursor);
  cursor.accept('FORCE');
}

function mergeVgroups(cursor: Cursor): undefined {
  parseCount(cursor);
  parseCount(cursor);
}

/** `ON DNODE n` */
function onDnode(cursor: Cursor): undefined {
  cursor.expect('ON');
  cursor.expect('DNODE');
  parseCount(cursor);
}

function compactDatabase(cursor: Cursor): Name {
  const database = parseDatabaseName(cursor);
  compactRange(cursor);
  return database;
}

function compactVgroups(cursor: Cursor): undefined {
  cursor.expect('IN');
  cursor.bracketed(parseCount);
  compactRange(cursor);
}

/** `db.VGROUPS IN (…)` */
function compactOwnVgroups(cursor: Cursor): Name {
  const database = parseDatabaseName(cursor);
  cursor.expect('.');
  cursor.expect('VGROUPS');
  compactVgroups(cursor);
  return database;
}

function compactRange(cursor: Cursor): void {
  if (cursor.acceptPhrase('START WITH')) parseExpression(cursor);
  if (cursor.acceptPhrase('END WITH')) parseExpression(cursor);
  while (cursor.accept('META_ONLY') || cursor.accept('FORCE'));
}

function balanceLeader(cursor: Cursor): Name | undefined {
  if (cursor.accept('ON')) parseCount(cursor);
  return cursor.accept('DATABASE') ? parseDatabaseName(cursor) : undefined;
}

function redistribute(cursor: Cursor): undefined {
  parseCount(cursor);
  do {
    cursor.expect('DNODE');
    parseCount(cursor);
  } while (cursor.at('DNODE'));
}
