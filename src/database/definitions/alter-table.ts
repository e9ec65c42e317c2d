import { Codes, FaultError, fault } from '../../model/fault.js';
import type { AlterTableAction, Statement } from '../../sql/ast.js';
import type { TableChange } from '../catalogue/operations.js';
import { checkedName, columnSpec } from './column-type.js';
import { type DefinitionContext, databaseOf, findTable, submit } from './context.js';

/** What the dialect lets a sub-table change of its own. */
const ofSubTables: readonly string[] = ['set-tag', 'comment', 'ttl'];

/** ALTER TABLE and ALTER STABLE of a table's definition. */
export async function alterTable(
  { table, action }: Extract<Statement, { kind: 'alter-table' }>,
  context: DefinitionContext,
): Promise<void> {
  const database = await databaseOf(context, table);
  const name = table.name.text;
  const found = await findTable(context, database, name);
  if (found === undefined) {
    const isSubTable = (await context.subTables.lookUp(database, [name])).has(name);
    if (!isSubTable) throw new FaultError(fault('database', Codes.tableNotExist, 'Table does not exist'));
    if (ofSubTables.includes(action.kind)) throw notSupported(action);
    throw new FaultError(fault('database', Codes.invalidAlterTable, 'Invalid alter table statement'));
  }
  const onTag = action.kind.endsWith('tag');
  const onlySuper = found.kind === 'normal' && onTag;
  const onlyNormal = found.kind === 'super' && action.kind === 'rename-column';
  if (onlySuper || onlyNormal) {
    throw new FaultError(fault('database', Codes.invalidAlterTable, 'Invalid alter table statement'));
  }
  const change = changeOf(action);
  await submit(context, { op: 'alter-table', database: database.name, name, change });
  await context.storage.ensure(database, context.catalogue.table(database.name, name) ?? found);
}

function changeOf(action: AlterTableAction): TableChange {
  switch (action.kind) {
    case 'add-column':
    case 'modify-column':
      return { kind: action.kind, column: columnSpec({ ...action, primaryKey: false }, 'column') };
    case 'add-tag':
    case 'modify-tag':
      return { kind: action.kind, column: columnSpec({ ...action, primaryKey: false }, 'tag') };
    case 'drop-column':
    case 'drop-tag':
      return { kind: action.kind, name: action.name.text };
    case 'rename-column':
    case 'rename-tag':
      return { kind: action.kind, from: action.from.text, to: checkedName(action.to.text, 64) };
    case 'comment':
    case 'ttl':
      return action;
    default:
      throw notSupported(action);
  }
}

function notSupported({ kind }: AlterTableAction): FaultError {
  const words = kind.toUpperCase().replace('-', ' ');
  return new FaultError(fault('database', Codes.notSupported, `Operation not supported: ALTER TABLE ${words}`));
}
