process.env.CLUSTER_REPLICATION = 'replicated';
await import('../worked.rare.test.js');
