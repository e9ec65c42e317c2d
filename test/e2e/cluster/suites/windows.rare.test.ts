import { onCluster } from '../../../support/cluster/on-cluster.js';

await onCluster(() => import('../../dialect/windows.test.js'));
