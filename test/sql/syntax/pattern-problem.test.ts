import test from 'ava';
import { patternProblem } from '../../../src/sql/syntax/pattern-problem.js';

test('a regular expression may repeat so many characters and no more', (t) => {
  const good = [
    'a{0,1000}',
    '^\\d{1,3}(?:\\.\\d{1,3}){3}$',
    '[]{3000}]{2}',
    '\\{9999\\}',
    '{9999',
    'a{,9999}',
    '(ab){2}{3}',
    'a)b{2}',
  ];
  for (const pattern of good) t.is(patternProblem(pattern), undefined, pattern);
  const bad = [
    'a{0,1000}'.repeat(3),
    '(a{0,100}b{100}){11}',
    '((a{10}){20}){30}',
    '[a]{2500}',
    'a{2500,}',
    `a{${'9'.repeat(400)}}`,
  ];
  for (const pattern of bad)
    t.is(patternProblem(pattern), 'repeats more than 2000 characters by numbers in braces', pattern);
});

test('a regular expression is neither too long nor too deep', (t) => {
  t.regex(patternProblem('a'.repeat(65_537)) ?? '', /more than 65536 characters/);
  t.regex(patternProblem('('.repeat(65)) ?? '', /deeper than 64/);
  t.is(patternProblem('(a)'.repeat(1000)), undefined);
});
