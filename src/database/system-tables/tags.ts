import type { ColumnDef } from '../../model/schema.js';
import { quoteIdentifier, quoteString } from '../../sql/print/quote.js';
import { declaredText } from '../definitions/column-type.js';
import type { Engine } from '../engine.js';
import { inlineRows } from './inline.js';
import { demandedId, type LiveTable, liveSuperTables } from './live-tables.js';
import { columnsOf, type SystemTable } from './system-table.js';
import { typed } from './tables.js';

const columns = columnsOf(
  'table_name V192, db_name V64, stable_name V192, tag_name V64, tag_type V32, tag_value V16384',
);

/** A tag's value as text: numbers and times (ticks) in decimal, `true` and `false`, bytes in hexadecimal digits. */
export function tagText({ type, physical }: Pick<ColumnDef, 'type' | 'physical'>): string {
  const column = quoteIdentifier(physical);
  if (type.name === 'VARBINARY' || type.name === 'GEOMETRY') return `lower(hex(${column}))`;
  return `toString(${column})`;
}

/** `ins_tags`: one row for every tag of every sub-table, out of the engine tables that hold the tags. */
export const tagsTable: SystemTable = {
  columns,
  sql: async (facts, demands) => {
    const parents = liveSuperTables(facts, demands);
    const made = await existingColumns(facts.engine, parents);
    const id = demandedId(facts, demands);
    const branches = parents.flatMap(({ database, table }) => {
      const present = made.get(table.tagStorage ?? '');
      // What the engine has not been told yet holds no sub-table, and a new tag no value.
      if (present === undefined) return [];
      const tags = table.tags.map((tag) => {
        const value = present.has(tag.physical) ? tagText(tag) : 'NULL';
        const text = `CAST(${value}, 'Nullable(String)')`;
        return `tuple(${quoteString(tag.name)}, ${quoteString(declaredText(tag.type))}, ${text})`;
      });
      const names = [quoteString(database.name), quoteString(table.name)];
      const where = `WHERE dropped = 0${id === undefined ? '' : ` AND ${id}`}`;
      const values = ['name', ...names, 'tag.1', 'tag.2', 'tag.3'];
      return `SELECT ${typed(columns, values)} FROM ${table.tagStorage} FINAL ARRAY JOIN [${tags.join(', ')}] AS tag ${where}`;
    });
    return branches.length === 0 ? inlineRows(columns, []) : branches.join(' UNION ALL ');
  },
};

/** Which physical columns the engine tables of tags have, by table; tables that were not made yet are absent. */
async function existingColumns(
  engine: Engine,
  parents: readonly LiveTable[],
): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const found = new Map<string, Set<string>>();
  if (parents.length === 0) return found;
  const databases = [...new Set(parents.map(({ database }) => quoteString(database.id)))];
  const rows = await engine.rows(
    `SELECT concat(database, '.', table), name FROM system.columns
     WHERE database IN (${databases.join(', ')}) AND startsWith(table, 'g')`,
  );
  for (const [table, name] of rows) {
    const names = found.get(String(table)) ?? new Set<string>();
    found.set(String(table), names.add(String(name)));
  }
  return found;
}
