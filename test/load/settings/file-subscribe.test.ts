import test from 'ava';
import { loadRequest, notesOf, refusalOf, subscribeOf } from '../../support/load/request.js';

type Keys = Readonly<Record<string, unknown>>;

const topic = { name: 'tp', sql: 'select * from shop.till' };

function request(keys: Keys) {
  return loadRequest(['-f', 's.json'], { 's.json': { filetype: 'subscribe', ...keys } });
}

function topics(keys: Keys = {}) {
  const { consume } = subscribeOf(request({ tmq_info: { topic_list: [topic], ...keys } }));
  if (consume.kind !== 'topics') throw new Error('There are no topics.');
  return consume;
}

test('reads topics with every default', (t) => {
  t.deepEqual(topics(), {
    kind: 'topics',
    topics: [topic],
    consumers: 1,
    setUp: 'sequential',
    groups: ['random0'],
    clientId: 'consumer',
    pollDelayMs: 1000,
    offsetReset: 'earliest',
    autoCommit: true,
    autoCommitIntervalMs: 5000,
    manualCommit: false,
    snapshot: false,
    withTableName: false,
    rowsFile: undefined,
    expectRows: -1,
  });
});

test('reads topics with everything, values in texts included', (t) => {
  const keys = {
    concurrent: 2,
    create_mode: 'Parallel',
    'group.id': 'g',
    'client.id': 'c',
    poll_delay: -1,
    'auto.offset.reset': 'latest',
    'enable.auto.commit': 'false',
    'auto.commit.interval.ms': '200',
    'enable.manual.commit': true,
    'experimental.snapshot.enable': 'true',
    'msg.with.table.name': 'true',
    rows_file: './rows',
    expect_rows: 50,
  };
  t.deepEqual(topics(keys), {
    kind: 'topics',
    topics: [topic],
    consumers: 2,
    setUp: 'parallel',
    groups: ['g', 'g'],
    clientId: 'c',
    pollDelayMs: -1,
    offsetReset: 'latest',
    autoCommit: false,
    autoCommitIntervalMs: 200,
    manualCommit: true,
    snapshot: true,
    withTableName: true,
    rowsFile: './rows',
    expectRows: 50,
  });
});

test('makes up groups: one for all or one for each', (t) => {
  t.deepEqual(topics({ concurrent: 3 }).groups, ['random0', 'random0', 'random0']);
  t.deepEqual(topics({ concurrent: 3, group_mode: 'independent' }).groups, ['random0', 'random1', 'random2']);
});

test('reads the older statements', (t) => {
  const { consume } = subscribeOf(
    request({
      databases: 'shop',
      specified_table_query: { concurrent: 2, sqls: [{ sql: 'select 1', result: 'r' }] },
      super_table_query: {
        stblname: 'till',
        interval: 2,
        restart: 'yes',
        keepProgress: 'yes',
        resubAfterConsume: 'yes',
        endAfterConsume: 3,
        sqls: [{ sql: 'select * from xxxx' }],
      },
    }),
  );
  t.deepEqual(consume, {
    kind: 'statements',
    database: 'shop',
    parts: [
      {
        superTable: undefined,
        threads: 2,
        intervalMs: 0,
        restart: false,
        keepProgress: false,
        resubAfterConsume: false,
        endAfterConsume: -1,
        queries: [{ sql: 'select 1', result: 'r' }],
      },
      {
        superTable: 'till',
        threads: 1,
        intervalMs: 2000,
        restart: true,
        keepProgress: true,
        resubAfterConsume: true,
        endAfterConsume: 3,
        queries: [{ sql: 'select * from xxxx', result: undefined }],
      },
    ],
  });
});

test('ignores older statements beside topics', (t) => {
  const both = request({ tmq_info: { topic_list: [topic] }, specified_table_query: { sqls: [{ sql: 'select 1' }] } });
  t.is(subscribeOf(both).consume.kind, 'topics');
  t.regex(notesOf(both), /specified_table_query: is ignored beside tmq_info/);
});

for (const [keys, message] of [
  [{}, /there is nothing to subscribe to/],
  [{ tmq_info: {} }, /topic_list: is missing/],
  [{ tmq_info: { topic_list: [] } }, /topic_list: is empty/],
  [{ tmq_info: { topic_list: [{ sql: 'select 1' }] } }, /topic_list\[0\]\.name: is missing/],
  [{ tmq_info: { topic_list: [{ name: 'a' }] } }, /topic_list\[0\]\.sql: is missing/],
  [{ tmq_info: { topic_list: [{ ...topic, name: 'x'.repeat(256) }] } }, /longer than 255/],
  [{ tmq_info: { topic_list: Array.from({ length: 101 }, () => topic) } }, /the maximum is 100/],
  [{ tmq_info: { topic_list: [topic], concurrent: 0 } }, /concurrent: 0 is out of range/],
  [{ tmq_info: { topic_list: [topic], 'auto.offset.reset': 'x' } }, /auto\.offset\.reset: "x" is not supported/],
  [{ specified_table_query: {} }, /no statement to subscribe to/],
  [{ super_table_query: { sqls: [{ sql: 'select * from xxxx' }] } }, /stblname: is missing/],
] as const) {
  test(`refuses ${JSON.stringify(keys).slice(0, 80)} with ${message.source}`, (t) => {
    t.regex(refusalOf(request(keys)), message);
  });
}
