process.env.CLUSTER_REPLICATION = 'replicated';
await import('../followed.long.test.js');
