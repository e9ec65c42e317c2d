import test from 'ava';
import { fileScope } from '../service/processes.js';
import { useDatabase } from '../service/service.js';
import { skipped } from '../skipped.js';
import { missingCluster, startCluster } from './nodes.js';

/** Declares the tests of a file once more, with its service on a cluster of two shards with two replicas each. */
export async function onCluster(load: () => Promise<unknown>): Promise<void> {
  const missing = missingCluster(true);
  if (missing !== undefined) {
    test('the same on a cluster', (t) => skipped(t, missing));
    return;
  }
  useDatabase(async () => {
    const { scope, end } = fileScope();
    const { settings } = await startCluster(scope, { shards: 2, replicas: 2, keeper: true });
    return { settings, end };
  });
  await load();
}
