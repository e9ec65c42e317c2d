import { onCluster } from '../../../support/cluster/on-cluster.js';

await onCluster(() => import('../../dialect/functions-in-windows.test.js'));
