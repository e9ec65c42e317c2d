import { checkedName } from '../../database/catalogue/column-type.js';
import { databaseOptions } from '../../database/catalogue/database-options.js';
import { defaultKeepDays } from '../../model/database-options.js';
import { Codes, FaultError, missingDatabase } from '../../model/fault.js';
import { refusals } from '../../model/refusals.js';
import { administrator } from '../../model/rights.js';
import type { StatementOf } from '../../sql/syntax/ast-statement.js';
import { systemDatabases } from '../../sql/values/context.js';
import { type DefinitionContext, findDatabase, knownDatabase, submit } from './context.js';
import { removeThoroughly } from './removal.js';

const maxNameBytes = 64;

/** Makes a database, which belongs to its maker unless that is the administrator. */
export async function createDatabase(
  statement: StatementOf<'create-database'>,
  context: DefinitionContext,
): Promise<void> {
  const {
    options,
    precision,
    keepDays = defaultKeepDays,
  } = databaseOptions(statement.options, undefined, context.statement);
  const name = checkedName(statement.name.text, maxNameBytes);
  if (isSystem(name)) {
    if (statement.ifNotExists) return;
    throw new FaultError(refusals.databaseAlreadyExists);
  }
  const allowed = statement.ifNotExists ? Codes.databaseAlreadyExists : undefined;
  const owner = context.user === administrator ? {} : { owner: context.user };
  return submit(context, { op: 'create-database', name, precision, keepDays, options, ...owner }, allowed);
}

/** Changes options of a database. */
export async function alterDatabase(
  statement: StatementOf<'alter-database'>,
  context: DefinitionContext,
): Promise<void> {
  const name = statement.name.text;
  if (isSystem(name)) throw new FaultError(refusals.permissionDenied);
  const database = await knownDatabase(context, name);
  const { options, keepDays } = databaseOptions(statement.options, database.options, context.statement);
  return submit(context, { op: 'alter-database', name, keepDays, options });
}

/** USE over HTTP changes nothing, but says whether the database is there. */
export async function useDatabase({ name }: StatementOf<'use'>, context: DefinitionContext): Promise<void> {
  if (!isSystem(name.text)) await knownDatabase(context, name.text);
}

/** Drops a database with all that is in it. */
export async function dropDatabase(
  { name, ifExists }: StatementOf<'drop-database'>,
  context: DefinitionContext,
): Promise<void> {
  if (isSystem(name.text)) throw new FaultError(refusals.permissionDenied);
  const database = await findDatabase(context, name.text);
  if (database === undefined) {
    if (ifExists) return;
    throw new FaultError(missingDatabase(name.text));
  }
  await submit(
    context,
    { op: 'drop-database', name: name.text, id: database.id },
    ifExists ? Codes.databaseNotExist : undefined,
  );
  await removeThoroughly(async () => {
    await context.storage.dropDatabase(database);
    await context.subTables.forgetAll(database);
  });
}

function isSystem(database: string): boolean {
  return systemDatabases.includes(database);
}
