import { failureRow, generalRows, maxMs, threadRow } from './general-keys.js';
import type { KeyRow, KeyTable } from './section.js';

const queryRows: readonly KeyRow[] = [
  {
    key: 'query_interval',
    type: 'number',
    default: '0',
    min: 0,
    max: maxMs / 1000,
    help: 'seconds from one start to the next of a thread',
  },
  { key: 'query_times', type: 'int', default: 'that of the top level', min: 1, help: 'times that queries run' },
  threadRow,
];

export const queryKeys: KeyTable = {
  title: 'Query: top level',
  rows: [
    ...generalRows,
    { key: 'databases', type: 'text', help: 'name of the database; required' },
    { key: 'query_times', type: 'int', default: '1', min: 1, help: 'times that queries run' },
    {
      key: 'query_mode',
      type: 'text',
      default: 'taosc',
      allowed: ['taosc', 'rest'],
      help: '`taosc` asks the database itself, `rest` the HTTP service',
    },
    { ...failureRow, help: '`no` and `smart` end the run at the first failure, `yes` goes on with the next query' },
    {
      key: 'kill_slow_query_threshold',
      type: 'number',
      default: '0',
      min: 0,
      max: maxMs / 1000,
      help: 'seconds after which a query of this run is killed; 0 is never',
    },
    {
      key: 'kill_slow_query_interval',
      type: 'number',
      default: '1',
      min: 0,
      max: maxMs / 1000,
      help: 'seconds between two looks at the running queries',
    },
    { key: 'specified_table_query', type: 'object', help: 'statements as they are' },
    { key: 'super_table_query', type: 'object', help: 'statements that run for every sub-table' },
  ],
  withoutEffect: ['reset_query_cache', 'response_buffer', 'dsn', 'telnet_tcp_port'],
};

export const specifiedQueryKeys: KeyTable = {
  title: 'Query: specified_table_query',
  rows: [
    ...queryRows,
    {
      key: 'mixed_query',
      type: 'yes-no',
      default: 'no',
      help: 'deal the statements out to the threads instead of running each on all of them',
    },
    { key: 'sql_file', type: 'text', help: 'file with one statement a line; they run before those of `sqls`' },
    { key: 'sqls', type: 'list', help: 'statements' },
  ],
  withoutEffect: ['batch_query', 'mode'],
};

export const superQueryKeys: KeyTable = {
  title: 'Query: super_table_query',
  rows: [
    { key: 'stblname', type: 'text', help: 'super table; required' },
    ...queryRows,
    { key: 'sqls', type: 'list', help: 'statements in which `xxxx` stands for each sub-table' },
  ],
  withoutEffect: ['batch_query', 'mode'],
};
