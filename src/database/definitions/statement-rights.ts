import { Codes, FaultError } from '../../model/fault.js';
import type { Name, ObjectName } from '../../sql/ast.js';
import type { Show, Statement } from '../../sql/ast-statement.js';
import { type Access, insufficientPrivilege } from '../rights.js';

/** Lists that show nodes, settings and what others run. */
const systemLists: ReadonlySet<string> = new Set([
  'CLUSTER VARIABLES',
  'CLUSTER MACHINES',
  'CLUSTER',
  'LOCAL VARIABLES',
  'VARIABLES',
  'DNODE VARIABLES',
  'GRANTS',
  'GRANTS FULL',
  'GRANTS LOGS',
  'LICENCES',
  'ANODES',
  'ANODES FULL',
  'DNODES',
  'MNODES',
  'QNODES',
  'SNODES',
  'BNODES',
  'VNODES',
  'COMPACTS',
  'ENCRYPTIONS',
  'ARBGROUPS',
  'MOUNTS',
  'CONNECTIONS',
  'QUERIES',
  'CONSUMERS',
  'TRANSACTIONS',
  'APPS',
  'SCORES',
  'DISK_INFO',
]);

/** Administration that anybody may ask for: it changes nothing. */
const harmless: ReadonlySet<string> = new Set(['RESET QUERY CACHE', 'SET TIMEZONE', 'ALTER LOCAL']);

/**
 * Throws unless the user may run the statement, as far as its syntax tells: definitions, SHOW and administration. Tables
 * that are read or written are checked where their names are resolved, because a right may lie on the super table of the
 * one that is named. `current` is the database of names without one.
 */
export function checkStatementRights(statement: Statement, access: Access, current: string | undefined): void {
  if (access.isAdministrator) return;
  switch (statement.kind) {
    case 'create-database':
      demand(access.createsDatabases);
      break;
    case 'alter-database':
      requireOwner(statement.name, access);
      break;
    case 'drop-database':
      requireDropping(statement, access);
      break;
    case 'create-table':
    case 'create-tsma':
      requireWriting([statement.table], access, current);
      break;
    case 'create-stream':
      requireWriting([statement.target], access, current);
      break;
    case 'drop-tsma':
      requireWriting([statement.tsma], access, current);
      break;
    case 'create-view':
    case 'drop-view':
      requireWriting([statement.view], access, current);
      break;
    case 'create-child-tables':
    case 'drop-table':
      requireWriting(
        statement.tables.map(({ table }) => table),
        access,
        current,
      );
      break;
    case 'alter-table':
      requireAltering(statement.table, access, current);
      break;
    case 'use':
      access.requireSight(statement.name.text);
      break;
    case 'describe':
      requireSight(statement.table.database, access, current);
      break;
    case 'show':
      checkShow(statement.show, access, current);
      break;
    case 'accepted':
      checkAdministration(statement, access, current);
      break;
    default:
      checkedWhereItRuns(statement.kind);
  }
}

/** Statements whose rights are known only where their names are resolved, or that their own rooms check. */
type CheckedElsewhere =
  | 'query'
  | 'insert'
  | 'insert-select'
  | 'delete'
  | 'create-topic'
  | 'drop-topic'
  | 'drop-consumer-group'
  | 'drop-stream'
  | 'switch-stream'
  | 'create-user'
  | 'alter-user'
  | 'drop-user'
  | 'grant'
  | 'revoke'
  | 'grant-topic'
  | 'revoke-topic'
  | 'create-token'
  | 'alter-token'
  | 'drop-token'
  | 'kill-query'
  | 'unsupported';

/** Says that nothing is left out: a new kind of statement that is named in neither list does not compile. */
function checkedWhereItRuns(_kind: CheckedElsewhere): void {}

function demand(allowed: boolean): void {
  if (!allowed) throw insufficientPrivilege();
}

/** Who may make databases is told that one is missing, which IF EXISTS allows. */
function requireDropping({ name, ifExists }: Extract<Statement, { kind: 'drop-database' }>, access: Access): void {
  try {
    requireOwner(name, access);
  } catch (error) {
    const isMissing = error instanceof FaultError && error.fault.code === Codes.databaseNotExist;
    if (!(isMissing && ifExists)) throw error;
  }
}

/** A database that is missing is called so to those who might have made it; others learn nothing. */
function requireOwner({ text }: Name, access: Access): void {
  if (access.owns(text)) return;
  throw access.sees(text) ? insufficientPrivilege() : access.refusal(text);
}

/** Making and dropping tables takes WRITE on all of the database: one table's right is not enough. */
function requireWriting(tables: readonly ObjectName[], access: Access, current: string | undefined): void {
  for (const { database } of tables) {
    const name = database?.text ?? current;
    if (name === undefined || access.may('WRITE', name)) continue;
    throw access.sees(name) ? insufficientPrivilege() : access.refusal(name);
  }
}

function requireAltering({ database, name }: ObjectName, access: Access, current: string | undefined): void {
  const inside = database?.text ?? current;
  if (inside === undefined || access.may('WRITE', inside) || access.may('ALTER', inside, name.text)) return;
  throw access.sees(inside) ? insufficientPrivilege() : access.refusal(inside);
}

function requireSight(database: Name | undefined, access: Access, current: string | undefined): void {
  const name = database?.text ?? current;
  if (name !== undefined) access.requireSight(name);
}

/** What lists users, rights and databases shows everybody their own; the other lists of objects are seen in their database. */
function checkShow(show: Show, access: Access, current: string | undefined): void {
  if (show.what === 'databases') return;
  if (show.what === 'list') {
    demand(access.seesSystem || !systemLists.has(show.list));
    if (show.ofDatabase !== undefined) access.requireSight(show.ofDatabase.text);
  } else if ('table' in show) requireSight(show.table.database, access, current);
  else requireSight(show.database, access, current);
  if (show.what === 'vgroups') demand(access.seesSystem);
}

function checkAdministration(
  { words, database, superTable }: Extract<Statement, { kind: 'accepted' }>,
  access: Access,
  current: string | undefined,
): void {
  if (harmless.has(words)) return;
  if (superTable !== undefined) {
    requireWriting([superTable], access, current);
    return;
  }
  if (database === undefined) throw insufficientPrivilege();
  const { text } = database;
  if (!access.may('WRITE', text)) throw access.sees(text) ? insufficientPrivilege() : access.refusal(text);
}
