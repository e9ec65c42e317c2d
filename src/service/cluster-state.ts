import type { Engine } from '../database/engine/engine.js';
import type { ClusterState } from '../model/exchange.js';
import type { WatchedMetrics } from '../model/metric.js';

/** State of a cluster's nodes and keeper; undefined for a single engine. */
export function clusterState(engine: Engine): ClusterState | undefined {
  const { isMissing, keeper } = engine;
  const all = engine.nodes();
  const count = (counted: string): number => all.filter(({ state }) => state === counted).length;
  if (all.length === 0) return undefined;
  return { isMissing, nodes: { up: count('up'), behind: count('behind'), away: count('away') }, keeper };
}

/** The same as metrics; none for a single engine. */
export function clusterMetrics(engine: Engine): WatchedMetrics {
  const state = clusterState(engine);
  if (state === undefined) return {};
  const nodes: WatchedMetrics = {
    adapter_cluster_nodes: { help: 'Nodes of the cluster.', read: () => engine.nodes().length },
    adapter_cluster_nodes_up: {
      help: 'Nodes of the cluster that answer and have all rows.',
      read: () => clusterState(engine)?.nodes.up ?? 0,
    },
  };
  if (state.keeper === undefined) return nodes;
  const read = (): number => Number(engine.keeper === 'up');
  return { ...nodes, adapter_cluster_keeper_up: { help: '1 while the keeper of the cluster answers.', read } };
}
