import { onCluster } from '../../../support/cluster/on-cluster.js';

// In a process of its own: it counts all databases.
await onCluster(() => import('../../dialect/show.test.js'));
