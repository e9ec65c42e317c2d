import test from 'ava';
import { loadRequest, notesOf, queryOf, refusalOf } from '../../support/load/request.js';

type Keys = Readonly<Record<string, unknown>>;

const one = { sqls: [{ sql: 'select 1' }] };

function request(keys: Keys, files: Keys = {}) {
  return loadRequest(['-f', 'q.json'], { ...files, 'q.json': { filetype: 'query', databases: 'shop', ...keys } });
}

test('reads a small file with every default', (t) => {
  const scenario = queryOf(request({ specified_table_query: one }));
  t.is(scenario.database, 'shop');
  t.is(scenario.mode, 'taosc');
  t.is(scenario.failure, 'no');
  t.is(scenario.killSlowerThanMs, 0);
  t.is(scenario.killIntervalMs, 1000);
  t.is(scenario.superTable, undefined);
  t.deepEqual(scenario.specified, {
    times: 1,
    intervalMs: 0,
    threads: 1,
    mixed: false,
    queries: [{ sql: 'select 1', result: undefined }],
  });
});

test('statements alone and statements for each sub-table stand in one file', (t) => {
  const answer = request({
    query_times: 5,
    query_mode: 'REST',
    port: 7041,
    continue_if_fail: 'yes',
    kill_slow_query_threshold: 1.5,
    kill_slow_query_interval: 0.5,
    specified_table_query: {
      query_interval: 2,
      concurrent: 2,
      mixed_query: 'yes',
      sqls: [
        { sql: 'select 1', result: './cnt.txt' },
        { sql: 'select 2', result: '' },
      ],
    },
    super_table_query: {
      stblname: 'till',
      threads: 3,
      concurrent: 9,
      query_times: 4,
      sqls: [{ sql: 'select last(qty) from xxxx', result: './last.txt' }],
    },
  });
  const scenario = queryOf(answer);
  t.is(scenario.mode, 'rest');
  t.is(scenario.connection.httpPort, 7041);
  t.is(scenario.failure, 'yes');
  t.is(scenario.killSlowerThanMs, 1500);
  t.is(scenario.killIntervalMs, 500);
  t.deepEqual(scenario.specified, {
    times: 5,
    intervalMs: 2000,
    threads: 2,
    mixed: true,
    queries: [
      { sql: 'select 1', result: './cnt.txt' },
      { sql: 'select 2', result: undefined },
    ],
  });
  t.deepEqual(scenario.superTable, {
    superTable: 'till',
    times: 4,
    intervalMs: 0,
    threads: 3,
    queries: [{ sql: 'select last(qty) from xxxx', result: './last.txt' }],
  });
  t.regex(notesOf(answer), /concurrent: is ignored: threads is given twice/);
});

test('asks the HTTP service at its usual port', (t) => {
  for (const port of [undefined, 6030]) {
    t.is(queryOf(request({ query_mode: 'rest', port, specified_table_query: one })).connection.httpPort, 6041);
  }
});

test('puts the statements of a file before the others', (t) => {
  const keys = { specified_table_query: { ...one, sql_file: 'list.sql' } };
  const scenario = queryOf(request(keys, { 'list.sql': 'select 2\r\n\n  select 3  \n' }));
  t.deepEqual(
    scenario.specified?.queries.map(({ sql }) => sql),
    ['select 2', 'select 3', 'select 1'],
  );
  t.regex(refusalOf(request(keys)), /sql_file: list\.sql cannot be read: no such file/);
});

for (const [keys, message] of [
  [{}, /both missing/],
  [{ databases: undefined, specified_table_query: one }, /databases: is missing/],
  [{ databases: [], specified_table_query: one }, /databases: expected a text, found an array/],
  [{ query_mode: 'other', specified_table_query: one }, /query_mode: "other" is not supported/],
  [{ query_times: 0, specified_table_query: one }, /query_times: 0 is out of range/],
  [{ specified_table_query: { ...one, query_times: -2 } }, /specified_table_query\.query_times: -2 is out of range/],
  [{ specified_table_query: { ...one, mixed_query: 'so' } }, /mixed_query: "so" is neither/],
  [{ specified_table_query: { ...one, query_interval: -1 } }, /query_interval: -1 is out of range/],
  [{ specified_table_query: {} }, /there is no statement to run/],
  [{ specified_table_query: { sqls: [] } }, /sqls: there is no statement to run/],
  [{ specified_table_query: { sqls: [{}] } }, /sqls\[0\]\.sql: is missing/],
  [{ specified_table_query: { sqls: [{ sql: 5 }, { sql: [] }] } }, /sqls\[1\]\.sql/],
  [{ specified_table_query: { sqls: Array.from({ length: 101 }, () => ({ sql: 'select 1' })) } }, /the maximum is 100/],
  [{ super_table_query: { sqls: [{ sql: 'select 1 from xxxx' }] } }, /stblname: is missing/],
  [{ super_table_query: { stblname: 'a', ...one } }, /sqls\[0\]\.sql: has no xxxx/],
] as const) {
  test(`refuses ${JSON.stringify(keys).slice(0, 80)} with ${message.source}`, (t) => {
    t.regex(refusalOf(request(keys)), message);
  });
}
