import type { ColumnBuilder } from '../../model/column-block.js';
import {
  type ColumnDef,
  isVariable,
  type SubTable,
  sentName,
  type TableDef,
  type TagValue,
} from '../../model/schema.js';
import { allOf, nullWord, quoted, text } from '../../sql/engine/build.js';
import type { Expr } from '../../sql/engine/nodes.js';
import { printExpr } from '../../sql/engine/print.js';
import { quoteIdentifier, quoteString } from '../../sql/engine/quote.js';
import { castToEngine, ofTable } from '../../sql/engine/storage.js';
import { expr } from '../../sql/engine/template.js';
import { isBinary } from '../../sql/values/value.js';
import type { Registered } from './registry.js';

/** Sub-tables whose tags one statement completes: it holds all the values. */
const maxAtOnce = 500;

/** What a registered sub-table must have, see {@link SubTable}. */
type Filled = Pick<SubTable, 'key' | 'id' | 'tags'>;

/** A statement of the engine, and the sub-tables that it changes. */
interface TagFill {
  readonly some: readonly Filled[];
  readonly statement: string;
}

/** Adds a tag value, which has its text form (see {@link TagValue}), to a column. */
export function putTag(column: ColumnBuilder, row: number, text: TagValue): void {
  if (text === undefined) return;
  const { type } = column;
  if (isBinary(type)) {
    const bytes = Buffer.from(text, 'hex');
    column.reserve(row);
    column.putBytes(row, bytes, 0, bytes.length);
  } else if (column.variable) column.putText(row, text);
  else column.putNumber(row, type.name === 'BOOL' ? Number(text === 'true') : text);
}

/**
 * The engine's statement that changes tag values of the sub-tables of a super table that meet a condition. Tags that
 * `values` does not name stay.
 */
export function tagChange(superTable: TableDef, which: Expr, values: ReadonlyMap<string, TagValue>): string {
  const columns = superTable.tags.map(({ physical }) => printExpr(quoted(undefined, physical)));
  const items = superTable.tags.map((tag, at) =>
    values.has(tag.name) ? printExpr(tagConstant(tag, values.get(tag.name))) : (columns[at] ?? ''),
  );
  const storage = superTable.tagStorage;
  const t = superTable.number === undefined ? '' : 't, ';
  const where = printExpr(allOf([...ofTable(superTable), which, expr`dropped = 0`]));
  return `INSERT INTO ${storage} (${t}id, ts, name, revision, ${columns.join(', ')})
      SELECT ${t}id, ts, name, revision + 1, ${items.join(', ')} FROM ${storage} FINAL WHERE ${where}`;
}

/** A tag value as an expression of the engine, of the type that its column has. */
function tagConstant({ type }: ColumnDef, value: TagValue): Expr {
  if (value === undefined) return nullWord;
  if (isBinary(type)) return expr`unhex(${text(value)})`;
  return isVariable(type.name) ? text(value) : castToEngine(text(value), type);
}

/**
 * The statements that give sub-tables of a super table, of those that are `registered` in it, values of tags in which
 * they have none.
 */
export function tagFills(
  superTable: TableDef,
  subTables: readonly SubTable[],
  registered: readonly Registered[],
): readonly TagFill[] {
  const ids = new Map(registered.flatMap(({ key, id, parent }) => (parent === superTable.id ? [[key, id]] : [])));
  const known = subTables.flatMap(({ key, tags }): Filled[] => {
    const id = ids.get(key);
    return id === undefined ? [] : [{ key, id, tags }];
  });
  const fills: TagFill[] = [];
  for (let from = 0; from < known.length; from += maxAtOnce) {
    const some = known.slice(from, from + maxAtOnce);
    const statement = tagFill(superTable, some);
    if (statement !== undefined) fills.push({ some, statement });
  }
  return fills;
}

/**
 * One of these statements; undefined where there is nothing to fill. Only tags of text and JSON are, as arriving data
 * makes them.
 */
function tagFill(superTable: TableDef, subTables: readonly Filled[]): string | undefined {
  const ids = subTables.map(({ id }) => id).join(', ');
  const columns: string[] = [];
  const items: string[] = [];
  const missing: string[] = [];
  for (const tag of superTable.tags) {
    const column = quoteIdentifier(tag.physical);
    const values = sentValues(tag, subTables);
    columns.push(column);
    if (values === undefined) {
      items.push(column);
      continue;
    }
    const value = `${values}[indexOf([${ids}], id)]`;
    items.push(`ifNull(${column}, ${value})`);
    missing.push(`(isNull(${column}) AND isNotNull(${value}))`);
  }
  if (missing.length === 0) return undefined;
  const { tagStorage, number } = superTable;
  const t = number === undefined ? '' : 't, ';
  const ofNumber = number === undefined ? '' : `t = ${number} AND `;
  return `INSERT INTO ${tagStorage} (${t}id, ts, name, revision, ${columns.join(', ')})
      SELECT ${t}id, ts, name, revision + 1, ${items.join(', ')} FROM ${tagStorage} FINAL
      WHERE ${ofNumber}id IN (${ids}) AND dropped = 0 AND (${missing.join(' OR ')})`;
}

/** The values of a tag by sub-table as an array of the engine; undefined where there are none that it could take. */
function sentValues(tag: ColumnDef, subTables: readonly Filled[]): string | undefined {
  if (!isVariable(tag.type.name) || isBinary(tag.type)) return undefined;
  const name = sentName(tag);
  const values = subTables.map(({ tags }) => tags.get(name));
  if (values.every((value) => value === undefined)) return undefined;
  return `[${values.map((value) => (value === undefined ? 'NULL' : quoteString(value))).join(', ')}]`;
}
