import { quoteIdentifier, quoteString } from '../../sql/engine/quote.js';
import { makes } from '../engine/request.js';
import { localPrefix } from './layout.js';
import type { ClusterNode } from './node.js';

/**
 * How many quarantined files of each queue have been replayed. The table is on the node itself, so that an adapter that
 * starts later does not replay them again.
 */
const replayedTable = 'sluice.put_aside';

/** One queue of hints: files with rows that a node keeps for another one. */
interface HintQueue {
  /** Name of the distributed table, as `database.table`. */
  readonly table: string;
  /** Directory on the node that holds the hints. */
  readonly path: string;
  /** The node that the rows are for. */
  readonly shard: number;
  readonly replica: number;
  /** Files that wait, and files that were quarantined and not replayed since. */
  readonly waiting: number;
  readonly quarantined: number;
}

/** Rows may be older by so much than the last clean moment: clocks differ, and inserts take time. */
const marginMs = 10 * 60_000;

const replicaInPath = /shard(\d+)_replica(\d+)\/?$/;

/**
 * Hinted handoff: a node keeps rows for another node in files and sends them later. When the other node dies while it
 * answers, the engine takes the file for a damaged one, quarantines it in a folder `broken`, and reports an empty
 * queue. The rows are then copied from another replica, which has them. See docs/decisions/030-replicas-that-answer.md.
 */
export class HintedHandoff {
  /** Number of replayed files, by node and directory. */
  readonly #replayed = new Map<ClusterNode, ReadonlyMap<string, number>>();
  /** Last time without waiting or quarantined files, in Unix ms; undefined before. */
  #cleanMs: number | undefined;

  /** The non-empty queues of a node; of some tables, as `database.table`, or of all. */
  async queues(holder: ClusterNode, tables?: readonly string[]): Promise<readonly HintQueue[]> {
    const some =
      tables === undefined ? '' : ` AND concat(database, '.', table) IN (${tables.map(quoteString).join(', ')})`;
    const rows = await holder.client.rows(
      `SELECT concat(database, '.', table), data_path, data_files, broken_data_files FROM system.distribution_queue
       WHERE (data_files > 0 OR broken_data_files > 0)${some}`,
    );
    const isNew = rows.some(([, path, , files]) => Number(files) > this.#replayedFiles(holder, String(path)));
    if (isNew) await this.#readReplayed(holder);
    return rows.flatMap(([table, path, waiting, files]) => {
      const [, shard, replica] = replicaInPath.exec(String(path)) ?? [];
      const quarantined = Math.max(0, Number(files) - this.#replayedFiles(holder, String(path)));
      const queue = { table: String(table), path: String(path), shard: Number(shard), replica: Number(replica) };
      return quarantined === 0 && waiting === 0 ? [] : [{ ...queue, waiting: Number(waiting), quarantined }];
    });
  }

  /** Records that no node has waiting or quarantined files now. */
  markClean(): void {
    this.#cleanMs = Date.now();
  }

  /**
   * Replays the rows of quarantined files from other replicas, which have them: an insert is acknowledged when a
   * replica of every shard has its rows. All nodes must answer. Returns the number of tables with copied rows.
   */
  async replayQuarantined(all: readonly ClusterNode[]): Promise<number> {
    const since = this.#cleanMs === undefined ? 0n : BigInt(this.#cleanMs - marginMs) * 1_000_000n;
    const isNew = `version >= ${since} OR version <= 1`;
    const sources = new Map<string, { readonly table: string; readonly from: ClusterNode }>();
    const records: (() => Promise<void>)[] = [];
    for (const holder of all) {
      for (const { table, path, shard, replica, quarantined } of await this.queues(holder)) {
        if (quarantined === 0) continue;
        const neighbours = all.filter(({ place }) => place?.shard === shard && place.replica !== replica);
        for (const from of neighbours) sources.set(`${table} ${from.url}`, { table, from });
        records.push(() => this.#recordReplayed(holder, path, quarantined));
      }
    }
    for (const { table, from } of sources.values()) await copyRows(table, from, isNew, 'version');
    for (const record of records) await record();
    return new Set([...sources.values()].map(({ table }) => table)).size;
  }

  #replayedFiles(holder: ClusterNode, path: string): number {
    return this.#replayed.get(holder)?.get(path) ?? 0;
  }

  async #readReplayed(holder: ClusterNode): Promise<void> {
    const columns = '(path String, files UInt64, at DateTime DEFAULT now())';
    const create = `CREATE TABLE IF NOT EXISTS ${replayedTable} ${columns} ENGINE = MergeTree ORDER BY path`;
    await holder.client.exec(create, makes(replayedTable));
    const rows = await holder.client.rows(`SELECT path, max(files) FROM ${replayedTable} GROUP BY path`);
    this.#replayed.set(holder, new Map(rows.map(([path, files]) => [String(path), Number(files)])));
  }

  async #recordReplayed(holder: ClusterNode, path: string, files: number): Promise<void> {
    const all = this.#replayedFiles(holder, path) + files;
    await holder.client.exec(`INSERT INTO ${replayedTable} (path, files) VALUES (${quoteString(path)}, ${all})`, {
      changes: [replayedTable],
    });
    await this.#readReplayed(holder);
  }
}

/**
 * Copies the rows of a node that meet a condition to all replicas of its shard, versions included. Copies all rows of
 * tables without the column `about` of the condition. Rows of moved databases have no time in their versions.
 */
export async function copyRows(
  table: string,
  { client }: ClusterNode,
  condition: string,
  about?: string,
): Promise<void> {
  const local = localPrefix + table;
  const [database = '', name = ''] = local.split('.');
  const rows = await client.rows(
    `SELECT name FROM system.columns WHERE database = ${quoteString(database)} AND table = ${quoteString(name)}
     AND default_kind NOT IN ('ALIAS', 'MATERIALIZED') ORDER BY position`,
  );
  const columns = rows.map(([column]) => quoteIdentifier(String(column))).join(', ');
  const where = about === undefined || rows.some(([column]) => column === about) ? ` WHERE ${condition}` : '';
  const copy = `INSERT INTO ${table} (${columns}) SELECT ${columns} FROM ${local}${where}`;
  await client.exec(copy, { changes: [table] }, { parameters: copyParameters });
}

/** Settings of a statement that sends rows of one node through the distributed table. */
export const copyParameters = {
  distributed_foreground_insert: '1',
  parallel_distributed_insert_select: '0',
  max_partitions_per_insert_block: '0',
  allow_experimental_codecs: '1',
} as const;
