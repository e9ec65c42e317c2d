import { type ColumnDef, isVariable, type SubTable, sentName, type TableDef } from '../../model/schema.js';
import { quoteIdentifier, quoteString } from '../../sql/engine/quote.js';
import { isBinary } from '../../sql/values/value.js';
import type { Registered } from './registry.js';

/** Sub-tables whose tags one statement completes: it holds all the values. */
const maxAtOnce = 500;

/** What a registered sub-table is to have, see {@link SubTable}. */
type Filled = Pick<SubTable, 'key' | 'id' | 'tags'>;

/** A statement of the engine, and the sub-tables that it changes. */
interface TagFill {
  readonly some: readonly Filled[];
  readonly statement: string;
}

/** The statements that give sub-tables of a super table, of those that are `registered` in it, values of tags in which they have none. */
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

/** One of these statements; undefined where there is nothing to fill. Only tags of text and JSON are, as arriving data makes them. */
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
  const ofTable = number === undefined ? '' : `t = ${number} AND `;
  return `INSERT INTO ${tagStorage} (${t}id, ts, name, revision, ${columns.join(', ')})
      SELECT ${t}id, ts, name, revision + 1, ${items.join(', ')} FROM ${tagStorage} FINAL
      WHERE ${ofTable}id IN (${ids}) AND dropped = 0 AND (${missing.join(' OR ')})`;
}

/** The values of a tag by sub-table as an array of the engine; undefined where there are none that it could take. */
function sentValues(tag: ColumnDef, subTables: readonly Filled[]): string | undefined {
  if (!isVariable(tag.type.name) || isBinary(tag.type)) return undefined;
  const name = sentName(tag);
  const values = subTables.map(({ tags }) => tags.get(name));
  if (values.every((value) => value === undefined)) return undefined;
  return `[${values.map((value) => (value === undefined ? 'NULL' : quoteString(value))).join(', ')}]`;
}
