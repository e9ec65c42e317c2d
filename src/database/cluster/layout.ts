import { type Effect, makes } from '../engine/request.js';
import { effectOf, makeTable, statementOf, type TableChange } from '../engine/table-change.js';

/**
 * How the copies of a row are made: `replicated`, tables that copy each other through the keeper; `distributed`, the
 * table that spreads the rows writes each to all replicas of its shard.
 */
export type Replication = 'replicated' | 'distributed';

/** How tables lie in a cluster; see docs/decisions/026-cluster-layout.md. */
export interface ClusterLayout {
  /** Name of the cluster in the configuration of its nodes. */
  readonly cluster: string;
  readonly replication: Replication;
}

/** Prefix of databases with the rows of one node: this before the name of the database. */
export const localPrefix = 'local_';

/** Databases that the product makes in a cluster, as a pattern of the engine. */
export const ownDatabases = `^(${localPrefix})?(d[0-9]+_[0-9]+|sluice)$`;

/**
 * Setting that carries the version of the rows of an INSERT; see {@link versionColumn}. It is a comment on the
 * statement, and the only setting of that kind that every engine lets everybody set.
 */
export const versionSetting = 'log_comment';

/**
 * The position of a row in the history of its table. The node that takes the INSERT sets the version before it sends
 * the rows to the replicas, so that it is the same in all of them. No version is older than {@link lateMs} when its
 * INSERT begins, so a follower of rows knows when there are no more with older ones.
 */
const givenVersion = `toUInt64OrZero(getSetting('${versionSetting}'))`;

/** A node that takes an INSERT later than this after its version was set, in ms, sets a newer one. */
export const lateMs = 1_000;

const latestVersion = `toUInt64(toUnixTimestamp64Nano(now64(9)) - ${lateMs}000000)`;
const versionColumn = `version UInt64 DEFAULT if(${givenVersion} <= 1, ${givenVersion}, greatest(${givenVersion}, ${latestVersion}))`;
/**
 * Time of receipt of a row, in Unix nanoseconds: of rows with one key the last received one wins, whichever adapter
 * took it and however late it is stored. Without a time of receipt the time of storage counts.
 */
export const receiptColumn = 'received UInt64 DEFAULT version CODEC(Delta, ZSTD(1))';
/** Index by which followers of a table read the newest rows. */
const versionIndex = 'INDEX by_version version TYPE minmax GRANULARITY 1';

/** A table that exists while rows are moved between shards: meanwhile no adapter stores or reads rows. */
export const holdTable = 'sluice.rebalance';

/**
 * The statement that makes the table which spreads rows over the shards. The number of shards, counted by their
 * weights, is a part of it: a shard that comes later leaves the rows of the table where they are, see
 * docs/decisions/033-a-shard-more.md.
 */
export function spreadTable(
  table: string,
  { cluster }: ClusterLayout,
  weight: number,
  create: 'CREATE TABLE IF NOT EXISTS' | 'CREATE OR REPLACE TABLE',
): string {
  const [database = '', name = ''] = table.split('.');
  const engine = `Distributed('${cluster}', '${localPrefix}${database}', '${name}', id % ${weight})`;
  return `${create} ${table} AS ${localPrefix}${table} ENGINE = ${engine}`;
}

/** A statement for a node. */
export interface NodeStatement {
  readonly statement: string;
  readonly effect: Effect;
}

function whole(change: TableChange): NodeStatement {
  return { statement: statementOf(change), effect: effectOf(change) };
}

/** The statements that make a change on one node, in their order; `weight` is that of all shards. */
export function nodeStatements(change: TableChange, layout: ClusterLayout, weight: number): readonly NodeStatement[] {
  const { replication } = layout;
  switch (change.change) {
    case 'make-database':
      return [localPrefix, ''].map((prefix) => whole({ ...change, database: prefix + change.database }));
    // The distributed table is dropped first.
    case 'drop-database':
      return ['', localPrefix].map((prefix) => whole({ ...change, database: prefix + change.database }));
    case 'drop-table':
      return ['', localPrefix].map((prefix) => whole({ ...change, table: prefix + change.table }));
    case 'add-columns':
      return [localPrefix, ''].map((prefix) => whole({ ...change, table: prefix + change.table }));
    case 'delete-rows':
      return [whole({ ...change, table: localPrefix + change.table })];
    case 'make-table':
      return [
        { statement: localTable(change, replication), effect: makes(localPrefix + change.table) },
        {
          statement: spreadTable(change.table, layout, weight, 'CREATE TABLE IF NOT EXISTS'),
          effect: makes(change.table),
        },
      ];
  }
}

type MakeTable = Extract<TableChange, { change: 'make-table' }>;

/**
 * Fetches that the keeper does not answer in time are retried soon, and inserts are not deduplicated by their rows:
 * deleted rows may be written again as they were.
 */
const replicatedSettings = [
  'replicated_deduplication_window = 0',
  'max_postpone_time_for_failed_replicated_fetches_ms = 1000',
  'zookeeper_session_expiration_check_period = 5',
];

/** An INSERT that comes a second time has the same rows, so nothing has to be kept of the first one. */
function localTable({ table, columns, kind }: MakeTable, replication: Replication): string {
  const local = localPrefix + table;
  const { version, deduplicates: _, ...rest } = kind;
  const all = version === undefined ? [...columns, versionColumn, receiptColumn, versionIndex] : columns;
  const newest = version ?? 'received';
  if (replication === 'distributed') return makeTable(local, all, `ReplacingMergeTree(${newest})`, rest);
  const tableSettings = [...(kind.tableSettings ?? []), ...replicatedSettings];
  const engine = `ReplicatedReplacingMergeTree('/sluice/tables/{shard}/${local}', '{replica}', ${newest})`;
  return makeTable(local, all, engine, { ...rest, tableSettings });
}
