import { FaultError } from '../../model/fault.js';
import { quoteString } from '../../sql/engine/quote.js';
import { noEffect } from '../engine/request.js';
import { fillEmpty } from './empty-nodes.js';
import { HintedHandoff } from './hinted-handoff.js';
import { localPrefix, ownDatabases, type Replication } from './layout.js';
import type { ClusterNode } from './node.js';

/** How rows of one node reach the other replicas of its shard. Tables are `database.table`; without them all tables. */
export interface Copies {
  /** True if a node that is away may hold hints for other nodes that no other node knows of. */
  readonly isQueued: boolean;
  /** Sends the hints of some nodes. True when all hints from before the call were delivered. */
  send(holders: readonly ClusterNode[], tables?: readonly string[]): Promise<boolean>;
  /** The nodes that lack rows, as far as the probed nodes know. */
  behindNodes(
    all: readonly ClusterNode[],
    probed: readonly ClusterNode[],
    tables?: readonly string[],
  ): Promise<ReadonlySet<ClusterNode>>;
  /**
   * Copies rows to nodes that would not receive them otherwise; all nodes must answer. Returns the number of tables, or
   * of their partitions, with such rows.
   */
  resync(all: readonly ClusterNode[]): Promise<number>;
  /** Records that every node has everything now. */
  markWhole(): void;
}

/** Hinted handoff: the node that takes rows keeps them in files for nodes that are away. */
function hintedCopies(): Copies {
  const hints = new HintedHandoff();
  return {
    isQueued: true,

    async send(holders, tables) {
      const sent = await Promise.all(
        holders.map(async (holder) => {
          let isSent = true;
          const waiting = (await hints.queues(holder, tables)).filter((queue) => queue.waiting > 0);
          for (const table of new Set(waiting.map((queue) => queue.table))) {
            // Some replicas may still be away; the others get their rows.
            isSent = (await isDone(holder.client.exec(`SYSTEM FLUSH DISTRIBUTED ${table}`, noEffect))) && isSent;
          }
          return isSent;
        }),
      );
      return sent.every(Boolean);
    },

    async behindNodes(all, probed, tables) {
      const queues = await Promise.all(probed.map((holder) => hints.queues(holder, tables)));
      const behind = new Set<ClusterNode>();
      for (const { shard, replica, quarantined } of queues.flat()) {
        const node = all.find(({ place }) => place?.shard === shard && place.replica === replica);
        if (node === undefined) continue;
        behind.add(node);
        if (quarantined > 0) node.hasLostHints = true;
      }
      return behind;
    },

    async resync(all) {
      const pieces = (await fillEmpty(all)) + (await hints.replayQuarantined(all));
      for (const node of all) node.hasLostHints = false;
      return pieces;
    },

    markWhole: () => hints.markClean(),
  };
}

/** Timeout of a node that fetches new parts, seconds. */
const fetchSeconds = 5;

/** Replicated tables: replicas fetch the parts that the keeper lists, in one order. */
const fetchedCopies: Copies = {
  isQueued: false,

  send: () => Promise.resolve(true),
  resync: () => Promise.resolve(0),
  markWhole: () => undefined,

  async behindNodes(all, probed, tables) {
    const behind = new Set<ClusterNode>();
    await Promise.all(
      probed.map(async (node) => {
        const hasAll = tables === undefined ? hasFetched(node) : fetch(node, all, tables);
        if (!(await hasAll)) behind.add(node);
      }),
    );
    return behind;
  },
};

export function copiesOf(replication: Replication): Copies {
  return replication === 'replicated' ? fetchedCopies : hintedCopies();
}

/**
 * Lets a node fetch the parts of its neighbours, except of those that are away: false if that takes longer than some
 * seconds.
 */
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

/** True if a node works with the keeper, and has fetched everything that the keeper lists now. */
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
  const done = whats.map((what) => isDone(client.exec(`SYSTEM SYNC REPLICA ${what}`, noEffect, { parameters })));
  return (await Promise.all(done)).every(Boolean);
}

/** False if an engine returned an error or did not answer. */
async function isDone(work: Promise<void>): Promise<boolean> {
  try {
    await work;
    return true;
  } catch (error) {
    if (!(error instanceof FaultError)) throw error;
    return false;
  }
}
