import { onCluster } from '../../../support/cluster/on-cluster.js';

await onCluster(() => import('../../dialect/json-tags.test.js'));
