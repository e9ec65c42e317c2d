import test from 'ava';
import type { ClusterNode } from '../../../src/database/cluster/node.js';
import { readingRoute } from '../../../src/database/cluster/routes.js';

type State = ClusterNode['state'];

/** Nodes of shards with two replicas each, as far as routes look at them. */
function nodes(...states: readonly State[]): readonly ClusterNode[] {
  return states.map((state, at) => {
    const place = { shard: Math.floor(at / 2) + 1, replica: (at % 2) + 1 };
    return Object.assign(Object.create(null), { url: String(at), place, state });
  });
}

/** Which nodes take so many queries as entries, and which replica of other shards they ask first. */
function routes(states: readonly State[], queries: number): readonly (readonly [string, string | undefined])[] {
  return Array.from({ length: queries }, (_, turn) => {
    const route = readingRoute(nodes(...states), turn);
    return [route?.node.url ?? '', route?.parameters.load_balancing_first_offset];
  });
}

test('queries go to all nodes in turn, and to all replicas behind them', (t) => {
  const found = routes(['up', 'up', 'up', 'up'], 8);
  t.deepEqual(new Set(found.map(([url]) => url)), new Set(['0', '1', '2', '3']));
  t.deepEqual(new Set(found.map(([, offset]) => offset)), new Set(['0', '1']));
});

test('a node that is behind is asked only where no other one of its shard answers', (t) => {
  for (const [url, offset] of routes(['up', 'up', 'behind', 'up'], 8)) {
    t.not(url, '2');
    if (url !== '3') t.is(offset, '1', 'of the second shard the second replica is whole');
  }
  const entries = routes(['behind', 'away', 'up', 'up'], 8).map(([url]) => url);
  t.deepEqual(new Set(entries), new Set(['2', '3']));
  t.deepEqual(new Set(routes(['behind', 'away', 'behind', 'behind'], 9).map(([url]) => url)), new Set(['0', '2', '3']));
});

test('there is no way where no node answers', (t) => {
  t.is(readingRoute(nodes('away', 'away'), 0), undefined);
});
