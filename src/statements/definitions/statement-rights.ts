import type { Catalogue } from '../../database/catalogue/catalogue.js';
import { type Access, insufficientPrivilege } from '../../database/catalogue/rights.js';
import { Codes, FaultError } from '../../model/fault.js';
import type { Name, ObjectName } from '../../sql/syntax/ast.js';
import type { Show, StatementOf } from '../../sql/syntax/ast-statement.js';
import { showList } from '../../sql/syntax/show-lists.js';

/** Administration that every user may run: it changes nothing. */
const harmless: ReadonlySet<string> = new Set(['RESET QUERY CACHE', 'SET TIMEZONE', 'ALTER LOCAL']);

/** The user of a statement, and its current database. */
export interface Requester {
  readonly access: Access;
  readonly catalogue: Catalogue;
  /** Database of names without one. */
  readonly current: string | undefined;
}

/** Throws a FaultError unless the user may run the statement, by its syntax and the catalogue. */
export type Rights<S> = (statement: S, requester: Requester) => void;

/**
 * For statements that read or write tables: those are checked where their names are resolved, because a right may lie
 * on the super table of the one that is named.
 */
export function checkedByName(): void {}

/** For statements that are refused to no one: what a user may not see is left out of them. */
export function everybody(): void {}

/** For those who make databases. */
export function databaseMaking(_: unknown, { access }: Requester): void {
  demand(access.createsDatabases);
}

/** For the owner of the named database. */
export function databaseOwning({ name }: { readonly name: Name }, { access }: Requester): void {
  requireOwner(name, access);
}

function demand(allowed: boolean): void {
  if (!allowed) throw insufficientPrivilege();
}

/** As {@link databaseOwning}; for makers of databases a missing one is an error, which IF EXISTS allows. */
export function databaseDropping({ name, ifExists }: StatementOf<'drop-database'>, { access }: Requester): void {
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
export function writing<S>(tablesOf: (statement: S) => readonly ObjectName[]): Rights<S> {
  return (statement, requester) => requireWriting(tablesOf(statement), requester);
}

function requireWriting(tables: readonly ObjectName[], { access, current }: Requester): void {
  for (const { database } of tables) {
    const name = database?.text ?? current;
    if (name === undefined || access.may('WRITE', name)) continue;
    throw access.sees(name) ? insufficientPrivilege() : access.refusal(name);
  }
}

/** ALTER on the table, or WRITE on all of its database. */
export function altering(
  { table: { database, name } }: { readonly table: ObjectName },
  { access, current }: Requester,
): void {
  const inside = database?.text ?? current;
  if (inside === undefined || access.may('WRITE', inside) || access.may('ALTER', inside, name.text)) return;
  throw access.sees(inside) ? insufficientPrivilege() : access.refusal(inside);
}

/** As {@link altering}, for each of several tables. */
export function alteringEach(
  { tables }: { readonly tables: readonly { readonly table: ObjectName }[] },
  requester: Requester,
): void {
  for (const table of tables) altering(table, requester);
}

/** For those who see the named database. */
export function databaseInSight({ name }: { readonly name: Name }, { access }: Requester): void {
  access.requireSight(name.text);
}

/** For those who see the database of the named table. */
export function tableInSight({ table }: { readonly table: ObjectName }, requester: Requester): void {
  insideSight(table, requester);
}

/** For those who see the database that is listed. */
export function insideSight(
  { database }: { readonly database?: Name | undefined },
  { access, current }: Requester,
): void {
  const name = database?.text ?? current;
  if (name !== undefined) access.requireSight(name);
}

/** As {@link insideSight}, and only for those who see the system. */
export function systemInsideSight(show: { readonly database: Name | undefined }, requester: Requester): void {
  insideSight(show, requester);
  demand(requester.access.seesSystem);
}

/** Lists of users, rights and databases show everybody their own. */
export function listSight({ list, ofDatabase }: Extract<Show, { what: 'list' }>, { access }: Requester): void {
  demand(access.seesSystem || showList(list).isOfSystem === undefined);
  if (ofDatabase !== undefined) access.requireSight(ofDatabase.text);
}

/** Administration that changes nothing is for everybody. */
export function administration({ words, database }: StatementOf<'accepted'>, { access }: Requester): void {
  if (access.isAdministrator || harmless.has(words)) return;
  if (database === undefined) throw insufficientPrivilege();
  const { text } = database;
  if (!access.may('WRITE', text)) throw access.sees(text) ? insufficientPrivilege() : access.refusal(text);
}
