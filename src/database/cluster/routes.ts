import type { ClusterNode } from './node.js';

/** The node of a statement, and its settings. */
interface Route {
  readonly node: ClusterNode;
  readonly parameters: Readonly<Record<string, string>>;
  /** Every shard is read from a node that has everything. */
  readonly isWhole: boolean;
}

/**
 * Settings under which queries over distributed tables return what they return on one node. Joined tables and
 * subqueries are collected first and sent to every shard. A condition on one series reads its shard only, and groups by
 * series are made there. The adapter chooses the replica of each shard: the engine's own error counts and hedged
 * requests could choose one that lacks rows. A replica that does not answer is skipped after one attempt. A healthy
 * node reports its progress several times per second, so a node that hangs counts as away before `receive_timeout`
 * ends.
 */
const spreadQuery = {
  distributed_product_mode: 'global',
  optimize_skip_unused_shards: '1',
  skip_unavailable_shards: '0',
  prefer_localhost_replica: '1',
  load_balancing: 'first_or_random',
  distributed_replica_max_ignored_errors: '1000',
  connections_with_failover_max_tries: '1',
  use_hedged_requests: '0',
  handshake_timeout_ms: '2000',
  receive_timeout: '10',
} as const;

/**
 * The route of a statement: one replica number for all shards, and an entry node, so that as many shards as possible
 * are read from a node that has everything. `turn`, a whole number, spreads statements over equally good routes: every
 * adapter chooses the same route for some time as long as the states of nodes do not change. Undefined if no node
 * answers.
 */
export function routeOf(nodes: readonly ClusterNode[], turn: number): Route | undefined {
  const answering = nodes.filter(({ state, isSilent }) => state !== 'away' && !isSilent);
  const usable = answering.length > 0 ? answering : nodes.filter(({ state }) => state !== 'away');
  const whole = usable.filter(({ state }) => state === 'up');
  const entries = (whole.length > 0 ? whole : usable).toSorted(byShard);
  const replicas = Math.max(1, ...nodes.map(({ place }) => place?.replica ?? 1));
  const shards = new Set(nodes.map(({ place }) => place?.shard)).size;
  let best: { readonly node: ClusterNode; readonly replica: number; readonly good: number } | undefined;
  for (let i = 0; i < replicas; i++) {
    const replica = ((turn + i) % replicas) + 1;
    // An entry that is such a replica itself comes first.
    const own = entries.filter(({ place }) => place?.replica === replica);
    const others = entries.filter(({ place }) => place?.replica !== replica);
    const first = Math.floor(turn / replicas);
    for (const node of [...fromTurn(own, first), ...fromTurn(others, first)]) {
      const good = shardsServed(whole, node, replica);
      if (best === undefined || good > best.good) best = { node, replica, good };
      if (good === shards) return routeBy(node, replica, true);
    }
  }
  return best === undefined ? undefined : routeBy(best.node, best.replica, false);
}

function routeBy(node: ClusterNode, replica: number, isWhole: boolean): Route {
  return { node, isWhole, parameters: { ...spreadQuery, load_balancing_first_offset: String(replica - 1) } };
}

/** A list, rotated by `turn`. */
function fromTurn<T>(list: readonly T[], turn: number): readonly T[] {
  const at = list.length === 0 ? 0 : turn % list.length;
  return [...list.slice(at), ...list.slice(0, at)];
}

function byShard(a: ClusterNode, b: ClusterNode): number {
  return (a.place?.shard ?? 0) - (b.place?.shard ?? 0);
}

/**
 * How many shards are read from a node that has everything. An entry that recognizes its address reads its own shard
 * itself.
 */
function shardsServed(whole: readonly ClusterNode[], entry: ClusterNode, replica: number): number {
  const served = new Set<number>();
  for (const node of whole) {
    const { place } = node;
    if (place === undefined) continue;
    const isOwn = entry.place?.isLocal === true && place.shard === entry.place.shard;
    if (isOwn ? node === entry : place.replica === replica) served.add(place.shard);
  }
  return served.size;
}

const hashedCharacters = 2_000;

/** A number that is equal for equal statements, see {@link routeOf}. */
export function turnOf(statement: string): number {
  let hash = 2_166_136_261;
  const length = Math.min(statement.length, hashedCharacters);
  for (let i = 0; i < length; i++) hash = Math.imul(hash ^ statement.charCodeAt(i), 16_777_619);
  return hash >>> 1;
}
