import test from 'ava';
import { LoginRateLimit } from '../../../src/statements/users/login-rate-limit.js';

const takes = (
  limit: LoginRateLimit,
  count: number,
  address: (i: number) => string,
  name: (i: number) => string,
): number => {
  let taken = 0;
  for (let i = 0; i < count; i++) if (limit.take(address(i), name(i))) taken++;
  return taken;
};

test('an address has so many wrong passwords, for one name and for all, and what was right costs nothing', (t) => {
  const limit = new LoginRateLimit();
  for (let i = 0; i < 500; i++) {
    t.true(limit.take('a', 'root'));
    limit.giveBack('a', 'root');
  }
  t.is(
    takes(
      limit,
      100,
      () => 'a',
      () => 'root',
    ),
    20,
  );
  const names = (i: number): string => `n${i}`;
  t.is(
    takes(limit, 40, () => 'a', names),
    40,
  );
  t.false(limit.take('a', 'n0'), 'the address has used up its allowance');
  t.true(limit.take('b', 'root'));
});

test('an address without allowance may try each name once for which it was never wrong', (t) => {
  const limit = new LoginRateLimit();
  const names = (i: number): string => `n${i}`;
  takes(limit, 200, () => 'a', names);
  t.is(
    takes(limit, 200, () => 'a', names),
    0,
  );
  t.true(limit.take('a', 'another'));
  t.false(limit.take('a', 'another'));
  t.true(limit.take('a', 'right'));
  limit.giveBack('a', 'right');
  t.true(limit.take('a', 'right'));
});

test('a name has a limit of its own for addresses that were wrong, and what it holds of addresses is limited', (t) => {
  const limit = new LoginRateLimit();
  t.is(
    takes(
      limit,
      2_000,
      (i) => `a${i % 100}`,
      () => 'root',
    ),
    200,
  );
  t.true(limit.take('new', 'root'), 'who was never wrong may try');
  takes(
    limit,
    50_000,
    (i) => `b${i}`,
    (i) => `n${i}`,
  );
  t.true(limit.take('later', 'root'));
});
