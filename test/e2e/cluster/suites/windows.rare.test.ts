import { onCluster } from '../../../support/cluster/on-cluster.js';

await onCluster(async () => {
  await import('../../dialect/windows.test.js');
  await import('../../dialect/windows-fill.test.js');
});
