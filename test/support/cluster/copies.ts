import type { TestCluster, TestNode } from './nodes.js';

/** What one node has of the rows that lines made, versions of one row counted once. */
async function rowsOn(cluster: TestCluster, node: TestNode): Promise<string> {
  const client = cluster.client(node);
  const named = "match(database, '^local_d') AND match(name, '^s[0-9a-f]{16}$')";
  const tables = await client.rows(`SELECT concat(database, '.', name) FROM system.tables WHERE ${named} ORDER BY 1`);
  const rows = tables.map(([table]) => client.rows(`SELECT count(), sum(cityHash64(id, ts)) FROM ${table} FINAL`));
  return JSON.stringify(await Promise.all(rows));
}

/** True when the replicas of every shard have the same rows, and those of different shards have not. */
export async function areCopies(cluster: TestCluster): Promise<boolean> {
  const shards = new Map<number, Set<string>>();
  for (const node of cluster.nodes) {
    const copies = shards.get(node.place.shard) ?? new Set();
    shards.set(node.place.shard, copies.add(await rowsOn(cluster, node)));
  }
  const all = [...shards.values()].flatMap((copies) => [...copies]);
  return all.length === shards.size && new Set(all).size === all.length;
}
