import { onCluster } from '../../../support/cluster/on-cluster.js';

await onCluster(() => import('../../dialect/subqueries-of-values.test.js'));
