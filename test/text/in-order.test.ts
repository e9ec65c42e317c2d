import test from 'ava';
import { hasInOrder } from '../../src/text/in-order.js';

test('each pattern has to match behind the match of the one before', (t) => {
  t.true(hasInOrder('create a user', /create/, /user/));
  t.false(hasInOrder('user, create', /create/, /user/));
  t.false(hasInOrder('aa', /a/, /a/, /a/));
  t.true(hasInOrder('', ...[]));
});
