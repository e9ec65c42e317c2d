import { onCluster } from '../../../support/cluster/on-cluster.js';

await onCluster(() => import('../../dialect/statements-random.long.test.js'));
