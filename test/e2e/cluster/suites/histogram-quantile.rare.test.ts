import { onCluster } from '../../../support/cluster/on-cluster.js';

await onCluster(() => import('../../dialect/histogram-quantile.test.js'));
