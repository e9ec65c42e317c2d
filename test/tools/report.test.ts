import test from 'ava';
import { plainTitles, Report, summary } from '../../tools/tests/report.js';

function read(text: string) {
  const printed: string[] = [];
  const report = new Report(
    (line) => printed.push(line),
    plainTitles([
      { path: 'build/test/e2e/page.test.js', name: 'e2e › page' },
      { path: 'build/test/e2e/prometheus.test.js', name: 'e2e › prometheus' },
      { path: 'build/shared-tests/sql.test.js', name: '' },
    ]),
  );
  for (const line of text.split('\n')) report.line(line);
  return { totals: report.totals, printed };
}

test('tests are counted, those that showed nothing apart with their reason, and only what failed is printed', (t) => {
  const { totals, printed } = read(`TAP version 13
ok 1 - test › e2e › page › it opens
ok 2 - test › e2e › prometheus › it is scraped
#   skipped: there is no program
#   another line
ok 3 - shared-tests › sql › sql › lexer › words # SKIP
not ok 4 - shared-tests › sql › sql › lexer › numbers
#   seen on the way
  ---
    name: AssertionError
    details:
      'Difference (- actual, + expected):': |-
        - 1
        + 2
  ...
ok 5 - test › e2e › page › it closes
#   1.5 ms
not ok 6 - build/test/e2e/page.test.js exited with a non-zero exit code: 1

1..6
# tests 6
# pass 4
# skip 1
# fail 2`);
  t.is(summary(totals), '2 passed, 2 failed, 2 skipped');
  t.deepEqual(totals.skipped, [
    { title: 'e2e › prometheus › it is scraped', reason: 'there is no program' },
    { title: 'sql › lexer › words', reason: 'it says skip' },
  ]);
  t.deepEqual(totals.failures, [
    'sql › lexer › numbers',
    'build/test/e2e/page.test.js exited with a non-zero exit code: 1',
  ]);
  t.is(printed[0], 'FAILED  sql › lexer › numbers');
  t.true(printed.includes('        + 2'));
  t.false(printed.some((line) => line.includes('1.5 ms')));
});

test('titles have the whole name of their file, however many files run', (t) => {
  const page = { path: 'build/test/e2e/page.test.js', name: 'e2e › page' };
  const sql = { path: 'build/shared-tests/sql.test.js', name: '' };
  t.is(plainTitles([page])('it opens'), 'e2e › page › it opens');
  t.is(plainTitles([sql])('sql › lexer › words'), 'sql › lexer › words');
  t.is(plainTitles([page, sql])('test › e2e › page › it opens'), 'e2e › page › it opens');
  t.is(plainTitles([page, sql])('shared-tests › sql › sql › lexer › words'), 'sql › lexer › words');
  const other = { path: 'build/test/e2e/sql.test.js', name: 'e2e › sql' };
  t.is(plainTitles([page, other])('sql › a > b'), 'e2e › sql › a > b');
});
