import { onCluster } from '../../../support/cluster/on-cluster.js';

// In a process of its own: its streams read what others write.
await onCluster(() => import('../../streams.test.js'));
