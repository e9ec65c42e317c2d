import { onCluster } from '../../../support/cluster/on-cluster.js';

await onCluster(async () => {
  await import('../../dialect/functions-aggregates.test.js');
  await import('../../dialect/functions-over-time.test.js');
});
