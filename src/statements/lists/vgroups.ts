import { collected } from '../../async/slice.js';
import { vgroupOf } from '../../database/catalogue/vgroup.js';
import type { DatabaseDef } from '../../model/schema.js';
import { printExpr } from '../../sql/engine/print.js';
import { inlineRows } from './inline.js';
import { liveDatabases, liveSuperTables, subTableRows, subTableVgroup } from './live-tables.js';
import { columnsOf, type SystemFacts, type SystemTable } from './system-table.js';

const columns = columnsOf(
  `vgroup_id INT, db_name V64, tables INT, v1_dnode SMALLINT, v1_status V9, v2_dnode SMALLINT, v2_status V9,
   v3_dnode SMALLINT, v3_status V9, v4_dnode SMALLINT, v4_status V9, cacheload INT, cacheelements INT, tsma TINYINT`,
);

/** Every vgroup with its database. */
function vgroups({ catalogue }: SystemFacts, databases: readonly DatabaseDef[]) {
  return databases.flatMap((database) => {
    const { first, count } = catalogue.vgroups(database.name);
    return Array.from({ length: count }, (_, at) => ({ id: first + at, database }));
  });
}

/** How many normal tables each vgroup has. */
function normalTables({ catalogue }: SystemFacts, databases: readonly DatabaseDef[]): ReadonlyMap<number, number> {
  const counts = new Map<number, number>();
  for (const { name } of databases) {
    const ofDatabase = catalogue.vgroups(name);
    for (const table of catalogue.tables(name)) {
      if (table.kind === 'super') continue;
      const id = vgroupOf(ofDatabase, name, table.name);
      counts.set(id, (counts.get(id) ?? 0) + 1);
    }
  }
  return counts;
}

/** `ins_vgroups`: one node leads them all. */
export const vgroupsTable: SystemTable = {
  columns,
  sql: async (facts, demands) => {
    const databases = liveDatabases(facts, demands);
    const counts = normalTables(facts, databases);
    const rows = vgroups(facts, databases).map(({ id, database }) => {
      const others = [null, null, null, null, null, null];
      return [id, database.name, counts.get(id) ?? 0, 1, 'leader', ...others, 0, 0, 0];
    });
    const inline = await inlineRows(columns, rows);
    const parents = await collected(liveSuperTables(facts, demands));
    if (parents.length === 0) return inline;
    const children = `SELECT ${printExpr(subTableVgroup)} AS vgroup, toInt32(count()) AS children
      FROM ${await subTableRows(facts, new Map(), parents)} GROUP BY vgroup`;
    const items = columns.map((_, i) => (i === 2 ? 'v.c3 + n.children AS c3' : `v.c${i + 1}`));
    return `SELECT ${items.join(', ')} FROM (${inline}) AS v LEFT JOIN (${children}) AS n ON v.c1 = n.vgroup`;
  },
};

/** `ins_vnodes`: the one member of every vgroup. */
export const vnodesTable: SystemTable = {
  columns: columnsOf('dnode_id INT, vgroup_id INT, db_name V64, status V9, role_time TS, start_time TS, restored BOOL'),
  rows: (facts) =>
    vgroups(facts, liveDatabases(facts, new Map())).map(({ id, database }) => {
      const start = Math.max(facts.started, database.created);
      return [1, id, database.name, 'leader', start, start, true];
    }),
};
