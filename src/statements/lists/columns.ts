import { collected } from '../../async/slice.js';
import { declaredText } from '../../database/catalogue/column-type.js';
import { type DataType, dataType, type TableDef, typeLength } from '../../model/schema.js';
import { column } from '../../sql/engine/build.js';
import { expr } from '../../sql/engine/template.js';
import { type InlineRow, inlineRows } from './inline.js';
import { type LiveTable, liveSuperTables, liveTables, subTableRows } from './live-tables.js';
import { columnsOf, type SystemTable } from './system-table.js';
import { type ListedSystemTable, typed } from './tables.js';

const columns = columnsOf(
  `table_name V192, db_name V64, table_type V21, col_name V192, col_type V32, col_length INT, col_precision INT,
   col_scale INT, col_nullable INT`,
);

/** The time column and the data columns of a table; its tags are in `ins_tags`. */
function dataColumns(table: TableDef): readonly { readonly name: string; readonly type: DataType }[] {
  return [{ name: table.timeColumn, type: dataType('TIMESTAMP') }, ...table.columns];
}

/** col_name, col_type, col_length, col_precision, col_scale, col_nullable. */
function facets(name: string, type: DataType): InlineRow {
  const isDecimal = type.name === 'DECIMAL';
  const precision = isDecimal ? type.length : null;
  return [name, declaredText(type), typeLength(type), precision, isDecimal ? (type.scale ?? 0) : null, null];
}

function* rowsOf(system: readonly ListedSystemTable[], live: Iterable<LiveTable>): Generator<InlineRow> {
  for (const { name, database, columns: own } of system)
    for (const column of own) yield [name, database, 'SYSTEM_TABLE', ...facets(column.name, column.type)];
  for (const { database, table } of live) {
    const kind = table.kind === 'super' ? 'SUPER_TABLE' : 'NORMAL_TABLE';
    for (const { name, type } of dataColumns(table)) yield [table.name, database.name, kind, ...facets(name, type)];
  }
}

/** The columns of super tables, by id. */
function* shapesOf(parents: readonly LiveTable[]): Generator<InlineRow> {
  for (const { table } of parents)
    for (const { name, type } of dataColumns(table)) yield [table.id, ...facets(name, type)];
}

/** `ins_columns`: the columns of every table; those of sub-tables are joined to the registry by the engine. */
export function columnsTable(systemTables: () => readonly ListedSystemTable[]): SystemTable {
  return {
    columns,
    sql: async (facts, demands) => {
      const demanded = demands.get('db_name');
      const system = systemTables().filter(({ database }) => demanded === undefined || database === demanded);
      const inline = await inlineRows(columns, rowsOf(system, liveTables(facts, demands)));
      const parents = await collected(liveSuperTables(facts, demands));
      if (parents.length === 0) return inline;
      const shape = columnsOf('id V64, name V64, type V32, length INT, precision INT, scale INT, nullable INT');
      const shown = ['c2', 'c3', 'c4', 'c5', 'c6', 'c7'].map((name) => column('m', name));
      const values = [expr`s.name`, expr`p.c2`, expr`'CHILD_TABLE'`, ...shown];
      const rows = await subTableRows(facts, demands, parents);
      return `${inline} UNION ALL SELECT ${typed(columns, values)} FROM ${rows}
        INNER JOIN (${await inlineRows(shape, shapesOf(parents))}) AS m ON s.parent = m.c1`;
    },
  };
}
