import { onCluster } from '../../../support/cluster/on-cluster.js';

await onCluster(async () => {
  await import('../../dialect/functions-scalars.test.js');
  await import('../../dialect/functions-texts.test.js');
});
