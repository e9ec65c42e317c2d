import { Codes, FaultError, fault } from '../../model/fault.js';
import type { DatabaseDef, SubTable, TableDef } from '../../model/schema.js';
import type { ObjectName } from '../../sql/syntax/ast.js';
import { type DefinitionContext, databaseOf, findTable } from '../definitions/context.js';

/** Table that a statement describes: `table` of a sub-table is its super table. */
interface DescribedTable {
  readonly database: DatabaseDef;
  readonly table: TableDef;
  readonly subTable: SubTable | undefined;
}

/** The table that SHOW or DESCRIBE names; throws 0x2662 when there is none. */
export async function describedTable(name: ObjectName, context: DefinitionContext): Promise<DescribedTable> {
  const database = await databaseOf(context, name);
  const def = await findTable(context, database, name.name.text);
  if (def !== undefined) return { database, table: def, subTable: undefined };
  const subTable = (await context.subTables.lookUp(database, [name.name.text])).get(name.name.text);
  const table = subTable && context.catalogue.table(database.name, subTable.superTable);
  if (table === undefined) {
    const text = `Fail to get table info, error: Table does not exist: ${name.name.text}`;
    throw new FaultError(fault('database', Codes.tableInfo, text));
  }
  return { database, table, subTable };
}
