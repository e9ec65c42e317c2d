import { onCluster } from '../../../support/cluster/on-cluster.js';

await onCluster(() => import('../../streams.test.js'));
