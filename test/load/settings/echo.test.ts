import test from 'ava';
import { planLines, scenarioText } from '../../../src/load/settings/echo.js';
import { type Keys, scenario } from '../../support/load/insert-file.js';
import { loadRequest, scenarioOf } from '../../support/load/request.js';

test('shows every value but the password', (t) => {
  const text = scenarioText(scenarioOf(loadRequest(['-pverysecret', '-k', '-1', '-s', '5'])));
  t.notRegex(text, /verysecret/);
  t.regex(text, /"password": "\*{6}"/);
  t.regex(text, /"more": "for ever"/);
  t.regex(text, /"start": 5,/);
});

for (const [argv, lines] of [
  [
    [],
    [
      'Database test will be DROPPED if it exists, and made anew.',
      '  Super table meters with 10000 sub-tables: 10000 rows each by taosc, 100000000 in all.',
      '  At 200000 rows per second that takes about 8 minutes, and at most about 2.0 GB on disk.',
    ],
  ],
  [
    ['-U', '-t2', '-n3', '-Istmt'],
    [
      'Database test and its super tables are used as they are.',
      '  Super table meters with 2 sub-tables: 3 rows each by stmt, 6 in all.',
    ],
  ],
  [
    ['-QN', '-t2', '-n3'],
    ['Database test must exist.', '  2 normal tables: 3 rows each by taosc, 6 in all.'],
  ],
] as const) {
  test(`says what ${argv.join(' ') || 'a run without arguments'} will do`, (t) => {
    t.deepEqual(planLines(scenarioOf(loadRequest([...argv]))), lines);
  });
}

for (const [argv, line] of [
  [['-r1'], '  At 10 ms per request that takes about 34.7 hours, and at most about 2.0 GB on disk.'],
  [['-t100', '-n1000', '-r10'], '  At 10 ms per request that takes about 13 seconds, and at most about 2 MB on disk.'],
  [
    ['-t80', '-n100', '-B10', '-i500'],
    '  At 10 ms per request and with the pauses between rounds that takes about 6 seconds, and at most about 1 MB on disk.',
  ],
  [['-t1000000', '-n1'], '  At 200000 rows per second that takes about 5 seconds, and at most about 20 MB on disk.'],
  [['-t1000', '-n1', '-Irest'], '  At 10 ms per request that takes about 2 seconds, and at most about 1 MB on disk.'],
  [['-t1000', '-n1'], undefined],
] as const) {
  test(`says how long ${argv.join(' ')} will take`, (t) => {
    t.is(planLines(scenarioOf(loadRequest([...argv])))[2], line);
  });
}

test('does not promise more sub-tables than a file or the server may have', (t) => {
  const linesFor = (table: Keys, dbinfo: Keys = {}) => planLines(scenario({ insert_rows: 24, ...table }, dbinfo))[1];
  t.is(
    linesFor({ tags_file: 't.csv' }),
    '  Super table till with at most 10 sub-tables, one per line of t.csv: 24 rows each by taosc, at most 240 in all.',
  );
  t.is(
    linesFor({ child_table_exists: 'yes', childtable_limit: 1 }, { drop: 'no' }),
    '  Super table till with at most 1 sub-table: 24 rows each by taosc, at most 24 in all.',
  );
});

test('says what a query run and a subscription will do', (t) => {
  const query = {
    filetype: 'query',
    databases: 'shop',
    query_times: 4,
    specified_table_query: { threads: 2, sqls: [{ sql: 'a' }, { sql: 'b' }, { sql: 'c' }] },
    super_table_query: { stblname: 'till', sqls: [{ sql: 'xxxx' }] },
  };
  t.deepEqual(planLines(scenarioOf(loadRequest(['-f', 'q'], { q: query }))), [
    'Database shop is queried by taosc.',
    '  3 statements, 4 times, 2 threads: 24 queries.',
    '  1 statement for every sub-table of till, 4 times, 1 thread.',
  ]);
  const subscribe = { filetype: 'subscribe', tmq_info: { topic_list: [{ name: 'a', sql: 'b' }] } };
  t.deepEqual(planLines(scenarioOf(loadRequest(['-f', 's'], { s: subscribe }))), ['Topics a are read by 1 consumer.']);
});
