process.env.CLUSTER_REPLICATION = 'replicated';
await import('../two-adapters.long.test.js');
