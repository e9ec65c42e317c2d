import { onCluster } from '../../../support/cluster/on-cluster.js';

await onCluster(async () => {
  await import('../../dialect/functions-series.test.js');
  await import('../../dialect/functions-picks.test.js');
});
