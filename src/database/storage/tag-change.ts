import { type ColumnDef, isVariable, type TableDef, type TagValue } from '../../model/schema.js';
import { quoteIdentifier, quoteString } from '../../sql/engine/quote.js';
import { allOf } from '../../sql/engine/select.js';
import { castToEngine, ofTable } from '../../sql/engine/storage.js';
import { isBinary } from '../../sql/values/value.js';

/**
 * The engine's statement that gives the sub-tables of a super table that meet one of its conditions other tag values; tags that are not
 * named keep theirs.
 */
export function tagChange(superTable: TableDef, which: string, values: ReadonlyMap<string, TagValue>): string {
  const columns = superTable.tags.map(({ physical }) => quoteIdentifier(physical));
  const items = superTable.tags.map((tag, at) =>
    values.has(tag.name) ? tagConstant(tag, values.get(tag.name)) : (columns[at] ?? ''),
  );
  const storage = superTable.tagStorage;
  const t = superTable.number === undefined ? '' : 't, ';
  const where = allOf([...ofTable(superTable), which, 'dropped = 0']);
  return `INSERT INTO ${storage} (${t}id, ts, name, revision, ${columns.join(', ')})
      SELECT ${t}id, ts, name, revision + 1, ${items.join(', ')} FROM ${storage} FINAL WHERE ${where}`;
}

/** A tag value as an expression of the engine, of the type that its column has. */
function tagConstant({ type }: ColumnDef, text: TagValue): string {
  if (text === undefined) return 'NULL';
  if (isBinary(type)) return `unhex('${text}')`;
  return isVariable(type.name) ? quoteString(text) : castToEngine(quoteString(text), type);
}
