import { onCluster } from '../../../support/cluster/on-cluster.js';

await onCluster(() => import('../../dialect/insert-calls.test.js'));
