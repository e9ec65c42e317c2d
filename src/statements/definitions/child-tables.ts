import { Slice } from '../../async/slice.js';
import { checkComment, checkedName, checkTtl } from '../../database/catalogue/column-type.js';
import { Codes, FaultError, fault } from '../../model/fault.js';
import { noSuperTable, noTable, refusals } from '../../model/refusals.js';
import { type DatabaseDef, type SubTable, sentName, type TableDef, type TagValue } from '../../model/schema.js';
import { readTagLiteral } from '../../sql/insert/tag-literal.js';
import type { Expression } from '../../sql/syntax/ast.js';
import type { ChildTable } from '../../sql/syntax/ast-statement.js';
import { type DefinitionContext, databaseOf, findTable } from './context.js';

/** Sub-tables to make under one super table, by name. */
interface Batch {
  readonly database: DatabaseDef;
  readonly superTable: TableDef;
  readonly children: Map<string, Wanted>;
}

interface Wanted {
  readonly subTable: SubTable;
  /** With IF NOT EXISTS. */
  readonly tolerant: boolean;
}

/** CREATE TABLE … USING …: all items are checked before any is made. */
export async function createChildTables(items: readonly ChildTable[], context: DefinitionContext): Promise<void> {
  const batches = new Map<string, Batch>();
  const parents = new Map<string, string>();
  const slice = new Slice();
  for (const item of items) {
    if (slice.isOver()) await slice.next();
    const database = await databaseOf(context, item.table);
    const superTable = await superTableOf(item, database, context);
    const key = `${database.id} ${superTable.id}`;
    const batch = batches.get(key) ?? { database, superTable, children: new Map<string, Wanted>() };
    batches.set(key, batch);
    const name = checkedName(item.table.name.text, 192);
    const tags = tagsOf(item, superTable, database, context);
    const { comment, ttl = 0 } = item.options;
    checkComment(comment);
    checkTtl(ttl);
    const subTable = { ...context.subTables.make(database, superTable.name, name, tags, ttl), comment };
    const earlier = parents.get(`${database.id} ${name}`);
    if (earlier !== undefined && earlier !== superTable.id) throw new FaultError(refusals.tableInOtherStable);
    if (earlier !== undefined && !item.ifNotExists) throw new FaultError(refusals.tableAlreadyExists);
    parents.set(`${database.id} ${name}`, superTable.id);
    if (earlier === undefined) batch.children.set(name, { subTable, tolerant: item.ifNotExists });
  }
  const unlock = await context.subTables.creations.lock([...parents.keys()]);
  try {
    for (const batch of batches.values()) await leaveOutExisting(batch, context);
    for (const batch of batches.values()) await register(batch, context);
  } finally {
    unlock();
  }
}

async function register({ database, superTable, children }: Batch, context: DefinitionContext): Promise<void> {
  await context.storage.ensure(database, superTable);
  const subTables = [...children.values()].map(({ subTable }) => subTable);
  const refused = await context.subTables.register(database, superTable, subTables);
  if (refused !== undefined) throw new FaultError(refused);
}

async function leaveOutExisting({ database, superTable, children }: Batch, context: DefinitionContext): Promise<void> {
  const existing = await context.subTables.lookUp(database, [...children.keys()]);
  for (const [name, subTable] of existing) {
    if (subTable.superTable !== superTable.name) throw new FaultError(refusals.tableInOtherStable);
    if (children.get(name)?.tolerant !== true) throw new FaultError(refusals.tableAlreadyExists);
    children.delete(name);
  }
  for (const name of children.keys())
    if (context.catalogue.table(database.name, name) !== undefined) throw new FaultError(refusals.tableAlreadyExists);
}

async function superTableOf(item: ChildTable, database: DatabaseDef, context: DefinitionContext): Promise<TableDef> {
  const prefix = item.superTable.database?.text;
  if (prefix !== undefined && prefix !== database.name) throw new FaultError(refusals.stableNotInDatabase);
  const name = item.superTable.name.text;
  const table = await findTable(context, database, name);
  if (table?.kind === 'super') return table;
  const isOther = table !== undefined || (await context.subTables.lookUp(database, [name])).has(name);
  throw new FaultError(isOther ? noSuperTable(name) : noTable(name));
}

function tagsOf(
  item: ChildTable,
  superTable: TableDef,
  database: DatabaseDef,
  context: DefinitionContext,
): ReadonlyMap<string, TagValue> {
  const names = item.tagNames?.map((name) => name.text) ?? superTable.tags.map((tag) => tag.name);
  if (names.length !== item.tagValues.length) throw new FaultError(refusals.tagsNotMatched);
  if (new Set(names).size < names.length) throw new FaultError(refusals.duplicatedColumns);
  const tags = new Map<string, TagValue>();
  names.forEach((name, i) => {
    const value = tagValue(name, item.tagValues[i]!, superTable, database, context);
    const tag = superTable.tags.find((candidate) => candidate.name === name);
    if (tag !== undefined) tags.set(sentName(tag), value);
  });
  return tags;
}

/**
 * A tag's value as a statement gives it; throws a FaultError when there is no such tag or the value does not fit it.
 */
export function tagValue(
  name: string,
  { span }: Expression,
  superTable: TableDef,
  database: DatabaseDef,
  context: DefinitionContext,
  read = readTagLiteral,
): TagValue {
  const tag = superTable.tags.find((candidate) => candidate.name === name);
  if (tag === undefined) throw new FaultError(fault('syntax', Codes.invalidTagName, `Invalid tag name: ${name}`));
  const literal = context.statement.slice(span.start, span.end);
  return read(literal, tag, database.precision, context.timeZone, context.nowNs);
}
