import { maxMs, maxThreads } from './general.js';
import { choice, integer, list, number, object, text, trueFalse, yesNo } from './setting.js';

const maxSeconds = maxMs / 1000;

/** Settings of queries, of the sections of a query file and of their statements. */
export const query = {
  database: text({ key: 'databases', help: 'name of the database; required' }),
  times: integer({
    key: 'query_times',
    levels: ['query', 'specified', 'children'],
    default: 1,
    min: 1,
    help: 'times that queries run',
  }),
  mode: choice(['taosc', 'rest'], {
    key: 'query_mode',
    default: 'taosc',
    help: '`taosc` asks the database itself, `rest` the HTTP service',
  }),
  killThreshold: number({
    key: 'kill_slow_query_threshold',
    default: 0,
    min: 0,
    max: maxSeconds,
    help: 'seconds after which a query of this run is killed; 0 is never',
  }),
  killInterval: number({
    key: 'kill_slow_query_interval',
    default: 1,
    min: 0,
    max: maxSeconds,
    help: 'seconds between two checks of the running queries',
  }),
  specified: object({
    key: 'specified_table_query',
    levels: ['query', 'subscribe'],
    help: 'statements to run, or to poll in a subscription',
  }),
  children: object({
    key: 'super_table_query',
    levels: ['query', 'subscribe'],
    help: 'statements that run, or are polled, for every sub-table',
  }),
  superTable: text({
    key: 'stblname',
    levels: ['children', 'older'],
    help: 'super table of `super_table_query`; required there',
  }),
  interval: number({
    key: 'query_interval',
    levels: ['specified', 'children'],
    default: 0,
    min: 0,
    max: maxSeconds,
    help: 'seconds from one start to the next of a thread',
  }),
  threads: integer({
    key: 'threads',
    also: ['concurrent'],
    levels: ['specified', 'children', 'older'],
    default: 1,
    min: 1,
    max: maxThreads,
    help: 'threads',
  }),
  mixed: yesNo({
    key: 'mixed_query',
    levels: ['specified'],
    default: false,
    help: 'the threads share the statements, instead of each running all',
  }),
  sqlFile: text({
    key: 'sql_file',
    levels: ['specified'],
    help: 'file with one statement per line; they run before those of `sqls`',
  }),
  statements: list({
    key: 'sqls',
    levels: ['specified', 'children', 'older'],
    help: 'statements; in `super_table_query` each sub-table replaces `xxxx`',
  }),
  sql: text({ key: 'sql', levels: ['statement'], help: 'statement; required' }),
  result: text({
    key: 'result',
    levels: ['statement'],
    help: 'rows of all threads are appended to this file',
  }),
} as const;

/** Settings of subscriptions: topics with their consumers, and the older statements that are polled. */
export const subscription = {
  database: text({ key: 'databases', levels: ['subscribe'], help: 'name of the database of the older statements' }),
  topics: object({ key: 'tmq_info', levels: ['subscribe'], help: 'topics and their consumers' }),
  consumers: integer({ key: 'concurrent', default: 1, min: 1, max: maxThreads, help: 'consumers' }),
  setUp: choice(['sequential', 'parallel'], {
    key: 'create_mode',
    default: 'sequential',
    help: 'set consumers up one after the other or at once',
  }),
  group: text({ key: 'group.id', help: 'group of all consumers' }),
  groupMode: choice(['share', 'independent'], {
    key: 'group_mode',
    default: 'share',
    help: 'without `group.id`: one new group for all, or one for each consumer',
  }),
  clientId: text({
    key: 'client.id',
    default: 'consumer',
    help: 'name of the consumers; each appends `_` and its number',
  }),
  pollDelay: integer({
    key: 'poll_delay',
    default: 1000,
    min: -1,
    max: maxMs,
    help: 'longest wait in ms for rows; then the consumer ends; -1 waits for ever',
  }),
  offsetReset: choice(['earliest', 'latest', 'none'], {
    key: 'auto.offset.reset',
    default: 'earliest',
    help: 'where a group without an offset begins',
  }),
  autoCommit: trueFalse({ key: 'enable.auto.commit', default: true, help: 'commit at intervals' }),
  autoCommitInterval: integer({
    key: 'auto.commit.interval.ms',
    default: 5000,
    min: 1,
    max: maxMs,
    help: 'these intervals',
  }),
  manualCommit: trueFalse({ key: 'enable.manual.commit', default: false, help: 'commit after every message' }),
  snapshot: trueFalse({
    key: 'experimental.snapshot.enable',
    default: false,
    help: 'a new group begins with what is stored, which is so in any case',
  }),
  withTableName: trueFalse({
    key: 'msg.with.table.name',
    default: false,
    help: 'rows have the name of their table',
  }),
  rowsFile: text({ key: 'rows_file', help: "rows are appended to this file, `_` and the consumer's number behind it" }),
  expectRows: integer({
    key: 'expect_rows',
    default: -1,
    min: -1,
    help: 'a consumer ends after this many rows; -1 is never',
  }),
  topicList: list({ key: 'topic_list', help: 'topics; required' }),
  topicName: text({ key: 'name', levels: ['topic'], help: 'name of the topic; required' }),
  topicSql: text({ key: 'sql', levels: ['topic'], help: 'query of the topic, after AS; required' }),
  interval: number({
    key: 'interval',
    levels: ['older'],
    default: 0,
    min: 0,
    max: maxSeconds,
    help: 'seconds between two polls',
  }),
  restart: yesNo({
    key: 'restart',
    levels: ['older'],
    default: false,
    help: 'begin again instead of where the last run ended',
  }),
  keepProgress: yesNo({ key: 'keepProgress', levels: ['older'], default: false, help: 'keep where this run ends' }),
  resubAfterConsume: yesNo({
    key: 'resubAfterConsume',
    levels: ['older'],
    default: false,
    help: 'subscribe again after rows came',
  }),
  endAfterConsume: integer({
    key: 'endAfterConsume',
    levels: ['older'],
    default: -1,
    min: -1,
    help: 'ends after so many polls with rows; -1 is never',
  }),
} as const;
