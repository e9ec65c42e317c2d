import { randomUUID } from 'node:crypto';
import { Slice } from '../../async/slice.js';
import { subTableKey } from '../../database/catalogue/identity.js';
import type { Operation } from '../../database/catalogue/operations.js';
import type { NamedSeries } from '../../database/store/sub-tables.js';
import { Codes, type Fault, FaultError, fault } from '../../model/fault.js';
import { noSuperTable, noTable } from '../../model/refusals.js';
import type { DatabaseDef, SubTable, TableDef } from '../../model/schema.js';
import type { StatementOf } from '../../sql/syntax/ast-statement.js';
import { type DefinitionContext, databaseOf, submit } from './context.js';
import { removeLater, removeThoroughly } from './removal.js';

type DropTable = StatementOf<'drop-table'>;

/** One table to drop: a super table or normal table whole, or one sub-table. */
type Target =
  | { readonly database: DatabaseDef; readonly table: TableDef; readonly subTable?: undefined }
  | { readonly database: DatabaseDef; readonly table: TableDef; readonly subTable: SubTable };

/**
 * Names that are given up together: with the longest names an entry of the catalogue stays below the 1 MB that a keeper
 * takes.
 */
const maxDroppedAtOnce = 3_000;

/** DROP TABLE of normal tables and sub-tables, DROP STABLE. All tables are checked before the first is dropped. */
export async function dropTables(statement: DropTable, context: DefinitionContext): Promise<void> {
  const ofParents = new Map<TableDef, { database: DatabaseDef; subTables: SubTable[] }>();
  for (const { database, table, subTable } of (await targetsOf(statement, context)).values()) {
    if (subTable === undefined) {
      await dropWhole(database, table, context);
      continue;
    }
    const group = ofParents.get(table) ?? { database, subTables: [] };
    group.subTables.push(subTable);
    ofParents.set(table, group);
  }
  for (const [parent, { database, subTables }] of ofParents) await dropSubTables(database, parent, subTables, context);
}

/** Tables that the names of the statement mean, each once, and without missing tables that may be missing. */
async function targetsOf(statement: DropTable, context: DefinitionContext): Promise<ReadonlyMap<string, Target>> {
  const { catalogue, subTables } = context;
  const isUnknown = (database: DatabaseDef, name: string): boolean =>
    catalogue.table(database.name, name) === undefined;
  const named = new Map<DatabaseDef, string[]>();
  const items: (readonly [database: DatabaseDef, item: DropTable['tables'][number]])[] = [];
  const slice = new Slice();
  for (const item of statement.tables) {
    if (slice.isOver()) await slice.next();
    const database = await databaseOf(context, item.table);
    items.push([database, item]);
    const { text } = item.table.name;
    if (!isUnknown(database, text)) continue;
    const names = named.get(database);
    if (names === undefined) named.set(database, [text]);
    else names.push(text);
  }
  if (named.size > 0) await catalogue.sync();
  const subTablesOf = new Map<DatabaseDef, ReadonlyMap<string, SubTable>>();
  if (!statement.stable) {
    for (const [database, names] of named) subTablesOf.set(database, await subTables.lookUp(database, names));
  }
  const targets = new Map<string, Target>();
  for (const [database, item] of items) {
    const target = targetOf(item, statement, database, subTablesOf.get(database), context);
    if (target !== undefined) targets.set(`${database.id} ${item.table.name.text}`, target);
  }
  return targets;
}

/** Table that a name of the statement means; undefined for a missing table that may be missing. */
function targetOf(
  { table: { name }, ifExists }: DropTable['tables'][number],
  { stable, tables }: DropTable,
  database: DatabaseDef,
  subTables: ReadonlyMap<string, SubTable> | undefined,
  { catalogue }: DefinitionContext,
): Target | undefined {
  const table = catalogue.table(database.name, name.text);
  if (table?.kind === 'super' && !stable && tables.length > 1) {
    throw new FaultError(fault('syntax', Codes.dropStableInBatch, 'Cannot drop super table in batch'));
  }
  if (table !== undefined && (table.kind === 'super' || !stable)) return { database, table };
  if (stable) return missing(ifExists, noSuperTable(name.text));
  const subTable = subTables?.get(name.text);
  const parent = subTable && catalogue.table(database.name, subTable.superTable);
  if (subTable !== undefined && parent !== undefined) return { database, table: parent, subTable };
  return missing(ifExists, noTable(name.text));
}

function missing(allowed: boolean, refusal: Fault): undefined {
  if (!allowed) throw new FaultError(refusal);
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
  // No query sees rows and tags of a number that no table has.
  if (table.number === undefined) await removeThoroughly(remove);
  else removeLater(remove);
}

/**
 * Drops sub-tables of one super table; what another process has dropped meanwhile is no fault. Names are given up many
 * at a time, and the sub-tables are marked. Queries leave out the rows of what is marked while the catalogue says that
 * they are being removed, which is done later: the engine's DELETE takes seconds, for few series as for many.
 */
export async function dropSubTables(
  database: DatabaseDef,
  parent: TableDef,
  subTables: readonly NamedSeries[],
  context: Pick<DefinitionContext, 'catalogue' | 'storage' | 'subTables'>,
): Promise<void> {
  const dropped: NamedSeries[] = [];
  const removal = randomUUID();
  let areMarked = false;
  const mark = async (): Promise<void> => {
    if (areMarked) await context.subTables.markAgain(database, parent, dropped);
    else await context.subTables.markDropped(database, parent, dropped);
    areMarked = true;
  };
  const remove = async (): Promise<void> => {
    await mark();
    await context.storage.dropSeries(
      parent,
      dropped.map(({ id }) => id),
    );
    await context.catalogue.submit([
      { op: 'rows-removed', database: database.name, name: parent.name, removals: [removal] },
    ]);
  };
  try {
    for (let at = 0; at < subTables.length; at += maxDroppedAtOnce) {
      const some = subTables.slice(at, at + maxDroppedAtOnce);
      dropped.push(...(await giveUp(database, parent, some, removal, context)));
    }
  } finally {
    if (dropped.length > 0) {
      removeLater(remove);
      await mark();
    }
  }
}

/** Takes the names of sub-tables out of the catalogue; returns those that were still there. */
async function giveUp(
  database: DatabaseDef,
  parent: TableDef,
  some: readonly NamedSeries[],
  removal: string,
  { catalogue }: Pick<DefinitionContext, 'catalogue'>,
): Promise<readonly NamedSeries[]> {
  const dropped: NamedSeries[] = [];
  const operations: Operation[] = [];
  for (const series of some) {
    const { key, name } = series;
    const generation = catalogue.generation(database.name, name);
    if (subTableKey(database.id, name, generation) !== key) continue;
    dropped.push(series);
    const drop = { op: 'drop-sub-table', database: database.name, superTable: parent.name, name, generation } as const;
    operations.push({ ...drop, removal });
  }
  if (dropped.length === 0) return [];
  const failures = await catalogue.submit(operations);
  const refused = failures.find((failure) => failure !== undefined && failure.code !== Codes.tableNotExist);
  if (refused !== undefined) throw new FaultError(refused);
  return dropped;
}
