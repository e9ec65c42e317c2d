import { onCluster } from '../../../support/cluster/on-cluster.js';

await onCluster(async () => {
  await import('../../dialect/definitions.test.js');
  await import('../../dialect/definitions-tables.test.js');
});
