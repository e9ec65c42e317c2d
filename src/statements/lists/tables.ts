import { collected } from '../../async/slice.js';
import { indexesOf } from '../../database/catalogue/tag-indexes.js';
import { vgroupOf } from '../../database/catalogue/vgroup.js';
import type { ColumnMeta } from '../../model/exchange.js';
import { nullWord } from '../../sql/engine/build.js';
import type { Expr } from '../../sql/engine/nodes.js';
import { printExpr } from '../../sql/engine/print.js';
import { castToEngine } from '../../sql/engine/storage.js';
import { expr } from '../../sql/engine/template.js';
import { columnAlias, type InlineRow, inlineRows } from './inline.js';
import { liveSuperTables, liveTables, subTableRows, subTableVgroup } from './live-tables.js';
import { columnsOf, type Demands, type SystemFacts, type SystemTable } from './system-table.js';

const tableColumns = columnsOf(
  `table_name V192, db_name V64, create_time TS, columns INT, stable_name V192, uid BIGINT, vgroup_id INT, ttl INT,
   table_comment V1024, type V21`,
);

/** A system table as the lists of tables and columns show it. */
export interface ListedSystemTable {
  readonly database: string;
  readonly name: string;
  readonly columns: readonly ColumnMeta[];
}

/** `ins_tables`: sub-tables out of the registry, normal tables out of the catalogue, and the system tables. */
export function tablesTable(systemTables: () => readonly ListedSystemTable[]): SystemTable {
  return {
    columns: tableColumns,
    sql: async (facts, demands) => {
      const parents = await collected(liveSuperTables(facts, demands));
      const demanded = demands.get('db_name');
      const system = systemTables().filter(({ database }) => demanded === undefined || database === demanded);
      const inline = await inlineRows(tableColumns, rowsOf(system, facts, demands));
      if (parents.length === 0) return inline;
      const values = [
        expr`s.name`,
        expr`p.c2`,
        expr`s.created`,
        expr`p.c4`,
        expr`p.c3`,
        expr`reinterpretAsInt64(s.id)`,
        subTableVgroup,
        expr`s.ttl`,
        expr`s.comment`,
        expr`'CHILD_TABLE'`,
      ];
      const children = `SELECT ${typed(tableColumns, values)} FROM ${await subTableRows(facts, demands, parents)}`;
      return `${inline} UNION ALL ${children}`;
    },
  };
}

/** Expressions under the aliases and with the types that inline rows of these columns have. */
export function typed(columns: readonly ColumnMeta[], values: readonly Expr[]): string {
  const items = columns.map(({ type }, at) => {
    return `${printExpr(castToEngine(values[at] ?? nullWord, type))} AS ${columnAlias(at)}`;
  });
  return items.join(', ');
}

function systemRow({ database, name, columns }: ListedSystemTable): InlineRow {
  return [name, database, null, columns.length, null, null, null, null, null, 'SYSTEM_TABLE'];
}

/** System tables and normal tables. */
function* rowsOf(system: readonly ListedSystemTable[], facts: SystemFacts, demands: Demands): Generator<InlineRow> {
  yield* system.map(systemRow);
  for (const { database, table } of liveTables(facts, demands)) {
    if (table.kind !== 'normal') continue;
    yield [
      table.name,
      database.name,
      table.created,
      table.columns.length + 1,
      null,
      BigInt.asIntN(64, table.seriesId ?? 0n),
      vgroupOf(facts.catalogue.vgroups(database.name), database.name, table.name),
      table.ttl,
      table.comment ?? null,
      'NORMAL_TABLE',
    ];
  }
}

/** `ins_stables` */
export const stablesTable: SystemTable = {
  columns: columnsOf(
    `stable_name V192, db_name V64, create_time TS, columns INT, tags INT, last_update TS, table_comment V1024,
     watermark V64, max_delay V64, rollup V128, uid BIGINT`,
  ),
  rows: function* (facts) {
    for (const { database, table } of liveSuperTables(facts, new Map())) {
      yield [
        table.name,
        database.name,
        table.created,
        table.columns.length + 1,
        table.tags.length,
        facts.catalogue.lastUpdate(database.name, table.name) ?? table.created,
        table.comment ?? null,
        null,
        null,
        null,
        uidOf(table.id),
      ];
    }
  },
};

/**
 * A number for a table id of the catalogue, `position_index`: as unique, as long as an entry has under a million
 * operations.
 */
function uidOf(id: string): bigint {
  const [position = '0', index = '0'] = id.split('_');
  return BigInt(position) * 1_048_576n + BigInt(index);
}

/** `ins_indexes`: the indexes on tags. */
export const indexesTable: SystemTable = {
  columns: columnsOf(
    `index_name V256, db_name V64, table_name V192, vgroup_id INT, create_time TS, column_name V192, index_type V10`,
  ),
  rows: function* (facts) {
    for (const { database, table } of liveSuperTables(facts, new Map())) {
      for (const { name, tag, created } of indexesOf(table)) {
        yield [name, database.name, table.name, null, created, tag, 'tag_index'];
      }
    }
  },
};
