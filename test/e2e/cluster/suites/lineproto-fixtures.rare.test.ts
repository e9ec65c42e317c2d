import { onCluster } from '../../../support/cluster/on-cluster.js';

await onCluster(() => import('../../lineproto-fixtures.test.js'));
