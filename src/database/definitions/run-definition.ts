import { Codes, FaultError, fault } from '../../model/fault.js';
import type { Name, ObjectName } from '../../sql/ast.js';
import type { Statement } from '../../sql/ast-statement.js';
import { Access } from '../rights.js';
import { alterTable } from './alter-table.js';
import { createChildTables } from './child-tables.js';
import { type DefinitionContext, databaseOf, findTable, knownDatabase } from './context.js';
import { createTable } from './create-table.js';
import { alterDatabase, createDatabase, dropDatabase, useDatabase } from './databases.js';
import { dropTables } from './drop-table.js';
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
    case 'create-database':
      return createDatabase(statement, context);
    case 'alter-database':
      return alterDatabase(statement, context);
    case 'drop-database':
      return dropDatabase(statement, context);
    case 'use':
      return useDatabase(statement, context);
    case 'accepted':
      return checkAccepted(statement, context);
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

/** What is accepted and does nothing names databases, super tables and tags that exist. */
async function checkAccepted(
  { database, superTable, tags = [] }: Extract<Definition, { kind: 'accepted' }>,
  context: DefinitionContext,
): Promise<void> {
  if (database !== undefined) await knownDatabase(context, database.text);
  if (superTable !== undefined) await knownSuperTable(context, superTable, tags);
}

async function knownSuperTable(context: DefinitionContext, name: ObjectName, tags: readonly Name[]): Promise<void> {
  const found = await findTable(context, await databaseOf(context, name), name.name.text);
  if (found?.kind !== 'super') throw new FaultError(fault('database', Codes.stableNotExist, 'STable not exist'));
  const unknown = tags.find(({ text }) => !found.tags.some((tag) => tag.name === text));
  if (unknown === undefined) return;
  throw new FaultError(fault('syntax', Codes.invalidTagName, `Invalid tag name: ${unknown.text}`));
}
