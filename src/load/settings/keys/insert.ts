import { maxMs, maxThreads } from './general.js';
import { choice, flag, integer, type Level, list, object, text, tries, word, yesNo } from './setting.js';

/** The top level and each super table, where a key counts before that of the top level. */
const both: readonly Level[] = ['insert', 'table'];
const most = Number.MAX_SAFE_INTEGER;

/** Settings of a whole insertion, which its super tables may have of their own. */
export const insert = {
  seed: integer({
    key: 'seed',
    flag: { long: 'seed', word: 'N', group: 'run' },
    min: 0,
    shown: 'a new one each time',
    help: 'make the random values of runs with this seed the same',
  }),
  threads: integer({
    key: 'thread_count',
    flag: { long: 'thread', short: 'T', also: ['threads'], word: 'N', group: 'server' },
    default: 8,
    min: 1,
    max: maxThreads,
    help: 'insert threads',
  }),
  createTableThreads: integer({
    key: 'create_table_thread_count',
    also: ['thread_count_create_tbl'],
    default: 8,
    min: 1,
    max: maxThreads,
    help: 'threads that make sub-tables',
  }),
  connectionPoolSize: integer({
    key: 'connection_pool_size',
    min: 1,
    shown: 'thread_count',
    help: 'most connections that are opened before the clock starts',
  }),
  keepTrying: tries({
    key: 'keep_trying',
    levels: both,
    flag: { long: 'keep-trying', short: 'k', word: 'N', group: 'server' },
    default: 0,
    help: 'how often a failed request is tried again; -1 and `yes` are for ever, `no` is 0',
  }),
  tryingInterval: integer({
    key: 'trying_interval',
    levels: both,
    flag: { long: 'trying-interval', short: 'z', word: 'MS', group: 'server' },
    default: 1000,
    min: 1,
    max: maxMs,
    help: 'pause in ms before each such try',
  }),
  rowsPerRequest: integer({
    key: 'num_of_records_per_req',
    flag: { long: 'rec-per-req', short: 'r', word: 'N', group: 'rows' },
    default: 30000,
    min: 1,
    max: 65536 * 32,
    outOfRange: 'default',
    help: 'most rows of one request',
  }),
  interlaceRows: integer({
    key: 'interlace_rows',
    levels: both,
    flag: { long: 'interlace-rows', short: 'B', word: 'N', group: 'rows' },
    default: 0,
    min: 0,
    help: 'rows of a sub-table before the next sub-table; 0 fills one after the other',
  }),
  insertInterval: integer({
    key: 'insert_interval',
    levels: both,
    flag: { long: 'insert-interval', short: 'i', word: 'MS', group: 'rows' },
    default: 0,
    min: 0,
    max: maxMs,
    help: 'pause in ms after each round of interlaced rows',
  }),
  preparedRows: integer({
    key: 'prepared_rand',
    also: ['prepare_rand'],
    flag: { long: 'prepared_rand', short: 'F', also: ['prepare_rand'], word: 'N', group: 'rows' },
    default: 10000,
    min: 1,
    max: most,
    help: 'number of different rows, which are written in turn',
  }),
  chinese: yesNo({
    key: 'chinese',
    flag: { long: 'chinese', short: 'C', group: 'rows' },
    default: false,
    help: 'Chinese characters in NCHAR and BINARY',
  }),
  escapeNames: yesNo({
    key: 'escape_character',
    levels: both,
    flag: { long: 'escape-character', short: 'E', group: 'tables' },
    default: false,
    help: 'quote names of databases and tables, so that they may hold any character',
  }),
  childFrom: integer({
    key: 'childtable_from',
    also: ['child_table_from'],
    levels: both,
    default: 0,
    min: 0,
    outOfRange: 'nearest',
    help: 'number of the first sub-table that is made and filled',
  }),
  childTo: integer({
    key: 'childtable_to',
    also: ['child_table_to'],
    levels: both,
    shown: 'childtable_count',
    help: 'end of these sub-tables; not one of them itself',
  }),
  definitionsMode: text({ key: 'insert_mode', help: '`rest` makes and drops databases and tables over HTTP' }),
  tcpPort: integer({
    key: 'telnet_tcp_port',
    default: 6046,
    min: 1,
    max: 65535,
    help: 'port of the telnet listener that `tcp_transfer` writes to',
  }),
  databases: list({ key: 'databases', help: 'databases, each with `dbinfo` and `super_tables`; required' }),
  streams: list({
    key: 'streams',
    also: ['stream'],
    help: 'streams to make before the insertion; a single object is a list of one',
  }),
  databaseInfo: object({ key: 'dbinfo', levels: ['database'], help: 'the database; required' }),
  superTables: list({ key: 'super_tables', levels: ['database'], help: 'its super tables' }),
  aggregate: flag({
    flag: { long: 'aggr-func', short: 'x', group: 'rows' },
    help: 'run aggregation queries after the insertion',
  }),
} as const;

/** Settings of one database. */
export const database = {
  name: text({
    key: 'name',
    flag: {
      long: 'database',
      short: 'd',
      word: 'NAME',
      group: 'tables',
      default: 'test',
      help: 'database; it is dropped and made again unless -U or -Q is given',
    },
    help: 'name of the database; required',
  }),
  drop: yesNo({
    key: 'drop',
    default: true,
    help: 'drop the database and make it again; `no` uses the existing one',
  }),
  noDrop: flag({
    flag: { long: 'nodrop', short: 'Q', group: 'tables' },
    help: 'use the database as it is; it must exist',
  }),
  supplement: flag({
    flag: { long: 'supplement-insert', short: 'U', group: 'tables' },
    help: 'use database and super table as they are, and add sub-tables and rows',
  }),
  vgroups: integer({
    flag: { long: 'vgroups', short: 'v', word: 'N', group: 'tables' },
    min: 0,
    max: most,
    help: 'vgroups of the new database',
  }),
  replica: integer({
    flag: { long: 'replica', short: 'a', also: ['replia'], word: 'N', group: 'tables' },
    default: 1,
    min: 1,
    max: most,
    help: 'replicas',
  }),
  precision: choice(['ms', 'us', 'ns'], { key: 'precision', default: 'ms', help: 'tick of its timestamps' }),
} as const;

/** Settings of one stream. */
export const stream = {
  name: text({ key: 'stream_name', help: 'name of the stream; required' }),
  target: text({ key: 'stream_stb', help: 'super table it writes to; required' }),
  sql: text({ key: 'stream_sql', also: ['source_sql'], help: 'its query; required' }),
  trigger: text({ key: 'trigger_mode', help: 'when it computes' }),
  watermark: word({ key: 'watermark', help: 'how long it waits for late rows' }),
  ignoreUpdate: word({ key: 'ignore_update', help: 'value of IGNORE UPDATE' }),
  ignoreExpired: word({ key: 'ignore_expired', help: 'value of IGNORE EXPIRED' }),
  fillHistory: word({ key: 'fill_history', help: 'value of FILL_HISTORY' }),
  targetColumns: text({ key: 'stream_stb_field', help: 'columns of the target' }),
  targetTags: text({ key: 'stream_tag_field', help: 'tags of the target' }),
  subTable: text({ key: 'subtable', help: "names of the target's sub-tables" }),
  drop: yesNo({ key: 'drop', default: false, help: '`yes` drops and makes the stream, `no` does nothing' }),
} as const;
