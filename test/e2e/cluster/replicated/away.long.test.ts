process.env.CLUSTER_REPLICATION = 'replicated';
await import('../away.long.test.js');
