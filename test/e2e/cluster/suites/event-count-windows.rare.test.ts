import { onCluster } from '../../../support/cluster/on-cluster.js';

await onCluster(() => import('../../dialect/event-count-windows.test.js'));
