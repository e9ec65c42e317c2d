import test from 'ava';
import { withoutTrailing } from '../../src/text/ends.js';

test('one character is taken off the end, as often as it stands there', (t) => {
  t.is(withoutTrailing('1.500', '0'), '1.5');
  t.is(withoutTrailing('000', '0'), '');
  t.is(withoutTrailing('/a//b', '/'), '/a//b');
  t.is(withoutTrailing('', '/'), '');
});
