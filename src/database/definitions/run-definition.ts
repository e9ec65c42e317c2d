import { Codes, FaultError, fault } from '../../model/fault.js';
import type { Name, ObjectName } from '../../sql/ast.js';
import type { Statement } from '../../sql/ast-statement.js';
import { systemDatabases } from '../../sql/resolve/context.js';
import { administrator } from '../catalogue/principals.js';
import { Access } from '../rights.js';
import { alterTable } from './alter-table.js';
import { createChildTables } from './child-tables.js';
import { checkedName } from './column-type.js';
import { type DefinitionContext, databaseOf, findDatabase, findTable, knownDatabase, submit } from './context.js';
import { createTable } from './create-table.js';
import { databaseOptions } from './database-options.js';
import { dropTables } from './drop-table.js';
import { removeThoroughly } from './removal.js';
import { checkStatementRights } from './statement-rights.js';
import { dropStream, switchStream } from './streams.js';
import { changeToken } from './tokens.js';
import { grantTopic } from './topics.js';
import { createTsma, dropTsma } from './tsmas.js';
import { runUserStatement } from './users.js';
import { createView, dropView } from './views.js';

/** Statements that {@link runDefinition} runs. */
export type Definition = Exclude<
  Statement,
  {
    kind:
      | 'query'
      | 'insert'
      | 'insert-select'
      | 'delete'
      | 'show'
      | 'describe'
      | 'create-token'
      | 'create-topic'
      | 'drop-topic'
      | 'drop-consumer-group'
      | 'create-stream'
      | 'kill-query'
      | 'unsupported';
  }
>;

/** Runs a statement that changes the catalogue; it is visible to this process when the promise resolves. Throws FaultErrors. */
export async function runDefinition(statement: Definition, context: DefinitionContext): Promise<void> {
  // A table that another process dropped and made again a moment ago has another storage: the old one must not be meant.
  await context.catalogue.sync();
  checkStatementRights(statement, new Access(context.catalogue, context.user), context.database);
  switch (statement.kind) {
    case 'create-database': {
      const { given, precision, keepDays = 3650 } = databaseOptions(statement.options, undefined, context.statement);
      const name = checkedName(statement.name.text, 64);
      if (isSystem(name) && statement.ifNotExists) return;
      if (isSystem(name))
        throw new FaultError(fault('database', Codes.databaseAlreadyExists, 'Database already exists'));
      const allowed = statement.ifNotExists ? Codes.databaseAlreadyExists : undefined;
      const owner = context.user === administrator ? {} : { owner: context.user };
      return submit(context, { op: 'create-database', name, precision, keepDays, options: given, ...owner }, allowed);
    }
    case 'alter-database': {
      const name = statement.name.text;
      if (isSystem(name)) throw notPermitted();
      const database = await knownDatabase(context, name);
      const { given, keepDays } = databaseOptions(statement.options, database.options, context.statement);
      return submit(context, { op: 'alter-database', name, keepDays, options: given });
    }
    case 'drop-database':
      return dropDatabase(statement, context);
    case 'use':
    case 'accepted':
      if (statement.kind === 'use' && isSystem(statement.name.text)) return;
      if (statement.kind === 'use') await knownDatabase(context, statement.name.text);
      else if (statement.database !== undefined) await knownDatabase(context, statement.database.text);
      if (statement.kind === 'accepted' && statement.superTable !== undefined) {
        await knownSuperTable(context, statement.superTable, statement.tags ?? []);
      }
      return;
    case 'create-view':
      return createView(statement, context);
    case 'drop-view':
      return dropView(statement, context);
    case 'drop-stream':
      return dropStream(statement, context);
    case 'switch-stream':
      return switchStream(statement, context);
    case 'create-tsma':
      return createTsma(statement, context);
    case 'drop-tsma':
      return dropTsma(statement, context);
    case 'create-table':
      return createTable(statement, context);
    case 'create-child-tables':
      return createChildTables(statement.tables, context);
    case 'drop-table':
      return dropTables(statement, context);
    case 'alter-table':
      return alterTable(statement, context);
    case 'grant-topic':
    case 'revoke-topic':
      return grantTopic(statement, context);
    case 'alter-token':
    case 'drop-token':
      return changeToken(statement, context);
    default:
      return runUserStatement(statement, context);
  }
}

async function knownSuperTable(context: DefinitionContext, name: ObjectName, tags: readonly Name[]): Promise<void> {
  const found = await findTable(context, await databaseOf(context, name), name.name.text);
  if (found?.kind !== 'super') throw new FaultError(fault('database', Codes.stableNotExist, 'STable not exist'));
  const unknown = tags.find(({ text }) => !found.tags.some((tag) => tag.name === text));
  if (unknown === undefined) return;
  throw new FaultError(fault('syntax', Codes.invalidTagName, `Invalid tag name: ${unknown.text}`));
}

function isSystem(database: string): boolean {
  return systemDatabases.includes(database);
}

function notPermitted(): FaultError {
  const text = 'Permission denied or target object not exist';
  return new FaultError(fault('database', Codes.permissionDenied, text));
}

async function dropDatabase(
  { name, ifExists }: Extract<Definition, { kind: 'drop-database' }>,
  context: DefinitionContext,
): Promise<void> {
  if (isSystem(name.text)) throw notPermitted();
  const found = await findDatabase(context, name.text);
  if (found === undefined) {
    if (ifExists) return;
    throw new FaultError(fault('database', Codes.databaseNotExist, 'Database not exist'));
  }
  await submit(
    context,
    { op: 'drop-database', name: name.text, id: found.id },
    ifExists ? Codes.databaseNotExist : undefined,
  );
  await removeThoroughly(async () => {
    await context.storage.dropDatabase(found);
    await context.subTables.forgetAll(found);
  });
}
