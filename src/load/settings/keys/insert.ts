import { maxMs, maxThreads } from './general.js';
import { choice, flag, integer, type Level, list, object, text, tries, word, yesNo } from './setting.js';

/** The top level and each super table, where a key counts before that of the top level. */
const both: readonly Level[] = ['insert', 'table'];
const most = Number.MAX_SAFE_INTEGER;

/** Settings of a whole insertion, which its super tables may have of their own. */
export const insert = {
  seed: integer('seed', 'make the random values of runs with this seed the same', {
    flag: { long: 'seed', word: 'N', group: 'run' },
    min: 0,
    shown: 'a new one each time',
  }),
  threads: integer('thread_count', 'insert threads', {
    flag: { long: 'thread', short: 'T', also: ['threads'], word: 'N', group: 'server' },
    default: 8,
    min: 1,
    max: maxThreads,
  }),
  createTableThreads: integer('create_table_thread_count', 'threads that make sub-tables', {
    also: ['thread_count_create_tbl'],
    default: 8,
    min: 1,
    max: maxThreads,
  }),
  connectionPoolSize: integer('connection_pool_size', 'most connections that are opened before the clock starts', {
    min: 1,
    shown: 'thread_count',
  }),
  keepTrying: tries('keep_trying', 'how often a failed request is tried again; -1 and `yes` are for ever, `no` is 0', {
    levels: both,
    flag: { long: 'keep-trying', short: 'k', word: 'N', group: 'server' },
    default: 0,
  }),
  tryingInterval: integer('trying_interval', 'pause in ms before each such try', {
    levels: both,
    flag: { long: 'trying-interval', short: 'z', word: 'MS', group: 'server' },
    default: 1000,
    min: 1,
    max: maxMs,
  }),
  rowsPerRequest: integer('num_of_records_per_req', 'most rows of one request', {
    flag: { long: 'rec-per-req', short: 'r', word: 'N', group: 'rows' },
    default: 30000,
    min: 1,
    max: 65536 * 32,
    outOfRange: 'default',
  }),
  interlaceRows: integer(
    'interlace_rows',
    'rows of a sub-table before the next sub-table; 0 fills one after the other',
    { levels: both, flag: { long: 'interlace-rows', short: 'B', word: 'N', group: 'rows' }, default: 0, min: 0 },
  ),
  insertInterval: integer('insert_interval', 'pause in ms after each round of interlaced rows', {
    levels: both,
    flag: { long: 'insert-interval', short: 'i', word: 'MS', group: 'rows' },
    default: 0,
    min: 0,
    max: maxMs,
  }),
  preparedRows: integer('prepared_rand', 'number of different rows, which are written in turn', {
    also: ['prepare_rand'],
    flag: { long: 'prepared_rand', short: 'F', also: ['prepare_rand'], word: 'N', group: 'rows' },
    default: 10000,
    min: 1,
    max: most,
  }),
  chinese: yesNo('chinese', 'Chinese characters in NCHAR and BINARY', {
    flag: { long: 'chinese', short: 'C', group: 'rows' },
    default: false,
  }),
  escapeNames: yesNo('escape_character', 'quote names of databases and tables, so that they may hold any character', {
    levels: both,
    flag: { long: 'escape-character', short: 'E', group: 'tables' },
    default: false,
  }),
  childFrom: integer('childtable_from', 'number of the first sub-table that is made and filled', {
    also: ['child_table_from'],
    levels: both,
    default: 0,
    min: 0,
    outOfRange: 'nearest',
  }),
  childTo: integer('childtable_to', 'end of these sub-tables; not one of them itself', {
    also: ['child_table_to'],
    levels: both,
    shown: 'childtable_count',
  }),
  definitionsMode: text('insert_mode', '`rest` makes and drops databases and tables over HTTP'),
  tcpPort: integer('telnet_tcp_port', 'port of the telnet listener that `tcp_transfer` writes to', {
    default: 6046,
    min: 1,
    max: 65535,
  }),
  databases: list('databases', 'databases, each with `dbinfo` and `super_tables`; required'),
  streams: list('streams', 'streams to make before the insertion; a single object is a list of one', {
    also: ['stream'],
  }),
  databaseInfo: object('dbinfo', 'the database; required', { levels: ['database'] }),
  superTables: list('super_tables', 'its super tables', { levels: ['database'] }),
  aggregate: flag({
    flag: { long: 'aggr-func', short: 'x', group: 'rows' },
    help: 'run aggregation queries after the insertion',
  }),
} as const;

/** Settings of one database. */
export const database = {
  name: text('name', 'name of the database; required', {
    flag: {
      long: 'database',
      short: 'd',
      word: 'NAME',
      group: 'tables',
      default: 'test',
      help: 'database; it is dropped and made again unless -U or -Q is given',
    },
  }),
  drop: yesNo('drop', 'drop the database and make it again; `no` uses the existing one', { default: true }),
  noDrop: flag({
    flag: { long: 'nodrop', short: 'Q', group: 'tables' },
    help: 'use the database as it is; it must exist',
  }),
  supplement: flag({
    flag: { long: 'supplement-insert', short: 'U', group: 'tables' },
    help: 'use database and super table as they are, and add sub-tables and rows',
  }),
  vgroups: integer(undefined, 'vgroups of the new database', {
    flag: { long: 'vgroups', short: 'v', word: 'N', group: 'tables' },
    min: 0,
    max: most,
  }),
  replica: integer(undefined, 'replicas', {
    flag: { long: 'replica', short: 'a', also: ['replia'], word: 'N', group: 'tables' },
    default: 1,
    min: 1,
    max: most,
  }),
  precision: choice(['ms', 'us', 'ns'], 'precision', 'tick of its timestamps', { default: 'ms' }),
} as const;

/** Settings of one stream. */
export const stream = {
  name: text('stream_name', 'name of the stream; required'),
  target: text('stream_stb', 'super table it writes to; required'),
  sql: text('stream_sql', 'its query; required', { also: ['source_sql'] }),
  trigger: text('trigger_mode', 'when it computes'),
  watermark: word('watermark', 'how long it waits for late rows'),
  ignoreUpdate: word('ignore_update', 'value of IGNORE UPDATE'),
  ignoreExpired: word('ignore_expired', 'value of IGNORE EXPIRED'),
  fillHistory: word('fill_history', 'value of FILL_HISTORY'),
  targetColumns: text('stream_stb_field', 'columns of the target'),
  targetTags: text('stream_tag_field', 'tags of the target'),
  subTable: text('subtable', "names of the target's sub-tables"),
  drop: yesNo('drop', '`yes` drops and makes the stream, `no` does nothing', { default: false }),
} as const;
