import { Codes, FaultError, fault } from '../../model/fault.js';
import type { DatabaseDef, TableDef } from '../../model/schema.js';
import type { Statement } from '../../sql/ast.js';
import { type DefinitionContext, databaseOf, findTable, submit } from './context.js';
import { removeThoroughly } from './removal.js';

type DropTable = Extract<Statement, { kind: 'drop-table' }>;

/** DROP TABLE of normal tables and sub-tables, DROP STABLE. */
export async function dropTables({ stable, tables }: DropTable, context: DefinitionContext): Promise<void> {
  for (const { table, ifExists } of tables) {
    const database = await databaseOf(context, table);
    const found = await findTable(context, database, table.name.text);
    if (found?.kind === 'super' && !stable && tables.length > 1) {
      throw new FaultError(fault('syntax', Codes.dropStableInBatch, 'Cannot drop super table in batch'));
    }
    if (found !== undefined && (found.kind === 'super' || !stable)) await dropWhole(database, found, context);
    else if (stable) missing(ifExists, Codes.stableNotExist, 'STable not exist');
    else if (!(await dropSubTable(database, table.name.text, context))) {
      missing(ifExists, Codes.tableNotExist, 'Table does not exist');
    }
  }
}

function missing(allowed: boolean, code: number, message: string): void {
  if (!allowed) throw new FaultError(fault('database', code, message));
}

async function dropWhole(database: DatabaseDef, table: TableDef, context: DefinitionContext): Promise<void> {
  const { name, id } = table;
  await submit(context, { op: 'drop-table', database: database.name, name, id }, Codes.tableNotExist);
  await removeThoroughly(() => context.storage.dropTable(table));
}

async function dropSubTable(database: DatabaseDef, name: string, context: DefinitionContext): Promise<boolean> {
  const { catalogue, storage, subTables } = context;
  const generation = catalogue.generation(database.name, name);
  const found = (await subTables.lookUp(database, [name])).get(name);
  const parent = found && catalogue.table(database.name, found.superTable);
  if (found === undefined || parent === undefined) return false;
  const drop = { op: 'drop-sub-table', database: database.name, superTable: parent.name, name, generation } as const;
  await submit(context, drop, Codes.tableNotExist);
  await removeThoroughly(async () => {
    await subTables.markDropped(parent, [found]);
    await storage.dropSeries(parent, [found.id]);
  });
  return true;
}
