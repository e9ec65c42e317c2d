import { onCluster } from '../../../support/cluster/on-cluster.js';

await onCluster(() => import('../../dialect/composite-keys.test.js'));
