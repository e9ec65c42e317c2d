import { makeTable, statementOf, type TableChange, type TableKind } from '../engine/table-change.js';

/**
 * Who makes the copies of a row: `replicated`, tables that copy each other through the keeper; `distributed`, the table that
 * spreads the rows writes each to all replicas of its shard.
 */
export type Replication = 'replicated' | 'distributed';

/** How tables lie in a cluster; see docs/decisions/026-cluster-layout.md. */
export interface ClusterLayout {
  /** Name of the cluster in the configuration of its nodes. */
  readonly cluster: string;
  readonly replication: Replication;
}

/** What databases with the rows of one node are called: this before the name of the database. */
export const localPrefix = 'local_';

/** Databases that the product makes in a cluster, as a pattern of the engine. */
export const ownDatabases = `^(${localPrefix})?(d[0-9]+_[0-9]+|sluice)$`;

/**
 * Setting that carries the version of the rows of an INSERT; see {@link versionColumn}. It is a comment on the statement, and the
 * only setting of that kind that every engine lets everybody set.
 */
export const versionSetting = 'log_comment';

/**
 * In copies that the engine does not keep in one order the row with the greatest version stays. Whoever takes the INSERT gives the
 * version before it sends the rows to the replicas, so that it is the same in all of them.
 */
const versionColumn = `version UInt64 DEFAULT toUInt64OrZero(getSetting('${versionSetting}'))`;

/** The statements that make a change on one node, in their order. */
export function nodeStatements(change: TableChange, { cluster, replication }: ClusterLayout): readonly string[] {
  switch (change.change) {
    case 'make-database':
      return [localPrefix, ''].map((prefix) => statementOf({ ...change, database: prefix + change.database }));
    // What leads to the rows goes first.
    case 'drop-database':
      return ['', localPrefix].map((prefix) => statementOf({ ...change, database: prefix + change.database }));
    case 'drop-table':
      return ['', localPrefix].map((prefix) => statementOf({ ...change, table: prefix + change.table }));
    case 'add-columns':
      return [localPrefix, ''].map((prefix) => statementOf({ ...change, table: prefix + change.table }));
    case 'delete-rows':
      return [statementOf({ ...change, table: localPrefix + change.table })];
    case 'make-table': {
      const local = localPrefix + change.table;
      const make = replication === 'replicated' ? replicatedTable(local, change) : copiedTable(local, change);
      const [database = '', name = ''] = local.split('.');
      const spread = `Distributed('${cluster}', '${database}', '${name}', id)`;
      return [make, `CREATE TABLE IF NOT EXISTS ${change.table} AS ${local} ENGINE = ${spread}`];
    }
  }
}

type MakeTable = Extract<TableChange, { change: 'make-table' }>;

function replicatedTable(local: string, { columns, kind }: MakeTable): string {
  const version = kind.version === undefined ? '' : `, ${kind.version}`;
  const engine = `ReplicatedReplacingMergeTree('/sluice/tables/{shard}/${local}', '{replica}'${version})`;
  return makeTable(local, columns, engine, withSettings(kind, 'replicated_deduplication_window = 1000'));
}

/** An INSERT that comes a second time has a greater version and the same rows, so nothing has to be kept of the first one. */
function copiedTable(local: string, { columns, kind }: MakeTable): string {
  const { version } = kind;
  const all = version === undefined ? [...columns, versionColumn] : columns;
  return makeTable(local, all, `ReplacingMergeTree(${version ?? 'version'})`, withSettings(kind));
}

function withSettings(kind: TableKind, ...own: readonly string[]): TableKind {
  const { deduplicates = false, tableSettings = [], ...rest } = kind;
  return { ...rest, tableSettings: [...tableSettings, ...(deduplicates ? own : [])] };
}
