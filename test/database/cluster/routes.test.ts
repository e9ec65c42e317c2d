import test from 'ava';
import type { ClusterNode } from '../../../src/database/cluster/node.js';
import { routeOf, turnOf } from '../../../src/database/cluster/routes.js';

type State = ClusterNode['state'];

/** Nodes of shards with two replicas each, as far as routes look at them. */
function nodes(states: readonly State[], isLocal = false): readonly ClusterNode[] {
  return states.map((state, at) => {
    const place = { shard: Math.floor(at / 2) + 1, replica: (at % 2) + 1, isLocal };
    return Object.assign(Object.create({ isSilent: false }), { url: String(at), place, state });
  });
}

/** The entry nodes of so many queries, and the replica of each shard that they read first. */
function routes(cluster: readonly ClusterNode[], queries: number): readonly (readonly [string, number])[] {
  return Array.from({ length: queries }, (_, turn) => {
    const route = routeOf(cluster, turn);
    return [route?.node.url ?? '', Number(route?.parameters.load_balancing_first_offset)];
  });
}

/** The nodes that take queries as entries. */
function entries(cluster: readonly ClusterNode[]): readonly string[] {
  return [...new Set(routes(cluster, 12).map(([url]) => url))].toSorted();
}

test('queries go to all nodes, and to all replicas', (t) => {
  const all = nodes(['up', 'up', 'up', 'up']);
  t.deepEqual(entries(all), ['0', '1', '2', '3']);
  t.is(new Set(routes(all, 8).map(([, offset]) => offset)).size, 2);
});

test('the same query takes the same route, also when nodes are listed in another order', (t) => {
  const all = nodes(['up', 'up', 'up', 'up', 'up', 'up']);
  for (const question of ['SELECT 1', 'SELECT 2', 'SELECT count(*) FROM d.m']) {
    const turn = turnOf(question);
    t.true(Number.isSafeInteger(turn) && turn >= 0);
    t.is(routeOf(all, turn)?.node, routeOf(all.toReversed(), turn)?.node);
  }
  t.not(turnOf('SELECT 1'), turnOf('SELECT 2'));
});

test('a query stays with its replicas while another one is away', (t) => {
  const whole = routes(nodes(['up', 'up', 'up', 'up']), 8);
  const without = routes(nodes(['up', 'away', 'up', 'up']), 8);
  for (const [turn, [, offset]] of whole.entries()) if (offset === 0) t.is(without[turn]?.[1], 0);
});

test('a node that is behind is read only if no other one of its shard answers', (t) => {
  for (const states of [
    ['up', 'up', 'behind', 'up'],
    ['behind', 'up', 'up', 'up'],
  ] as const) {
    const behind = states.indexOf('behind');
    for (const [url, offset] of routes(nodes(states), 8)) {
      t.not(url, String(behind));
      t.is(offset, 1 - (behind % 2), 'the replica that is whole, of the shard of the entry too');
    }
  }
  t.deepEqual(entries(nodes(['behind', 'away', 'up', 'up'])), ['2', '3']);
  t.deepEqual(entries(nodes(['behind', 'away', 'behind', 'behind'])), ['0', '2', '3']);
});

test('if nodes recognize their address, two shards may lack different replicas', (t) => {
  for (const [url, offset] of routes(nodes(['behind', 'up', 'up', 'away'], true), 8)) {
    // The entry reads its own shard itself, and of the other one the replica that is whole.
    t.deepEqual([url, offset], url === '1' ? ['1', 0] : ['2', 1]);
  }
});

test('a silent node is used if no other one answers', (t) => {
  const [a, b] = nodes(['up', 'up']);
  const silent = Object.assign(Object.create(a!), { isSilent: true });
  for (const turn of [0, 1, 2, 3]) t.is(routeOf([silent, b!], turn)?.node, b);
  t.is(routeOf([silent], 1)?.node, silent);
});

test('there is no route if no node answers', (t) => {
  t.is(routeOf(nodes(['away', 'away']), 0), undefined);
});

test('a route is whole if each shard is read from a node that has everything', (t) => {
  const cases: readonly (readonly [readonly State[], boolean])[] = [
    [['up', 'up', 'up', 'up'], true],
    [['up', 'away', 'behind', 'up'], true],
    [['up', 'away', 'behind', 'away'], false],
  ];
  for (const [states, isWhole] of cases) t.is(routeOf(nodes(states, true), 3)?.isWhole, isWhole, states.join());
});
