process.env.CLUSTER_REPLICATION = 'replicated';
await import('../followed.rare.test.js');
