import { Codes, FaultError, fault } from '../../model/fault.js';
import type { DatabaseDef, SubTable, TableDef, TagValue } from '../../model/schema.js';
import type { ChildTable } from '../../sql/ast.js';
import { readTagLiteral } from '../../sql/insert/tag-literal.js';
import { checkedName } from './column-type.js';
import { type DefinitionContext, databaseOf, findTable } from './context.js';

/** Sub-tables to make under one super table. */
interface Batch {
  readonly database: DatabaseDef;
  readonly superTable: TableDef;
  readonly made: Map<string, SubTable>;
}

/** CREATE TABLE … USING …: all items are checked before any is made. */
export async function createChildTables(items: readonly ChildTable[], context: DefinitionContext): Promise<void> {
  const batches = new Map<string, Batch>();
  for (const item of items) {
    const database = await databaseOf(context, item.table);
    const superTable = await superTableOf(item, database, context);
    const key = `${database.name}\n${superTable.name}`;
    let batch = batches.get(key);
    if (batch === undefined) {
      batch = { database, superTable, made: new Map() };
      batches.set(key, batch);
    }
    const name = checkedName(item.table.name.text, 192);
    const tags = tagsOf(item, superTable, database, context);
    const made = context.subTables.make(database, superTable.name, name, tags, item.options.ttl ?? 0);
    if (batch.made.has(name) && !item.ifNotExists) throw exists();
    if (!batch.made.has(name)) batch.made.set(name, made);
  }
  for (const batch of batches.values()) await create(batch, items, context);
}

async function create(batch: Batch, items: readonly ChildTable[], context: DefinitionContext): Promise<void> {
  const { database, superTable, made } = batch;
  const existing = await context.subTables.lookUp(database, [...made.keys()]);
  const tolerated = new Set(items.filter((item) => item.ifNotExists).map((item) => item.table.name.text));
  for (const [name, subTable] of existing) {
    if (subTable.superTable !== superTable.name) {
      throw new FaultError(fault('database', Codes.tableInOtherStable, 'Table already exists in other stables'));
    }
    if (!tolerated.has(name)) throw exists();
    made.delete(name);
  }
  for (const name of made.keys()) if (context.catalogue.table(database.name, name) !== undefined) throw exists();
  await context.storage.ensure(database, superTable);
  const refused = await context.subTables.register(database, superTable, [...made.values()]);
  if (refused !== undefined) throw new FaultError(refused);
}

function exists(): FaultError {
  return new FaultError(fault('database', Codes.tableAlreadyExists, 'Table already exists'));
}

async function superTableOf(item: ChildTable, database: DatabaseDef, context: DefinitionContext): Promise<TableDef> {
  const prefix = item.superTable.database?.text;
  if (prefix !== undefined && prefix !== database.name) {
    throw new FaultError(fault('database', Codes.stableNotInDatabase, 'Corresponding super table not in this db'));
  }
  const found = await findTable(context, database, item.superTable.name.text);
  if (found === undefined) throw new FaultError(fault('database', Codes.tableNotExist, 'Table does not exist'));
  if (found.kind === 'super') return found;
  throw new FaultError(fault('database', Codes.stableNotExist, 'STable not exist'));
}

function tagsOf(
  item: ChildTable,
  superTable: TableDef,
  database: DatabaseDef,
  context: DefinitionContext,
): ReadonlyMap<string, TagValue> {
  const names = item.tagNames?.map((name) => name.text) ?? superTable.tags.map((tag) => tag.name);
  if (names.length !== item.tagValues.length) {
    throw new FaultError(fault('syntax', Codes.tagsNotMatched, 'Tags number not matched'));
  }
  const tags = new Map<string, TagValue>();
  names.forEach((name, i) => {
    const tag = superTable.tags.find((candidate) => candidate.name === name);
    if (tag === undefined) throw new FaultError(fault('syntax', Codes.invalidTagName, `Invalid tag name: ${name}`));
    const { start, end } = item.tagValues[i]!.span;
    const literal = context.statement.slice(start, end);
    tags.set(name, readTagLiteral(literal, tag, database.precision, context.timeZone, context.nowNs));
  });
  return tags;
}
