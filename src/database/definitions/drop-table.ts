import { Codes, FaultError, fault } from '../../model/fault.js';
import type { DatabaseDef, SubTable, TableDef } from '../../model/schema.js';
import type { Statement } from '../../sql/ast-statement.js';
import { subTableId } from '../catalogue/identity.js';
import { type DefinitionContext, databaseOf, findTable, submit } from './context.js';
import { removeLater, removeThoroughly } from './removal.js';

type DropTable = Extract<Statement, { kind: 'drop-table' }>;

/** One table to drop: a super table or normal table whole, or one sub-table. */
type Target =
  | { readonly database: DatabaseDef; readonly table: TableDef; readonly subTable?: undefined }
  | { readonly database: DatabaseDef; readonly table: TableDef; readonly subTable: SubTable };

/** DROP TABLE of normal tables and sub-tables, DROP STABLE. All tables are checked before the first is dropped. */
export async function dropTables(statement: DropTable, context: DefinitionContext): Promise<void> {
  const targets = new Map<string, Target>();
  for (const item of statement.tables) {
    const target = await targetOf(item, statement, context);
    if (target !== undefined) targets.set(`${target.database.id} ${item.table.name.text}`, target);
  }
  for (const { database, table, subTable } of targets.values()) {
    if (subTable === undefined) await dropWhole(database, table, context);
    else await dropSubTable(database, table, subTable, context);
  }
}

/** What one name of the statement means; undefined for a missing table that may be missing. */
async function targetOf(
  { table: name, ifExists }: DropTable['tables'][number],
  { stable, tables }: DropTable,
  context: DefinitionContext,
): Promise<Target | undefined> {
  const database = await databaseOf(context, name);
  const table = await findTable(context, database, name.name.text);
  if (table?.kind === 'super' && !stable && tables.length > 1) {
    throw new FaultError(fault('syntax', Codes.dropStableInBatch, 'Cannot drop super table in batch'));
  }
  if (table !== undefined && (table.kind === 'super' || !stable)) return { database, table };
  if (stable) return missing(ifExists, Codes.stableNotExist, 'STable not exist');
  const subTable = (await context.subTables.lookUp(database, [name.name.text])).get(name.name.text);
  const parent = subTable && context.catalogue.table(database.name, subTable.superTable);
  if (subTable !== undefined && parent !== undefined) return { database, table: parent, subTable };
  return missing(ifExists, Codes.tableNotExist, 'Table does not exist');
}

function missing(allowed: boolean, code: number, message: string): undefined {
  if (!allowed) throw new FaultError(fault('database', code, message));
}

/** Drops a super table or normal table. */
export async function dropWhole(
  database: DatabaseDef,
  table: TableDef,
  context: Pick<DefinitionContext, 'catalogue' | 'storage' | 'subTables'>,
): Promise<void> {
  const { name, id } = table;
  await submit(context, { op: 'drop-table', database: database.name, name, id }, Codes.tableNotExist);
  const remove = async (): Promise<void> => {
    await context.storage.dropTable(table);
    if (table.kind === 'super') await context.subTables.forgetAll(database, table);
  };
  // Rows and tags of a number that no table has are seen by nobody.
  if (table.number === undefined) await removeThoroughly(remove);
  else removeLater(remove);
}

/** Drops one sub-table; what another process has dropped meanwhile is no fault. */
export async function dropSubTable(
  database: DatabaseDef,
  parent: TableDef,
  { id, name }: Pick<SubTable, 'id' | 'name'>,
  context: Pick<DefinitionContext, 'catalogue' | 'storage' | 'subTables'>,
): Promise<void> {
  const { catalogue, storage, subTables } = context;
  const generation = catalogue.generation(database.name, name);
  if (subTableId(database.id, name, generation) !== id) return;
  const drop = { op: 'drop-sub-table', database: database.name, superTable: parent.name, name, generation } as const;
  await submit(context, drop, Codes.tableNotExist);
  await removeThoroughly(async () => {
    await subTables.markDropped(database, parent, [{ id, name }]);
    await storage.dropSeries(parent, [id]);
  });
}
