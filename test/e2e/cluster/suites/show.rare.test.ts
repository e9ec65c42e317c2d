import { onCluster } from '../../../support/cluster/on-cluster.js';

// In a process of its own: it counts all databases.
await onCluster(async () => {
  await import('../../dialect/show.test.js');
  await import('../../dialect/show-create.test.js');
});
