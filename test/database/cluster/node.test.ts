import test from 'ava';
import { ClusterNode } from '../../../src/database/cluster/node.js';
import { EngineClient } from '../../../src/database/engine/client.js';
import { startEngine } from '../../support/engine/engine.js';

test('a probe of a node detects the skew of its clock', async (t) => {
  const { endpoint, end } = await startEngine();
  const look = async (offMs: number): Promise<string> => {
    const client = new EngineClient({ ...endpoint });
    const node = new ClusterNode(endpoint.url, client, { ...endpoint, ca: undefined }, () => Date.now() + offMs);
    t.is(await node.probe(), 'there');
    await node.close();
    return node.clockSkew;
  };
  t.is(await look(0), '');
  t.regex(await look(300_000), /^(?:299|300) s behind this one$/);
  t.regex(await look(-300_000), /^(?:299|300) s ahead of this one$/);
  await end();
});
