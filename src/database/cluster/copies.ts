import { FaultError } from '../../model/fault.js';
import { quoteString } from '../../sql/engine/quote.js';
import { fillEmpty } from './empty-nodes.js';
import { localPrefix, ownDatabases, type Replication } from './layout.js';
import type { ClusterNode } from './node.js';
import { PutAside } from './put-aside.js';

/** How rows that one node has come to the other replicas of its shard. Tables are `database.table`; without them all are meant. */
export interface Copies {
  /** True where a node that is away may keep rows which another one lacks, and nobody else knows of them. */
  readonly isQueued: boolean;
  /** Sends on what some nodes keep for others. True when all of it was taken that was there when this began. */
  send(keepers: readonly ClusterNode[], tables?: readonly string[]): Promise<boolean>;
  /** The nodes that lack rows, as far as some nodes know. */
  lacking(
    all: readonly ClusterNode[],
    asked: readonly ClusterNode[],
    tables?: readonly string[],
  ): Promise<ReadonlySet<ClusterNode>>;
  /** Brings rows to their nodes that will not come by themselves; all nodes must answer. Gives the number of tables, or of their partitions, that had such rows. */
  mend(all: readonly ClusterNode[]): Promise<number>;
  /** Every node has everything now. */
  noteWhole(): void;
}

/** The node that takes rows keeps in files what another one misses. */
function queued(): Copies {
  const putAside = new PutAside();
  return {
    isQueued: true,

    async send(keepers, tables) {
      const sent = await Promise.all(
        keepers.map(async (keeper) => {
          let isSent = true;
          const waiting = (await putAside.queues(keeper, tables)).filter((queue) => queue.waiting > 0);
          for (const table of new Set(waiting.map((queue) => queue.table))) {
            // Of the replicas some may still be away; the others have been sent theirs.
            isSent = (await isDone(keeper.client.exec(`SYSTEM FLUSH DISTRIBUTED ${table}`))) && isSent;
          }
          return isSent;
        }),
      );
      return sent.every(Boolean);
    },

    async lacking(all, asked, tables) {
      const queues = await Promise.all(asked.map((keeper) => putAside.queues(keeper, tables)));
      const holders = new Set<ClusterNode>();
      for (const { shard, replica, putAside: files } of queues.flat()) {
        const node = all.find(({ place }) => place?.shard === shard && place.replica === replica);
        if (node === undefined) continue;
        holders.add(node);
        if (files > 0) node.hasGap = true;
      }
      return holders;
    },

    async mend(all) {
      const pieces = (await fillEmpty(all)) + (await putAside.copy(all));
      for (const node of all) node.hasGap = false;
      return pieces;
    },

    noteWhole: () => putAside.noteClean(),
  };
}

/** How long a node is given to fetch what is new, seconds. */
const fetchSeconds = 5;

/** Tables fetch from each other what the keeper lists, in one order. */
const fetched: Copies = {
  isQueued: false,

  send: () => Promise.resolve(true),
  mend: () => Promise.resolve(0),
  noteWhole: () => undefined,

  async lacking(all, asked, tables) {
    const holders = new Set<ClusterNode>();
    await Promise.all(
      asked.map(async (node) => {
        const hasAll = tables === undefined ? hasFetched(node) : fetch(node, all, tables);
        if (!(await hasAll)) holders.add(node);
      }),
    );
    return holders;
  },
};

export function copiesOf(replication: Replication): Copies {
  return replication === 'replicated' ? fetched : queued();
}

/** Lets a node fetch what its neighbours have, but for those that are away: false where it has not within some seconds. */
async function fetch(node: ClusterNode, all: readonly ClusterNode[], tables: readonly string[]): Promise<boolean> {
  const neighbours = all.filter(
    (other) => other !== node && other.state !== 'away' && other.place?.shard === node.place?.shard,
  );
  if (neighbours.length === 0) return true;
  const names = neighbours.map(({ place }) => quoteString(place?.name ?? '')).join(', ');
  return areSynced(
    node,
    tables.map((table) => `${localPrefix}${table} LIGHTWEIGHT FROM ${names}`),
  );
}

const ownTables = `match(database, ${quoteString(ownDatabases)})`;

/** True where a node works with the keeper, and has fetched everything that the keeper has listed until now. */
async function hasFetched(node: ClusterNode): Promise<boolean> {
  const open = await node.client.rows(
    `SELECT database, table, is_readonly OR is_session_expired, queue_size - inserts_in_queue - merges_in_queue FROM system.replicas
     WHERE ${ownTables} AND (is_readonly OR is_session_expired OR queue_size > merges_in_queue OR log_pointer <= log_max_index)`,
  );
  if (open.some(([, , isCut, changes]) => isCut === 1 || Number(changes) > 0)) return false;
  return areSynced(
    node,
    open.map(([database, table]) => `${database}.${table} LIGHTWEIGHT`),
  );
}

async function areSynced({ client }: ClusterNode, whats: readonly string[]): Promise<boolean> {
  const parameters = { receive_timeout: String(fetchSeconds) };
  const done = whats.map((what) => isDone(client.exec(`SYSTEM SYNC REPLICA ${what}`, { parameters })));
  return (await Promise.all(done)).every(Boolean);
}

/** False where an engine refused or did not answer. */
async function isDone(work: Promise<void>): Promise<boolean> {
  try {
    await work;
    return true;
  } catch (error) {
    if (!(error instanceof FaultError)) throw error;
    return false;
  }
}
