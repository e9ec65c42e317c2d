import { type ColumnDef, isVariable, type TableDef, type TagValue } from '../../model/schema.js';
import { allOf, nullWord, quoted, text } from '../../sql/engine/build.js';
import type { Expr } from '../../sql/engine/nodes.js';
import { printExpr } from '../../sql/engine/print.js';
import { castToEngine, ofTable } from '../../sql/engine/storage.js';
import { expr } from '../../sql/engine/template.js';
import { isBinary } from '../../sql/values/value.js';

/**
 * The engine's statement that gives the sub-tables of a super table that meet one of its conditions other tag values; tags that are not
 * named keep theirs.
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
