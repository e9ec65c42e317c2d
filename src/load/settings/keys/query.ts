import { maxMs, maxThreads } from './general.js';
import { choice, integer, list, number, object, text, trueFalse, yesNo } from './setting.js';

const maxSeconds = maxMs / 1000;

/** Settings of queries, of the sections of a query file and of their statements. */
export const query = {
  database: text('databases', 'name of the database; required'),
  times: integer('query_times', 'times that queries run', {
    levels: ['query', 'specified', 'children'],
    default: 1,
    min: 1,
  }),
  mode: choice(['taosc', 'rest'], 'query_mode', '`taosc` asks the database itself, `rest` the HTTP service', {
    default: 'taosc',
  }),
  killThreshold: number('kill_slow_query_threshold', 'seconds after which a query of this run is killed; 0 is never', {
    default: 0,
    min: 0,
    max: maxSeconds,
  }),
  killInterval: number('kill_slow_query_interval', 'seconds between two checks of the running queries', {
    default: 1,
    min: 0,
    max: maxSeconds,
  }),
  specified: object('specified_table_query', 'statements to run, or to poll in a subscription', {
    levels: ['query', 'subscribe'],
  }),
  children: object('super_table_query', 'statements that run, or are polled, for every sub-table', {
    levels: ['query', 'subscribe'],
  }),
  superTable: text('stblname', 'super table of `super_table_query`; required there', { levels: ['children', 'older'] }),
  interval: number('query_interval', 'seconds from one start to the next of a thread', {
    levels: ['specified', 'children'],
    default: 0,
    min: 0,
    max: maxSeconds,
  }),
  threads: integer('threads', 'threads', {
    also: ['concurrent'],
    levels: ['specified', 'children', 'older'],
    default: 1,
    min: 1,
    max: maxThreads,
  }),
  mixed: yesNo('mixed_query', 'the threads share the statements, instead of each running all', {
    levels: ['specified'],
    default: false,
  }),
  sqlFile: text('sql_file', 'file with one statement per line; they run before those of `sqls`', {
    levels: ['specified'],
  }),
  statements: list('sqls', 'statements; in `super_table_query` each sub-table replaces `xxxx`', {
    levels: ['specified', 'children', 'older'],
  }),
  sql: text('sql', 'statement; required', { levels: ['statement'] }),
  result: text('result', 'rows of all threads are appended to this file', { levels: ['statement'] }),
} as const;

/** Settings of subscriptions: topics with their consumers, and the older statements that are polled. */
export const subscription = {
  database: text('databases', 'name of the database of the older statements', { levels: ['subscribe'] }),
  topics: object('tmq_info', 'topics and their consumers', { levels: ['subscribe'] }),
  consumers: integer('concurrent', 'consumers', { default: 1, min: 1, max: maxThreads }),
  setUp: choice(['sequential', 'parallel'], 'create_mode', 'set consumers up one after the other or at once', {
    default: 'sequential',
  }),
  group: text('group.id', 'group of all consumers'),
  groupMode: choice(
    ['share', 'independent'],
    'group_mode',
    'without `group.id`: one new group for all, or one for each consumer',
    { default: 'share' },
  ),
  clientId: text('client.id', 'name of the consumers; each appends `_` and its number', { default: 'consumer' }),
  pollDelay: integer('poll_delay', 'longest wait in ms for rows; then the consumer ends; -1 waits for ever', {
    default: 1000,
    min: -1,
    max: maxMs,
  }),
  offsetReset: choice(['earliest', 'latest', 'none'], 'auto.offset.reset', 'where a group without an offset begins', {
    default: 'earliest',
  }),
  autoCommit: trueFalse('enable.auto.commit', 'commit at intervals', { default: true }),
  autoCommitInterval: integer('auto.commit.interval.ms', 'these intervals', { default: 5000, min: 1, max: maxMs }),
  manualCommit: trueFalse('enable.manual.commit', 'commit after every message', { default: false }),
  snapshot: trueFalse(
    'experimental.snapshot.enable',
    'a new group begins with what is stored, which is so in any case',
    { default: false },
  ),
  withTableName: trueFalse('msg.with.table.name', 'rows have the name of their table', { default: false }),
  rowsFile: text('rows_file', "rows are appended to this file, `_` and the consumer's number behind it"),
  expectRows: integer('expect_rows', 'a consumer ends after this many rows; -1 is never', { default: -1, min: -1 }),
  topicList: list('topic_list', 'topics; required'),
  topicName: text('name', 'name of the topic; required', { levels: ['topic'] }),
  topicSql: text('sql', 'query of the topic, after AS; required', { levels: ['topic'] }),
  interval: number('interval', 'seconds between two polls', { levels: ['older'], default: 0, min: 0, max: maxSeconds }),
  restart: yesNo('restart', 'begin again instead of where the last run ended', { levels: ['older'], default: false }),
  keepProgress: yesNo('keepProgress', 'keep where this run ends', { levels: ['older'], default: false }),
  resubAfterConsume: yesNo('resubAfterConsume', 'subscribe again after rows came', {
    levels: ['older'],
    default: false,
  }),
  endAfterConsume: integer('endAfterConsume', 'ends after so many polls with rows; -1 is never', {
    levels: ['older'],
    default: -1,
    min: -1,
  }),
} as const;
