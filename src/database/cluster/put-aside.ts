import { quoteIdentifier, quoteString } from '../../sql/engine/quote.js';
import { localPrefix } from './layout.js';
import type { ClusterNode } from './node.js';

/**
 * Which files of its queues a node has put aside, in folders `broken`, and how many of those had their rows copied since. It is on the
 * node itself: an adapter that is started later does not copy them again.
 */
const notesTable = 'sluice.put_aside';

/** Facts about one queue. */
interface Queue {
  /** Name of the table that spreads rows, as `database.table`. */
  readonly table: string;
  /** Directory on the node that keeps it. */
  readonly path: string;
  /** For which node it keeps rows. */
  readonly shard: number;
  readonly replica: number;
  /** Files that wait, and such as were put aside and not copied since. */
  readonly waiting: number;
  readonly putAside: number;
}

/** Older by so much than the moment at which nothing was put aside may rows be that are now: clocks differ, and inserts take time. */
const marginMs = 10 * 60_000;

const placeInPath = /shard(\d+)_replica(\d+)\/?$/;

/**
 * The queues of nodes, and the files that nodes put aside. A node sends what it keeps for another one from files. When the other one
 * ends in the middle of its answer, the engine takes the file for a damaged one, puts it aside for good, and says that nothing waits.
 * The rows are then copied from a neighbour, which has them.
 */
export class PutAside {
  /** Files whose rows were copied, by node and directory. */
  readonly #copied = new Map<ClusterNode, ReadonlyMap<string, number>>();
  /** When nothing waited and nothing was put aside; undefined before. */
  #cleanMs: number | undefined;

  /** The queues of a node that are not empty; of some tables, as `database.table`, or of all. */
  async queues(keeper: ClusterNode, tables?: readonly string[]): Promise<readonly Queue[]> {
    const some =
      tables === undefined ? '' : ` AND concat(database, '.', table) IN (${tables.map(quoteString).join(', ')})`;
    const rows = await keeper.client.rows(
      `SELECT concat(database, '.', table), data_path, data_files, broken_data_files FROM system.distribution_queue
       WHERE (data_files > 0 OR broken_data_files > 0)${some}`,
    );
    const isNew = rows.some(([, path, , files]) => Number(files) > this.#copiedOf(keeper, String(path)));
    if (isNew) await this.#readNotes(keeper);
    return rows.flatMap(([table, path, waiting, files]) => {
      const [, shard, replica] = placeInPath.exec(String(path)) ?? [];
      const putAside = Math.max(0, Number(files) - this.#copiedOf(keeper, String(path)));
      const queue = { table: String(table), path: String(path), shard: Number(shard), replica: Number(replica) };
      return putAside === 0 && waiting === 0 ? [] : [{ ...queue, waiting: Number(waiting), putAside }];
    });
  }

  /** Notes that all nodes were asked, and nothing waited and nothing was put aside. */
  noteClean(): void {
    this.#cleanMs = Date.now();
  }

  /**
   * Copies what nodes have put aside from the neighbours of those that it was meant for, which have it: an insert counts as done when a
   * replica of every shard has its rows. All nodes must answer. Gives the number of tables that something was copied of.
   */
  async copy(all: readonly ClusterNode[]): Promise<number> {
    const since = this.#cleanMs === undefined ? 0n : BigInt(this.#cleanMs - marginMs) * 1_000_000n;
    const isNew = `version >= ${since} OR version <= 1`;
    const sources = new Map<string, { readonly table: string; readonly from: ClusterNode }>();
    const notes: (() => Promise<void>)[] = [];
    for (const keeper of all) {
      for (const { table, path, shard, replica, putAside } of await this.queues(keeper)) {
        if (putAside === 0) continue;
        const neighbours = all.filter(({ place }) => place?.shard === shard && place.replica !== replica);
        for (const from of neighbours) sources.set(`${table} ${from.url}`, { table, from });
        notes.push(() => this.#note(keeper, path, putAside));
      }
    }
    for (const { table, from } of sources.values()) await copyRows(table, from, isNew, 'version');
    for (const note of notes) await note();
    return new Set([...sources.values()].map(({ table }) => table)).size;
  }

  #copiedOf(keeper: ClusterNode, path: string): number {
    return this.#copied.get(keeper)?.get(path) ?? 0;
  }

  async #readNotes(keeper: ClusterNode): Promise<void> {
    const columns = '(path String, files UInt64, at DateTime DEFAULT now())';
    await keeper.client.exec(`CREATE TABLE IF NOT EXISTS ${notesTable} ${columns} ENGINE = MergeTree ORDER BY path`);
    const rows = await keeper.client.rows(`SELECT path, max(files) FROM ${notesTable} GROUP BY path`);
    this.#copied.set(keeper, new Map(rows.map(([path, files]) => [String(path), Number(files)])));
  }

  async #note(keeper: ClusterNode, path: string, files: number): Promise<void> {
    const all = this.#copiedOf(keeper, path) + files;
    await keeper.client.exec(`INSERT INTO ${notesTable} (path, files) VALUES (${quoteString(path)}, ${all})`);
    await this.#readNotes(keeper);
  }
}

/**
 * Sends rows that a node has and that meet a condition to all replicas of its shard, versions included; all rows of tables that lack the column
 * which the condition is about. Rows of databases that were moved have no time in their versions.
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
  await client.exec(`INSERT INTO ${table} (${columns}) SELECT ${columns} FROM ${local}${where}`, {
    parameters: copyParameters,
  });
}

/** Settings of a statement that sends rows of one node through the table that spreads them. */
export const copyParameters = {
  distributed_foreground_insert: '1',
  parallel_distributed_insert_select: '0',
  max_partitions_per_insert_block: '0',
  allow_experimental_codecs: '1',
} as const;
