import type { TestCluster } from './nodes.js';

const queues = `SELECT concat(database, '.', table), data_path, data_files, broken_data_files, last_exception
  FROM system.distribution_queue WHERE data_files > 0 OR broken_data_files > 0`;

/** For a test that misses rows: on which nodes some times of some engine tables are, and what waits or was quarantined for other nodes. */
export async function whereabouts(cluster: TestCluster, times: readonly number[]): Promise<string> {
  const places: unknown[] = [];
  for (const node of cluster.nodes) {
    const client = cluster.client(node);
    const name = `${node.place.shard}.${node.place.replica}`;
    const named = "match(database, '^local_d') AND match(name, '^[st][0-9a-f]{16}$')";
    const tables = await client.rows(`SELECT concat(database, '.', name) FROM system.tables WHERE ${named} ORDER BY 1`);
    for (const [table] of tables) {
      const rows = await client.rows(
        `SELECT ts, hex(id), count() FROM ${table} WHERE ts IN (${times.map((ms) => `${ms}, ${ms}000000`).join(', ')}) GROUP BY 1, 2 ORDER BY 1, 2`,
      );
      if (rows.length > 0) places.push([name, table, rows]);
    }
    places.push([name, 'queues', await client.rows(queues)]);
  }
  return JSON.stringify(places);
}
