import type { StatementOf } from '../../sql/syntax/ast-statement.js';
import { type DefinitionContext, knownDatabase } from './context.js';

/** Statements that are accepted and do nothing must name databases that exist. */
export async function checkAccepted({ database }: StatementOf<'accepted'>, context: DefinitionContext): Promise<void> {
  if (database !== undefined) await knownDatabase(context, database.text);
}
