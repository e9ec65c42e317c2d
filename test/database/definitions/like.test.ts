import test from 'ava';
import fc from 'fast-check';
import { isLike } from '../../../src/database/definitions/like.js';

test('matches runs, single characters and what is escaped', (t) => {
  for (const [text, pattern, expected] of [
    ['meters', 'met%', true],
    ['meters', 'MET%', false],
    ['meters', '_eters', true],
    ['meters', '_meters', false],
    ['a_b', 'a\\_b', true],
    ['axb', 'a\\_b', false],
    ['50%', '%\\%', true],
    ['höhe', 'h_he', true],
    ['💧', '_', true],
    ['', '%', true],
    ['', '', true],
    ['a', '', false],
    ['abcabd', '%ab_', true],
    ['a\nb', 'a%b', true],
  ] as const) {
    t.is(isLike(text, pattern), expected, `${text} LIKE ${pattern}`);
  }
});

test('agrees with a regular expression', (t) => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 8 });
  const pattern = fc.string({ unit: fc.constantFrom('a', 'b', '%', '_'), maxLength: 6 });
  fc.assert(
    fc.property(text, pattern, (name, like) => {
      const source = like.replaceAll('%', '.*').replaceAll('_', '.');
      t.is(isLike(name, like), new RegExp(`^${source}$`).test(name));
    }),
  );
});

test('a pattern of many runs takes no longer than others', (t) => {
  const start = performance.now();
  t.false(isLike('a'.repeat(192), `${'%a'.repeat(90)}%b`));
  t.true(performance.now() - start < 1_000);
});
