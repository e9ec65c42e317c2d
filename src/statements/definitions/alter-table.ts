import { keyIsFixed } from '../../database/catalogue/apply-table.js';
import { checkedEncoding } from '../../database/catalogue/column-encoding.js';
import { checkComment, checkedName, checkTtl, columnSpec } from '../../database/catalogue/column-type.js';
import type { TableChange } from '../../database/catalogue/operations.js';
import { FaultError } from '../../model/fault.js';
import { noSuperTable, noTable, refusals } from '../../model/refusals.js';
import type { DatabaseDef, SubTable } from '../../model/schema.js';
import { maxColumnNameBytes } from '../../model/sent-name.js';
import type { AlterTableAction, StatementOf } from '../../sql/syntax/ast-statement.js';
import { type DefinitionContext, databaseOf, findTable, submit } from './context.js';

/** ALTER TABLE and ALTER STABLE: of a table's definition, or of what one sub-table has of its own. */
export async function alterTable(
  { stable, table, action }: StatementOf<'alter-table'>,
  context: DefinitionContext,
): Promise<void> {
  const database = await databaseOf(context, table);
  const name = table.name.text;
  if (action.kind === 'comment') checkComment(action.text);
  if (action.kind === 'ttl') checkTtl(action.days);
  const def = await findTable(context, database, name);
  if (def === undefined) {
    const subTable = (await context.subTables.lookUp(database, [name])).get(name);
    const parent = subTable && context.catalogue.table(database.name, subTable.superTable);
    if (subTable === undefined || parent === undefined) throw missing(stable, name);
    if (stable) throw missing(stable, name);
    return alterSubTable(database, subTable, action, context);
  }
  if (stable && def.kind === 'normal') throw missing(stable, name);
  const onTag = action.kind.endsWith('tag');
  const onlySuper = def.kind === 'normal' && onTag;
  const onlyNormal = def.kind === 'super' && action.kind === 'rename-column';
  if (onlySuper || onlyNormal) throw new FaultError(refusals.invalidAlterTable);
  // How long rows are kept is up to the database; a super table may say so, too, as it may when it is created.
  if (action.kind === 'keep' && def.kind === 'super') return;
  const change = changeOf(action);
  await submit(context, { op: 'alter-table', database: database.name, name, change });
  await context.storage.ensure(database, context.catalogue.table(database.name, name) ?? def);
}

/** A sub-table has its comment and its time to live; its columns are those of the super table. */
async function alterSubTable(
  database: DatabaseDef,
  subTable: SubTable,
  action: AlterTableAction,
  { subTables }: DefinitionContext,
): Promise<void> {
  if (action.kind !== 'comment' && action.kind !== 'ttl') throw new FaultError(refusals.invalidAlterTable);
  const option = action.kind === 'comment' ? { comment: action.text } : { ttl: action.days };
  await subTables.setOption(database, subTable, option);
}

function missing(stable: boolean, name: string): FaultError {
  return new FaultError(stable ? noSuperTable(name) : noTable(name));
}

function changeOf(action: AlterTableAction): TableChange {
  switch (action.kind) {
    case 'add-column':
    case 'modify-column':
      if (action.isKey) throw new FaultError(keyIsFixed);
      return { kind: action.kind, column: columnSpec({ ...action, primaryKey: false }, 'column') };
    case 'add-tag':
    case 'modify-tag':
      return { kind: action.kind, column: columnSpec({ ...action, primaryKey: false }, 'tag') };
    case 'drop-column':
    case 'drop-tag':
      return { kind: action.kind, name: action.name.text };
    case 'rename-column':
    case 'rename-tag':
      return { kind: action.kind, from: action.from.text, to: checkedName(action.to.text, maxColumnNameBytes) };
    case 'encode-column':
      return { kind: action.kind, name: action.name.text, encoding: checkedEncoding(action.encoding) };
    case 'comment':
    case 'ttl':
      return action;
    case 'keep':
      throw new FaultError(refusals.invalidAlterTable);
  }
}
