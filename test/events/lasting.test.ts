import test from 'ava';
import { LastingTroubles } from '../../src/events/lasting.js';

test('a trouble counts once it has lasted, until something goes right', (t) => {
  const troubles = new LastingTroubles(5_000);
  troubles.failed('http', 0);
  troubles.failed('http', 4_999);
  t.is(troubles.lasting(4_999).size, 0);
  troubles.failed('http', 5_000);
  t.deepEqual([...troubles.lasting(5_001)], [['http', 0]]);
  troubles.succeeded('http');
  t.is(troubles.lasting(5_002).size, 0);
  troubles.failed('http', 6_000);
  t.is(troubles.lasting(6_001).size, 0);
});

test('a trouble is over when nothing went wrong for ten seconds', (t) => {
  const troubles = new LastingTroubles(0);
  troubles.failed('agentd', 1_000);
  t.deepEqual([...troubles.lasting(11_000)], [['agentd', 1_000]]);
  t.is(troubles.lasting(11_001).size, 0);
  troubles.failed('agentd', 20_000);
  t.deepEqual([...troubles.lasting(20_000)], [['agentd', 20_000]]);
});

test('troubles do not know each other', (t) => {
  const troubles = new LastingTroubles(0);
  troubles.failed('a', 1);
  troubles.failed('b', 2);
  troubles.succeeded('a');
  t.deepEqual([...troubles.lasting(3).keys()], ['b']);
});
