import { onCluster } from '../../../support/cluster/on-cluster.js';

await onCluster(async () => {
  await import('../../dialect/row-windows.test.js');
  await import('../../dialect/event-count-windows.test.js');
});
