import { onCluster } from '../../../support/cluster/on-cluster.js';

await onCluster(() => import('../../dialect/counters.test.js'));
