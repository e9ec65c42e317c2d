import test from 'ava';
import { LoginRateLimit } from '../../../src/statements/users/login-rate-limit.js';

const takes = (
  budget: LoginRateLimit,
  count: number,
  address: (i: number) => string,
  name: (i: number) => string,
): number => {
  let taken = 0;
  for (let i = 0; i < count; i++) if (budget.take(address(i), name(i))) taken++;
  return taken;
};

test('an address has so many wrong passwords, for one name and for all, and what was right costs nothing', (t) => {
  const budget = new LoginRateLimit();
  for (let i = 0; i < 500; i++) {
    t.true(budget.take('a', 'root'));
    budget.giveBack('a', 'root');
  }
  t.is(
    takes(
      budget,
      100,
      () => 'a',
      () => 'root',
    ),
    20,
  );
  const names = (i: number): string => `n${i}`;
  t.is(
    takes(budget, 40, () => 'a', names),
    40,
  );
  t.false(budget.take('a', 'n0'), 'the address has used up its allowance');
  t.true(budget.take('b', 'root'));
});

test('an address without allowance may try each name once for which it was never wrong', (t) => {
  const budget = new LoginRateLimit();
  const names = (i: number): string => `n${i}`;
  takes(budget, 200, () => 'a', names);
  t.is(
    takes(budget, 200, () => 'a', names),
    0,
  );
  t.true(budget.take('a', 'another'));
  t.false(budget.take('a', 'another'));
  t.true(budget.take('a', 'right'));
  budget.giveBack('a', 'right');
  t.true(budget.take('a', 'right'));
});

test('a name has a limit of its own for addresses that were wrong, and what it holds of addresses is limited', (t) => {
  const budget = new LoginRateLimit();
  t.is(
    takes(
      budget,
      2_000,
      (i) => `a${i % 100}`,
      () => 'root',
    ),
    200,
  );
  t.true(budget.take('new', 'root'), 'who was never wrong may try');
  takes(
    budget,
    50_000,
    (i) => `b${i}`,
    (i) => `n${i}`,
  );
  t.true(budget.take('later', 'root'));
});
