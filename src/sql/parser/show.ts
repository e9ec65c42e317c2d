import type { Name, ObjectName } from '../syntax/ast.js';
import type { Show, Statement } from '../syntax/ast-statement.js';
import { TokenKind } from '../syntax/lexer.js';
import { type ShowListName, showList, showListNames } from '../syntax/show-lists.js';
import type { Cursor } from './cursor.js';
import { parseCount, parseString } from './literals.js';
import { parseColumnName, parseDatabaseName, parseObjectName, parseTableAlias } from './names.js';

const lists = showListNames(({ ofNode }) => ofNode === undefined);
const databaseLists = showListNames(({ ofDatabase }) => ofDatabase !== undefined);

/** `SHOW ...`, from behind SHOW. */
export function parseShow(cursor: Cursor): Statement {
  return { kind: 'show', show: parseSubject(cursor) };
}

function parseSubject(cursor: Cursor): Show {
  if (cursor.kind === TokenKind.quoted || cursor.peek() === '.') return parseOfDatabase(cursor, parseOwner(cursor));
  if (cursor.accept('CREATE')) return parseShowCreate(cursor);
  if (cursor.acceptPhrase('TAGS FROM')) return { what: 'tags', table: parseTableOf(cursor) };
  if (cursor.acceptPhrase('TABLE TAGS')) return parseTableTags(cursor);
  if (cursor.acceptPhrase('TABLE DISTRIBUTED')) return { what: 'table-distributed', table: parseObjectName(cursor) };
  if (cursor.acceptPhrase('INDEXES FROM')) return { what: 'indexes', table: parseTableOf(cursor) };
  if (cursor.acceptPhrase('CLUSTER ALIVE')) return { what: 'alive', database: undefined };
  return parseDatabases(cursor) ?? parseTables(cursor) ?? parseList(cursor) ?? parseOfDatabase(cursor, undefined);
}

function parseDatabases(cursor: Cursor): Show | undefined {
  if (cursor.accept('DATABASES')) return { what: 'databases', which: 'all' };
  if (cursor.acceptPhrase('USER DATABASES')) return { what: 'databases', which: 'user' };
  if (cursor.acceptPhrase('SYSTEM DATABASES')) return { what: 'databases', which: 'system' };
  return undefined;
}

/** `[NORMAL | CHILD] [db.]TABLES [FROM db] [LIKE 'p']` */
function parseTables(cursor: Cursor): Show | undefined {
  const which = cursor.accept('NORMAL') ? 'normal' : cursor.accept('CHILD') ? 'child' : 'all';
  if (which === 'all' && !cursor.at('TABLES')) return undefined;
  const owned = cursor.kind === TokenKind.quoted || cursor.peek() === '.';
  const owner = owned ? parseOwner(cursor) : undefined;
  cursor.expect('TABLES');
  const database = parseFrom(cursor, owner);
  return { what: 'tables', which, database, like: parseLike(cursor) };
}

function parseList(cursor: Cursor): Show | undefined {
  const list = lists.find((words) => cursor.acceptPhrase(words));
  if (list !== undefined) {
    const { numbered, onNode, ofDatabase } = showList(list);
    if (ofDatabase !== undefined) return parseListOfDatabase(cursor, list, undefined);
    if (numbered) parseCount(cursor);
    const ofNode = onNode && cursor.acceptPhrase('ON DNODE') ? { dnode: parseCount(cursor) } : {};
    return { what: 'list', list, like: parseListLike(cursor, list), ...ofNode };
  }
  if (!cursor.accept('DNODE')) return undefined;
  const dnode = parseCount(cursor);
  cursor.expect('VARIABLES');
  return { what: 'list', list: 'DNODE VARIABLES', like: parseLike(cursor), dnode };
}

/** Reads a list that may follow `db.`, or precede `FROM db`, or stand alone and mean the current database. */
function parseOfDatabase(cursor: Cursor, owner: Name | undefined): Show {
  const list = databaseLists.find((word) => cursor.accept(word));
  if (list !== undefined) return parseListOfDatabase(cursor, list, owner);
  if (cursor.accept('ALIVE')) return { what: 'alive', database: parseFrom(cursor, owner) };
  if (cursor.accept('VGROUPS')) return { what: 'vgroups', database: parseFrom(cursor, owner), like: undefined };
  const what = cursor.accept('TABLES')
    ? 'tables'
    : cursor.accept('STABLES')
      ? 'stables'
      : cursor.fail(elsewhere(cursor));
  const database = parseFrom(cursor, owner);
  const like = parseLike(cursor);
  return what === 'tables' ? { what, which: 'all', database, like } : { what, database, like };
}

/** What lists of other databases are called here. */
const otherLists: ReadonlyMap<string, string> = new Map([
  ['MEASUREMENTS', 'SHOW STABLES'],
  ['SERIES', 'SHOW TABLES'],
  ['METRICS', 'SHOW STABLES'],
  ['SCHEMAS', 'SHOW DATABASES'],
  ['TAG', 'SHOW TAGS FROM table, or SELECT DISTINCT tag FROM table'],
  ['FIELD', 'DESCRIBE table'],
  ['COLUMNS', 'DESCRIBE table'],
  ['RETENTION', 'SHOW DATABASES'],
  ['CONTINUOUS', 'SHOW STREAMS'],
  ['PROCESSLIST', 'SHOW QUERIES'],
]);

function elsewhere({ word }: Cursor): string | undefined {
  const own = otherLists.get(word);
  return own === undefined ? undefined : `here it is ${own}`;
}

function parseListOfDatabase(cursor: Cursor, list: ShowListName, owner: Name | undefined): Show {
  const database = parseFrom(cursor, owner);
  const like = parseListLike(cursor, list);
  return { what: 'list', list, like, ...(database === undefined ? {} : { ofDatabase: database }) };
}

/** The database of a list, which stands before the word of the list or behind FROM. */
function parseFrom(cursor: Cursor, owner: Name | undefined): Name | undefined {
  return owner === undefined && cursor.accept('FROM') ? parseDatabaseName(cursor) : owner;
}

/** Behind a list that has no column for it, LIKE would be dropped. */
function parseListLike(cursor: Cursor, list: ShowListName): string | undefined {
  return showList(list).like === undefined ? undefined : parseLike(cursor);
}

function parseShowCreate(cursor: Cursor): Show {
  if (cursor.accept('DATABASE')) return { what: 'create-database', database: parseDatabaseName(cursor) };
  if (cursor.accept('TABLE')) return { what: 'create-table', table: parseObjectName(cursor) };
  if (cursor.accept('STABLE')) return { what: 'create-stable', table: parseObjectName(cursor) };
  cursor.expect('VIEW');
  return { what: 'create-view', table: parseObjectName(cursor) };
}

/** `TABLE TAGS [t1, t2 [AS x] | *] FROM stb`, from behind TAGS; no tags means all. `tbname` stands first however it is written. */
function parseTableTags(cursor: Cursor): Show {
  const tag = () => ({ name: parseColumnName(cursor), alias: parseTableAlias(cursor) });
  const tags = cursor.accept('*') || cursor.at('FROM') ? [] : cursor.list(tag);
  cursor.expect('FROM');
  return { what: 'table-tags', table: parseTableOf(cursor), tags };
}

/** `[db.]table [FROM db]`; a database behind FROM counts for a table without one. */
function parseTableOf(cursor: Cursor): ObjectName {
  const table = parseObjectName(cursor);
  if (table.database !== undefined || !cursor.accept('FROM')) return table;
  return { database: parseDatabaseName(cursor), name: table.name };
}

function parseOwner(cursor: Cursor): Name {
  const database = parseDatabaseName(cursor);
  cursor.expect('.');
  return database;
}

function parseLike(cursor: Cursor): string | undefined {
  return cursor.accept('LIKE') ? parseString(cursor) : undefined;
}
