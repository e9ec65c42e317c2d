import { onCluster } from '../../../support/cluster/on-cluster.js';

await onCluster(async () => {
  await import('../../dialect/joins.test.js');
  await import('../../dialect/joins-nearest.test.js');
});
