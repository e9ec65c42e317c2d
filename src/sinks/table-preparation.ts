import { Slice } from '../async/slice.js';
import type { Catalogue } from '../database/catalogue/catalogue.js';
import { isAsMade } from '../database/catalogue/identity.js';
import { createNamed } from '../database/store/create-named.js';
import type { DatabaseParts } from '../database/store/parts.js';
import { staleSchema } from '../database/store/stale-schema.js';
import type { BlockGroup, Reading } from '../model/batch.js';
import type { ColumnBlock, TableStyle } from '../model/column-block.js';
import { Codes, type Fault, FaultError, fault } from '../model/fault.js';
import { refusals } from '../model/refusals.js';
import type { DatabaseDef, SubTable, TableDef } from '../model/schema.js';
import { type Growth, growthFor, isHeld } from './required-schema.js';

/** Context in which tables are prepared. */
type PreparationContext = Omit<DatabaseParts, 'engine'>;

/** Blocks of one table, in the order they came, and what was known when their text was read. */
export interface TableBlocks {
  readonly blocks: readonly ColumnBlock[];
  readonly reading: Reading | undefined;
  /** See {@link BlockGroup}. */
  readonly progressed?: BlockGroup['progressed'];
}

const noTable = refusals.tableNotExist;

/** The table of blocks when it is ready to take them as it is; undefined when something must be created first. */
export function readyTable(
  { catalogue, storage }: PreparationContext,
  database: DatabaseDef,
  { blocks, reading }: TableBlocks,
): TableDef | undefined {
  const first = blocks[0]!;
  const table = catalogue.table(database.name, first.table);
  if (table === undefined || !storage.isWhole(table) || isOutdated(catalogue, table, reading)) return undefined;
  for (const block of blocks) {
    if (block.style !== undefined && table.kind === 'normal') return undefined;
    for (const { registered, madeAs } of block.newSubTables) if (!registered || madeAs !== undefined) return undefined;
  }
  return isCovered(blocks, table) ? table : undefined;
}

/** True when a definition has every column and tag of blocks. Throws a FaultError as {@link growthFor} does. */
function isCovered(blocks: readonly ColumnBlock[], table: TableDef): boolean {
  // Blocks that agree with one definition agree with each other.
  if (blocks.every(({ coveredBy }) => coveredBy === table)) return true;
  if (!blocks.every((block) => isHeld(block, table))) {
    const { columns, tags } = growthFor(blocks, table);
    if (columns.length + tags.length > 0) return false;
    for (const { newSubTables } of blocks) for (const subTable of newSubTables) subTable.coveredBy = table;
  }
  for (const block of blocks) block.coveredBy = table;
  return true;
}

/**
 * Makes sure that the table of blocks, its columns, its storage and the sub-tables exist; schemaless blocks grow or
 * make the table. Throws a FaultError; {@link staleSchema} when something was dropped since the blocks were read, or
 * has the id of another one in them.
 */
export async function prepareTable(
  context: PreparationContext,
  database: DatabaseDef,
  written: TableBlocks,
): Promise<TableDef> {
  const { catalogue, storage } = context;
  const table = await fittingTable(context, database, written.blocks);
  await storage.ensure(database, table);
  written.progressed?.();
  if (isOutdated(catalogue, table, written.reading)) throw new FaultError(staleSchema);
  await register(context, database, table, written);
  return table;
}

/** True when the table of a block has all its columns and tags. Rows of statements were made for theirs. */
export function isDefined(catalogue: Catalogue, block: ColumnBlock): boolean {
  if (block.style === undefined) return true;
  const table = catalogue.table(block.database, block.table);
  if (table === undefined || table.kind === 'normal') return false;
  try {
    return isCovered([block], table);
  } catch {
    return false;
  }
}

/**
 * Makes or grows the table of a block, as the catalogue has it. Throws a FaultError. Its storage is made with the rows,
 * but that of a new table is begun, so that the first rows need not wait for it.
 */
export async function defineTable(context: PreparationContext, block: ColumnBlock): Promise<void> {
  const database = context.catalogue.database(block.database);
  if (database === undefined) return;
  const table = await fittingTable(context, database, [block]);
  if (isAsMade(table)) context.storage.ensure(database, table).catch(() => undefined);
}

/** True when the table is still as it was, and no series of it was dropped since the blocks' text was read. */
export function isCurrent(catalogue: Catalogue, table: TableDef, reading: Reading | undefined): boolean {
  return catalogue.table(table.database, table.name) === table && !isOutdated(catalogue, table, reading);
}

/** True when series that the blocks refer to may have been dropped since they were looked up. */
function isOutdated(catalogue: Catalogue, { database, name }: TableDef, reading: Reading | undefined): boolean {
  return reading !== undefined && reading.epoch < catalogue.lastDrop(database, name);
}

/** The table with every column and tag that the blocks hold; grown, or created for schemaless blocks, if need be. */
async function fittingTable(
  context: PreparationContext,
  database: DatabaseDef,
  blocks: readonly ColumnBlock[],
): Promise<TableDef> {
  const { catalogue } = context;
  const name = blocks[0]!.table;
  const style = blocks.find((block) => block.style !== undefined)?.style;
  const fitting = (): TableDef | Growth => {
    const table = catalogue.table(database.name, name);
    return table !== undefined && isCovered(blocks, table) ? table : growthFor(blocks, table);
  };
  let outcome = fitting();
  if (!('id' in outcome)) {
    await catalogue.sync();
    outcome = fitting();
  }
  const known = catalogue.table(database.name, name);
  if (known?.kind === 'normal' && style !== undefined) {
    throw new FaultError(fault('parameter', Codes.schemalessData, `table "${name}" is not a super table`));
  }
  if ('id' in outcome) return outcome;
  if (style !== undefined) return grow(context, database, blocks[0]!, style, outcome);
  throw new FaultError(known === undefined ? noTable : staleSchema);
}

async function grow(
  { catalogue, subTables }: PreparationContext,
  database: DatabaseDef,
  { table: name, sentAs }: ColumnBlock,
  { timeColumn }: TableStyle,
  growth: Growth,
): Promise<TableDef> {
  const extend = {
    op: 'extend-table',
    database: database.name,
    name,
    timeColumn,
    ...growth,
    ...(sentAs === undefined ? {} : { sentAs }),
    shares: 'shape',
  } as const;
  const refused =
    catalogue.table(database.name, name) === undefined
      ? await createNamed(catalogue, subTables, database, extend)
      : (await catalogue.submit([extend]))[0];
  if (refused !== undefined) throw new FaultError(withTable(refused, name));
  const grown = catalogue.table(database.name, name);
  if (grown === undefined) throw new FaultError(staleSchema);
  return grown;
}

/** What others have made meanwhile may leave no room for more: no line has read so, and the table must be named. */
function withTable(refused: Fault, table: string): Fault {
  const { kind, code, message } = refused;
  const isFull = code === Codes.tooManyTableColumns || code === Codes.invalidTagCount;
  return isFull ? fault(kind, code, `table "${table}": ${message}`) : refused;
}

async function register(
  { subTables }: PreparationContext,
  database: DatabaseDef,
  table: TableDef,
  { blocks, progressed }: TableBlocks,
): Promise<void> {
  const unregistered = new Set<SubTable>();
  const slice = new Slice();
  for (const block of blocks) {
    if (slice.isOver()) await slice.next();
    for (const subTable of block.newSubTables) if (!subTable.registered) unregistered.add(subTable);
  }
  if (unregistered.size > 0) {
    const arrives = blocks.some(({ style }) => style !== undefined);
    if (arrives && table.hasLostTags === true) await subTables.fillTags(database, table, [...unregistered]);
    const refused = await subTables.register(database, table, [...unregistered], progressed);
    if (refused !== undefined) throw new FaultError(refused);
  }
  for (const block of blocks) {
    if (slice.isOver()) await slice.next();
    giveIds(block);
  }
}

/**
 * Gives rows the ids of their series where these have others than the block was made with. Throws {@link staleSchema}
 * where rows of two series are under one id: the text must be read anew.
 */
function giveIds({ newSubTables, ids }: ColumnBlock): void {
  const realIds = new Map<bigint, bigint>();
  for (const { madeAs, id, isAmbiguous } of newSubTables) {
    if (isAmbiguous) throw new FaultError(staleSchema);
    if (madeAs !== undefined) realIds.set(madeAs, id);
  }
  if (realIds.size === 0) return;
  for (const [row, id] of ids.entries()) {
    const other = realIds.get(id);
    if (other !== undefined) ids[row] = other;
  }
}
