import test from 'ava';
import { behindBlanks, literalEnd } from '../../src/text/sql-blanks.js';

test('white space and closed comments are passed', (t) => {
  t.is(behindBlanks('x \t/* y */-- z\n\v1', 1), 16);
  t.is(behindBlanks('-- to the end', 0), 13);
  t.is(behindBlanks(' /* open', 0), 1);
  t.is(behindBlanks(' - 1', 0), 1);
});

test('a literal ends at its quote, unless that is doubled or stands behind a backslash', (t) => {
  t.is(literalEnd("'a''b\\'c' d", 0), 9);
  t.is(literalEnd('"a\'b" c', 0), 5);
  t.is(literalEnd("'open\\'", 0), -1);
});
