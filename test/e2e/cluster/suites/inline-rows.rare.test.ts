import { onCluster } from '../../../support/cluster/on-cluster.js';

await onCluster(() => import('../../dialect/inline-rows.test.js'));
