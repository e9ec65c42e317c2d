import { failureRow, generalRows, maxMs } from './general-keys.js';
import type { KeyRow, KeyTable } from './section.js';

/** Keys of the top level and of each super table, where they count before those of the top level. */
export const sharedRows: readonly KeyRow[] = [
  {
    key: 'interlace_rows',
    type: 'int',
    default: '0',
    min: 0,
    help: 'rows of a sub-table before the next has its turn; 0 finishes one after the other',
  },
  {
    key: 'insert_interval',
    type: 'int',
    default: '0',
    min: 0,
    max: maxMs,
    help: 'pause in ms after each round of interlaced rows',
  },
  { key: 'escape_character', type: 'yes-no', default: 'no', help: 'quote names, so that they may hold any character' },
  {
    key: 'keep_trying',
    type: 'any',
    default: '0',
    help: 'how often a failed request is tried again; -1 and `yes` are for ever, `no` is 0',
  },
  {
    key: 'trying_interval',
    type: 'int',
    default: '1000',
    min: 1,
    max: maxMs,
    help: 'pause in ms before each such try',
  },
  failureRow,
  {
    key: 'childtable_from',
    also: ['child_table_from'],
    type: 'int',
    default: '0',
    help: 'first sub-table that is made and filled, by its number',
  },
  {
    key: 'childtable_to',
    also: ['child_table_to'],
    type: 'int',
    default: 'childtable_count',
    help: 'end of these sub-tables; not one of them itself',
  },
];

export const insertKeys: KeyTable = {
  title: 'Insert: top level',
  rows: [
    ...generalRows,
    { key: 'thread_count', type: 'int', default: '8', min: 1, max: 65536, help: 'insert threads' },
    {
      key: 'create_table_thread_count',
      also: ['thread_count_create_tbl'],
      type: 'int',
      default: '8',
      min: 1,
      max: 65536,
      help: 'threads that make sub-tables',
    },
    {
      key: 'connection_pool_size',
      type: 'int',
      default: 'thread_count',
      min: 1,
      help: 'most connections that are opened before the clock starts',
    },
    {
      key: 'num_of_records_per_req',
      type: 'int',
      default: '30000',
      max: 65536 * 32,
      help: 'most rows of one request',
    },
    {
      key: 'prepared_rand',
      also: ['prepare_rand'],
      type: 'int',
      default: '10000',
      min: 1,
      help: 'different rows that are made up and written in turn',
    },
    { key: 'chinese', type: 'yes-no', default: 'no', help: 'Chinese characters in NCHAR and BINARY' },
    { key: 'seed', type: 'int', default: 'a new one each time', min: 0, help: 'makes the random values the same' },
    {
      key: 'insert_mode',
      type: 'text',
      help: '`rest` makes and drops databases and tables over HTTP',
    },
    {
      key: 'telnet_tcp_port',
      type: 'int',
      default: '6046',
      min: 1,
      max: 65535,
      help: 'port of the telnet listener that `tcp_transfer` writes to',
    },
    ...sharedRows,
    { key: 'databases', type: 'list', help: 'databases, each with `dbinfo` and `super_tables`; required' },
    { key: 'streams', also: ['stream'], type: 'list', help: 'streams that are made before the insertion' },
  ],
  withoutEffect: [
    'check_sql',
    'pre_load_tb_meta',
    'thread_bind_vgroup',
    'dsn',
    'output_dir',
    'csvPath',
    'num_of_tables',
  ],
};

export const databaseEntryKeys: KeyTable = {
  title: 'Insert: an entry of databases',
  rows: [
    { key: 'dbinfo', type: 'object', help: 'the database; required' },
    { key: 'super_tables', type: 'any', help: 'its super tables' },
  ],
};

export const databaseKeys: KeyTable = {
  title: 'Insert: dbinfo',
  rows: [
    { key: 'name', type: 'text', help: 'name of the database; required' },
    {
      key: 'drop',
      type: 'yes-no',
      default: 'yes',
      help: 'drop the database and make it anew; `no` uses the one that is there',
    },
    { key: 'precision', type: 'text', default: 'ms', allowed: ['ms', 'us', 'ns'], help: 'tick of its timestamps' },
  ],
  withoutEffect: ['flush_each_batch'],
  open: true,
};

export const streamKeys: KeyTable = {
  title: 'Insert: an entry of streams',
  rows: [
    { key: 'stream_name', type: 'text', help: 'name of the stream; required' },
    { key: 'stream_stb', type: 'text', help: 'super table it writes to; required' },
    { key: 'stream_sql', also: ['source_sql'], type: 'text', help: 'its query; required' },
    { key: 'trigger_mode', type: 'text', help: 'when it computes' },
    { key: 'watermark', type: 'word', help: 'how long it waits for late rows' },
    { key: 'ignore_update', type: 'word', help: 'value of IGNORE UPDATE' },
    { key: 'ignore_expired', type: 'word', help: 'value of IGNORE EXPIRED' },
    { key: 'fill_history', type: 'word', help: 'value of FILL_HISTORY' },
    { key: 'stream_stb_field', type: 'text', help: 'columns of the target' },
    { key: 'stream_tag_field', type: 'text', help: 'tags of the target' },
    { key: 'subtable', type: 'text', help: "names of the target's sub-tables" },
    { key: 'drop', type: 'yes-no', default: 'no', help: '`yes` drops and makes the stream, `no` does nothing' },
  ],
};
