import type { Catalogue } from '../../database/catalogue/catalogue.js';
import type { Operation } from '../../database/catalogue/operations.js';
import type { Storage } from '../../database/store/storage.js';
import type { SubTables } from '../../database/store/sub-tables.js';
import { type Fault, FaultError, missingDatabase } from '../../model/fault.js';
import { refusals } from '../../model/refusals.js';
import type { DatabaseDef, TableDef } from '../../model/schema.js';
import type { ObjectName } from '../../sql/syntax/ast.js';

/** Context of statements that define something. */
export interface DefinitionContext {
  readonly catalogue: Catalogue;
  readonly storage: Storage;
  readonly subTables: SubTables;
  /** The user of the request. */
  readonly user: string;
  /** Database of the URL. */
  readonly database: string | undefined;
  /** Zone of timestamps without one, in tag values. */
  readonly timeZone: string;
  /** Text of the statement, which spans point into. */
  readonly statement: string;
  /** Unix nanoseconds that NOW means. */
  readonly nowNs: bigint;
}

/** Submits one operation; a refusal is thrown, except the one with the code that the statement allows. */
export async function submit(
  { catalogue }: Pick<DefinitionContext, 'catalogue'>,
  operation: Operation,
  allowed?: number,
): Promise<void> {
  const [refused]: readonly (Fault | undefined)[] = await catalogue.submit([operation]);
  if (refused !== undefined && refused.code !== allowed) throw new FaultError(refused);
}

/** A database by name; the catalogue is read again before it counts as missing. */
export async function findDatabase({ catalogue }: DefinitionContext, name: string): Promise<DatabaseDef | undefined> {
  if (catalogue.database(name) === undefined) await catalogue.sync();
  return catalogue.database(name);
}

/** Like {@link findDatabase}, but a missing database is thrown as a fault. */
export async function knownDatabase(context: DefinitionContext, name: string): Promise<DatabaseDef> {
  const database = await findDatabase(context, name);
  if (database === undefined) throw new FaultError(missingDatabase(name));
  return database;
}

/** The database an object name lies in: its own prefix, or that of the URL. */
export async function databaseOf(context: DefinitionContext, { database }: ObjectName): Promise<DatabaseDef> {
  const name = database?.text ?? context.database;
  if (name === undefined) throw new FaultError(refusals.databaseNotSpecified);
  return knownDatabase(context, name);
}

/** A super table or normal table; the catalogue is read again before it counts as missing. */
export async function findTable(
  { catalogue }: DefinitionContext,
  database: DatabaseDef,
  name: string,
): Promise<TableDef | undefined> {
  if (catalogue.table(database.name, name) === undefined) await catalogue.sync();
  return catalogue.table(database.name, name);
}
