import type { Query } from '../../sql/syntax/ast.js';
import { collectTables, type SystemRelation } from '../../sql/values/context.js';
import { columnsTable } from './columns.js';
import { databasesTable } from './databases.js';
import { demandsOf } from './demands.js';
import { columnAlias, inlineRows } from './inline.js';
import { clusterTable, configsTable, dnodesTable, dnodeVariablesTable, grantsTable, mnodesTable } from './nodes.js';
import { appsTable, connectionsTable, queriesTable, transactionsTable } from './performance.js';
import { streamsTable, tsmasTable } from './streams.js';
import type { Demands, SystemFacts, SystemTable, SystemTables } from './system-table.js';
import { indexesTable, type ListedSystemTable, stablesTable, tablesTable } from './tables.js';
import { tagsTable } from './tags.js';
import { consumersTable, subscriptionsTable, topicsTable } from './topics.js';
import { tokensTable, userPrivilegesTable, usersTable } from './users.js';
import { vgroupsTable, vnodesTable } from './vgroups.js';
import { viewsTable } from './views.js';
import { withoutRows } from './without-rows.js';

/** Every system table, by database and name. */
const systemTables: Readonly<Record<string, Readonly<Record<string, SystemTable>>>> = {
  information_schema: {
    ins_databases: databasesTable((database) => Object.keys(systemTables[database] ?? {}).length),
    ins_tables: tablesTable(listedTables),
    ins_stables: stablesTable,
    ins_tags: tagsTable,
    ins_columns: columnsTable(listedTables),
    ins_vgroups: vgroupsTable,
    ins_vnodes: vnodesTable,
    ins_dnodes: dnodesTable,
    ins_mnodes: mnodesTable,
    ins_cluster: clusterTable,
    ins_users: usersTable,
    ins_user_privileges: userPrivilegesTable,
    ins_tokens: tokensTable,
    ins_indexes: indexesTable,
    ins_views: viewsTable,
    ins_topics: topicsTable,
    ins_subscriptions: subscriptionsTable,
    ins_streams: streamsTable,
    ins_tsmas: tsmasTable,
    ins_grants: grantsTable,
    ins_configs: configsTable,
    ins_dnode_variables: dnodeVariablesTable,
    ...withoutRows,
  },
  performance_schema: {
    perf_connections: connectionsTable,
    perf_queries: queriesTable,
    perf_apps: appsTable,
    perf_trans: transactionsTable,
    perf_consumers: consumersTable,
  },
};

function listedTables(): readonly ListedSystemTable[] {
  return Object.entries(systemTables).flatMap(([database, tables]) =>
    Object.entries(tables).map(([name, { columns }]) => ({ database, name, columns })),
  );
}

/** A system table by name; undefined when there is none. */
export function systemTable(database: string, name: string): SystemTable | undefined {
  const tables = systemTables[database];
  return tables !== undefined && Object.hasOwn(tables, name) ? tables[name] : undefined;
}

/** All system tables as queries use them. */
export const allSystemTables: SystemTables = {
  areNamed: (query, current) => systemTablesOf(query, current).length > 0,
  listCatalogue: (query, current) => systemTablesOf(query, current).some(({ isOfState }) => isOfState !== true),
  relations,
};

function systemTablesOf(query: Query, current: string | undefined): readonly SystemTable[] {
  return collectTables(query).flatMap(({ database = current ?? '', name }) => systemTable(database, name) ?? []);
}

async function relations(
  query: Query,
  current: string | undefined,
  facts: SystemFacts,
): Promise<(database: string, name: string) => SystemRelation | undefined> {
  const byName = new Map<string, SystemRelation>();
  const demands = demandsOf(query);
  for (const { database = current ?? '', name } of collectTables(query)) {
    const table = systemTable(database, name);
    if (table === undefined) continue;
    facts.access.require('READ', database, name);
    byName.set(`${database}.${name}`, await relationOf(table, facts, demands));
  }
  return (database, name) => byName.get(`${database}.${name}`);
}

async function relationOf(table: SystemTable, facts: SystemFacts, demands: Demands): Promise<SystemRelation> {
  const raw = (await table.sql?.(facts, demands)) ?? (await inlineRows(table.columns, table.rows?.(facts) ?? []));
  const columns = table.columns.map(({ name, type }, at) => ({
    alias: columnAlias(at),
    name,
    type,
    precision: 'ms' as const,
    nullable: true,
  }));
  return { query: { raw }, columns };
}
