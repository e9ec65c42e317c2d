import { Codes, FaultError, fault } from '../../model/fault.js';
import { refusals } from '../../model/refusals.js';
import type { Name, ObjectName } from '../../sql/syntax/ast.js';
import type { StatementOf } from '../../sql/syntax/ast-statement.js';
import { type DefinitionContext, databaseOf, findTable, knownDatabase } from './context.js';

/** Statements that are accepted and do nothing must name databases, super tables and tags that exist. */
export async function checkAccepted(
  { database, superTable, tags = [] }: StatementOf<'accepted'>,
  context: DefinitionContext,
): Promise<void> {
  if (database !== undefined) await knownDatabase(context, database.text);
  if (superTable !== undefined) await knownSuperTable(context, superTable, tags);
}

async function knownSuperTable(context: DefinitionContext, name: ObjectName, tags: readonly Name[]): Promise<void> {
  const found = await findTable(context, await databaseOf(context, name), name.name.text);
  if (found?.kind !== 'super') throw new FaultError(refusals.stableNotExist);
  const unknown = tags.find(({ text }) => !found.tags.some((tag) => tag.name === text));
  if (unknown === undefined) return;
  throw new FaultError(fault('syntax', Codes.invalidTagName, `Invalid tag name: ${unknown.text}`));
}
