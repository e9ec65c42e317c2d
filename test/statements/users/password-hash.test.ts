import test from 'ava';
import { hashPassword, verifyPassword } from '../../../src/statements/users/password-hash.js';

test('behind many wrong passwords of its address another user waits for its turn, and is not refused', async (t) => {
  const stored = await hashPassword('Secret-1');
  const wrong = Array.from({ length: 30 }, (_, at) => verifyPassword('wrong', stored, { from: 'a', name: `n${at}` }));
  const right = verifyPassword('Secret-1', stored, { from: 'a', name: 'ann' });
  t.true(await right);
  t.deepEqual(await Promise.all(wrong), Array(30).fill(false));
});
