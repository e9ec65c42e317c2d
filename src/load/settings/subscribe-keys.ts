import { generalRows, maxMs, threadRow } from './general-keys.js';
import type { KeyTable } from './section.js';

export const subscribeKeys: KeyTable = {
  title: 'Subscribe: top level',
  rows: [
    ...generalRows,
    { key: 'databases', type: 'text', help: 'name of the database of the older statements' },
    { key: 'tmq_info', type: 'object', help: 'topics and their consumers' },
    { key: 'specified_table_query', type: 'object', help: 'statements that are polled' },
    { key: 'super_table_query', type: 'object', help: 'statements that are polled for every sub-table' },
  ],
  withoutEffect: ['dsn', 'mode', 'subscribe_interval', 'subscribe_times'],
};

export const topicsKeys: KeyTable = {
  title: 'Subscribe: tmq_info',
  rows: [
    { key: 'concurrent', type: 'int', default: '1', min: 1, max: 65536, help: 'consumers' },
    {
      key: 'create_mode',
      type: 'text',
      default: 'sequential',
      allowed: ['sequential', 'parallel'],
      help: 'set consumers up one after the other or at once',
    },
    { key: 'group.id', type: 'text', help: 'group of all consumers' },
    {
      key: 'group_mode',
      type: 'text',
      default: 'share',
      allowed: ['share', 'independent'],
      help: 'without `group.id`: one new group for all, or one for each consumer',
    },
    {
      key: 'client.id',
      type: 'text',
      default: 'consumer',
      help: 'name of the consumers; each adds `_` and its number',
    },
    {
      key: 'poll_delay',
      type: 'int',
      default: '1000',
      min: -1,
      max: maxMs,
      help: 'longest wait in ms for rows; a consumer ends when none came, -1 waits for ever',
    },
    {
      key: 'auto.offset.reset',
      type: 'text',
      default: 'earliest',
      allowed: ['earliest', 'latest', 'none'],
      help: 'where a group begins that has no offset',
    },
    { key: 'enable.auto.commit', type: 'true-false', default: 'true', help: 'commit at intervals' },
    { key: 'auto.commit.interval.ms', type: 'int', default: '5000', min: 1, max: maxMs, help: 'these intervals' },
    { key: 'enable.manual.commit', type: 'true-false', default: 'false', help: 'commit after every message' },
    {
      key: 'experimental.snapshot.enable',
      type: 'true-false',
      default: 'false',
      help: 'a new group begins with what is stored, which is so in any case',
    },
    {
      key: 'msg.with.table.name',
      type: 'true-false',
      default: 'false',
      help: 'rows come with the name of their table',
    },
    { key: 'rows_file', type: 'text', help: "rows are appended to this file, `_` and the consumer's number behind it" },
    {
      key: 'expect_rows',
      type: 'int',
      default: '-1',
      min: -1,
      help: 'a consumer ends when it has so many rows; -1 is never',
    },
    { key: 'topic_list', type: 'list', help: 'topics; required' },
  ],
  withoutEffect: ['enable.heartbeat.background'],
};

export const topicKeys: KeyTable = {
  title: 'Subscribe: an entry of topic_list',
  rows: [
    { key: 'name', type: 'text', help: 'name of the topic; required' },
    { key: 'sql', type: 'text', help: 'what is after AS in the statement that makes it; required' },
  ],
};

export const olderKeys: KeyTable = {
  title: 'Subscribe: specified_table_query and super_table_query',
  rows: [
    { key: 'stblname', type: 'text', help: 'super table of `super_table_query`; required there' },
    threadRow,
    { key: 'interval', type: 'number', default: '0', min: 0, max: maxMs / 1000, help: 'seconds between two polls' },
    { key: 'restart', type: 'yes-no', default: 'no', help: 'begin anew instead of where the last run ended' },
    { key: 'keepProgress', type: 'yes-no', default: 'no', help: 'keep where this run ends' },
    { key: 'resubAfterConsume', type: 'yes-no', default: 'no', help: 'subscribe again after rows came' },
    {
      key: 'endAfterConsume',
      type: 'int',
      default: '-1',
      min: -1,
      help: 'ends after so many polls with rows; -1 is never',
    },
    { key: 'sqls', type: 'list', help: 'statements; in `super_table_query` `xxxx` stands for each sub-table' },
  ],
  withoutEffect: ['mode', 'subscribe_interval', 'subscribe_times', 'endAfterRows'],
};
