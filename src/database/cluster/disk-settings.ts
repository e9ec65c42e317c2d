import type { ComponentLog } from '../../model/component.js';
import { FaultError } from '../../model/fault.js';
import { throughToDisk } from '../engine/through-to-disk.js';
import type { ClusterNode } from './node.js';
import type { ClusterNodes } from './nodes.js';

const names = Object.keys(throughToDisk).map((name) => `'${name}'`);
const missing = `SELECT name FROM system.merge_tree_settings WHERE name IN (${names.join(', ')}) AND value = '0' ORDER BY name`;

const text =
  'When this node loses power it may lose rows of the last half minute that are in no log any more: its settings of all tables ' +
  'do not force them to the disk. See docs/cluster.md.';

/**
 * Warns once of each node that leaves stored rows to its system and gets no lost ones back: replicated tables fetch
 * them again from another replica, what one node writes to all replicas does not come a second time. See
 * docs/decisions/035-through-to-disk.md.
 */
export function warnOfLossyNodes(nodes: ClusterNodes, log: ComponentLog): void {
  const checked = new Set<ClusterNode>();
  const check = async (node: ClusterNode): Promise<void> => {
    const replicas = nodes.shards().find((shard) => shard.includes(node))?.length ?? 1;
    if (!nodes.copies.isQueued && replicas > 1) return;
    const lacking = await node.client.rows(missing);
    if (lacking.length > 0) log.warn({ url: node.url, settings: lacking.flat() }, text);
  };
  const checkAll = (): void => {
    for (const node of nodes.usable) {
      if (checked.has(node)) continue;
      checked.add(node);
      check(node).catch((error: unknown) => {
        // It is checked again after its return.
        checked.delete(node);
        if (!(error instanceof FaultError)) throw error;
      });
    }
  };
  nodes.watch(checkAll);
  checkAll();
}
