import test from 'ava';
import { plainAddress } from '../../../src/http/request/client-address.js';

test('an IPv4 address has no prefix, and other addresses stay as they are', (t) => {
  t.is(plainAddress('::ffff:127.0.0.1'), '127.0.0.1');
  t.is(plainAddress('::FFFF:10.0.0.9'), '10.0.0.9');
  for (const address of ['127.0.0.1', '::1', '2001:db8::ffff:1', '::ffff:7f00:1', ''])
    t.is(plainAddress(address), address);
});
