import { FaultError } from '../../model/fault.js';
import { noSuperTable, noTable, refusals } from '../../model/refusals.js';
import type { DatabaseDef, SubTable, TableDef, TagValue } from '../../model/schema.js';
import { readChangedTag } from '../../sql/insert/tag-literal.js';
import type { ObjectName } from '../../sql/syntax/ast.js';
import type { StatementOf, TagChange } from '../../sql/syntax/ast-statement.js';
import { tagValue } from './child-tables.js';
import { type DefinitionContext, databaseOf, findTable } from './context.js';

interface Place {
  readonly database: DatabaseDef;
  readonly parent: TableDef;
  readonly subTable: SubTable;
}

/** `ALTER TABLE t SET TAG …` of one or more sub-tables: all are checked before the first changes. */
export async function setTags({ stable, tables }: StatementOf<'set-tags'>, context: DefinitionContext): Promise<void> {
  const { storage, subTables } = context;
  const changes: (Place & { readonly values: ReadonlyMap<string, TagValue> })[] = [];
  for (const { table, tags } of tables) {
    const place = await placeOf(table, stable, context);
    changes.push({ ...place, values: tagValues(tags, place.parent, place.database, context) });
  }
  for (const { database, parent, subTable, values } of changes) {
    await storage.ensure(database, parent);
    await subTables.setTags(parent, subTable, values);
  }
}

async function placeOf(table: ObjectName, stable: boolean, context: DefinitionContext): Promise<Place> {
  const database = await databaseOf(context, table);
  const name = table.name.text;
  const def = await findTable(context, database, name);
  if (def !== undefined && !(stable && def.kind === 'normal')) throw new FaultError(refusals.invalidAlterTable);
  const subTable = (await context.subTables.lookUp(database, [name])).get(name);
  const parent = subTable && context.catalogue.table(database.name, subTable.superTable);
  if (stable) throw new FaultError(noSuperTable(name));
  if (subTable === undefined || parent === undefined) throw new FaultError(noTable(name));
  return { database, parent, subTable };
}

/**
 * The values that SET TAG gives to tags of a super table's sub-tables; throws a FaultError for one that does not fit.
 */
export function tagValues(
  tags: readonly TagChange[],
  parent: TableDef,
  database: DatabaseDef,
  context: DefinitionContext,
): ReadonlyMap<string, TagValue> {
  const values = new Map<string, TagValue>();
  for (const { name, value } of tags) {
    if (values.has(name.text)) throw new FaultError(refusals.duplicatedColumns);
    values.set(name.text, tagValue(name.text, value, parent, database, context, readChangedTag));
  }
  return values;
}
