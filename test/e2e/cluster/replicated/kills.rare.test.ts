process.env.CLUSTER_REPLICATION = 'replicated';
await import('../kills.rare.test.js');
