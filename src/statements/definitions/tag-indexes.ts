import { checkedName } from '../../database/catalogue/column-type.js';
import { indexesOf } from '../../database/catalogue/tag-indexes.js';
import { Codes, FaultError } from '../../model/fault.js';
import { noSuperTable, notSupported, refusals } from '../../model/refusals.js';
import type { StatementOf } from '../../sql/syntax/ast-statement.js';
import { type DefinitionContext, databaseOf, findTable, submit } from './context.js';

/** Longest name of an index, in bytes. */
const maxNameBytes = 192;

/** CREATE INDEX on a tag: it is kept and listed. */
export async function createIndex(
  { index, table, tag, ifNotExists }: StatementOf<'create-index'>,
  context: DefinitionContext,
): Promise<void> {
  const database = await databaseOf(context, table);
  const name = checkedName(index.name.text, maxNameBytes);
  if (index.database !== undefined && index.database.text !== database.name) {
    throw new FaultError(notSupported('an index in another database'));
  }
  const def = await findTable(context, database, table.name.text);
  if (def?.kind !== 'super') throw new FaultError(noSuperTable(table.name.text));
  if (tableWithIndex(context, database.name, name) !== undefined) {
    if (ifNotExists) return;
    throw new FaultError(refusals.indexAlreadyExists);
  }
  const change = { kind: 'add-index', name, tag: tag.text } as const;
  const allowed = ifNotExists ? Codes.indexAlreadyExists : undefined;
  await submit(context, { op: 'alter-table', database: database.name, name: def.name, change }, allowed);
}

/** DROP INDEX on a tag; false when there is none of this name. */
export async function dropTagIndex(context: DefinitionContext, database: string, name: string): Promise<boolean> {
  const table = tableWithIndex(context, database, name);
  if (table === undefined) return false;
  await submit(context, { op: 'alter-table', database, name: table, change: { kind: 'drop-index', name } });
  return true;
}

/** The super table that has an index of this name. */
function tableWithIndex({ catalogue }: DefinitionContext, database: string, name: string): string | undefined {
  return catalogue.tables(database).find((table) => indexesOf(table).some((index) => index.name === name))?.name;
}
