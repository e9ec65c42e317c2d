import type { ClusterNode } from './node.js';

/** Where a statement goes, and the settings that go with it. */
export interface Route {
  readonly node: ClusterNode;
  readonly parameters: Readonly<Record<string, string>>;
}

/**
 * Settings under which queries over tables that are spread mean what they mean on one node: what is joined or looked up is gathered
 * first and sent to every shard; a condition on one series asks its shard alone, and groups by series are made there.
 */
const spreadQuery = {
  distributed_product_mode: 'global',
  optimize_skip_unused_shards: '1',
  skip_unavailable_shards: '0',
  load_balancing: 'first_or_random',
} as const;

/**
 * The way of a query: the nodes in turn as entries, those that have everything before those that may lack rows, and of every other
 * shard a replica by the same rule. `turn` counts the queries.
 */
export function readingRoute(nodes: readonly ClusterNode[], turn: number): Route | undefined {
  const usable = nodes.filter(({ state }) => state !== 'away');
  const whole = usable.filter(({ state }) => state === 'up');
  const entries = whole.length > 0 ? whole : usable;
  const node = entries[turn % Math.max(1, entries.length)];
  if (node === undefined) return undefined;
  const offset = replicaOffset(nodes, node, Math.floor(turn / entries.length));
  const own = { prefer_localhost_replica: '1', load_balancing_first_offset: String(offset) };
  return { node, parameters: { ...spreadQuery, ...own } };
}

/** Which replica of the other shards is asked first: the one that is whole in most of them. */
function replicaOffset(nodes: readonly ClusterNode[], entry: ClusterNode, turn: number): number {
  const replicas = Math.max(1, ...nodes.map(({ place }) => place?.replica ?? 1));
  let [best, most] = [0, -1];
  for (let i = 0; i < replicas; i++) {
    const offset = (turn + i) % replicas;
    const whole = nodes.filter(({ place, state }) => {
      return place?.shard !== entry.place?.shard && place?.replica === offset + 1 && state === 'up';
    });
    if (whole.length > most) [best, most] = [offset, whole.length];
  }
  return best;
}
