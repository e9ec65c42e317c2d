import { anything, choice, exact, flag, integer, list, text, word, yesNo } from './setting.js';

const most = Number.MAX_SAFE_INTEGER;
/** Longest VARCHAR or NCHAR that `-w` may ask for. */
const maxWidth = 65509;

/** Settings of one super table, its sub-tables and their rows. */
export const table = {
  name: text({ key: 'name', help: 'name of the super table; required' }),
  childExists: yesNo({
    key: 'child_table_exists',
    also: ['childtable_exists'],
    default: false,
    help: 'its sub-tables exist already; no effect when the database is dropped',
  }),
  childCount: integer({
    key: 'childtable_count',
    also: ['child_table_count'],
    flag: { long: 'tables', short: 't', word: 'N', group: 'tables', default: 10000 },
    default: 10,
    min: 1,
    max: most,
    help: 'sub-tables',
  }),
  childPrefix: text({
    key: 'childtable_prefix',
    also: ['child_table_prefix'],
    flag: {
      long: 'table-prefix',
      short: 'm',
      word: 'PREFIX',
      group: 'tables',
      default: 'd',
      help: 'prefix of the names of sub-tables',
    },
    help: 'prefix of the names of sub-tables; required unless they exist',
  }),
  normalTables: flag({
    flag: { long: 'normal-table', short: 'N', group: 'tables', endsDemo: true },
    help: 'make normal tables instead of sub-tables; not with sml and sml-rest',
  }),
  columnTypes: text({
    flag: { long: 'data-type', short: 'b', word: 'TYPES', group: 'tables', endsDemo: true },
    default: 'FLOAT,INT,FLOAT',
    help: 'types of the data columns, for example INT,BINARY(16)',
  }),
  columnCount: integer({
    flag: { long: 'columns', short: 'l', word: 'N', group: 'tables', endsDemo: true },
    min: 1,
    max: most,
    help: 'data columns; those without a type in -b are INT',
  }),
  partialColumns: integer({
    key: 'partial_col_num',
    flag: { long: 'partial-col-num', short: 'L', word: 'N', group: 'tables', endsDemo: true },
    default: 0,
    min: 0,
    help: 'number of columns to write (`taosc` and `rest`), the others are NULL; 0 is all',
  }),
  tagTypes: text({
    flag: { long: 'tag-type', short: 'A', word: 'TYPES', group: 'tables', endsDemo: true },
    default: 'INT,BINARY(16)',
    help: 'types of the tags; JSON must be the only one',
  }),
  width: integer({
    flag: { long: 'binwidth', short: 'w', word: 'N', group: 'tables' },
    default: 64,
    min: 1,
    max: maxWidth,
    help: 'length of BINARY and NCHAR without one',
  }),
  autoCreateTable: yesNo({
    key: 'auto_create_table',
    default: false,
    help: 'sub-tables are made by the inserts; `taosc`, `rest` and `stmt` only, and not when they exist',
  }),
  createBatch: integer({
    key: 'batch_create_tbl_num',
    default: 10,
    min: 1,
    help: 'sub-tables per statement that makes them',
  }),
  createBatches: text({ key: 'batch_create_tbl_numbers', help: 'such numbers that are used in turn: `"1,2,3"`' }),
  createPauses: text({ key: 'batch_create_tbl_intervals', help: 'pauses in ms between such statements, in turn' }),
  dataSource: choice(['rand', 'sample'], { key: 'data_source', default: 'rand', help: 'where values come from' }),
  mode: text({
    key: 'insert_mode',
    flag: {
      long: 'interface',
      short: 'I',
      word: 'MODE',
      group: 'server',
      help: 'path of the rows: taosc, stmt, rest, sml or sml-rest; the last two also as sml-line, sml-rest-json and so on',
    },
    default: 'taosc',
    help: 'path of the rows: `taosc`, `stmt`, `rest`, `sml` or `sml-rest`',
  }),
  nonStop: yesNo({
    key: 'non_stop_mode',
    default: false,
    help: 'write until interrupted; `insert_rows` must still be positive',
  }),
  lineProtocol: choice(['line', 'telnet', 'json', 'taosjson'], {
    key: 'line_protocol',
    default: 'line',
    help: 'text that `sml` and `sml-rest` send',
  }),
  tcpTransfer: anything({
    key: 'tcp_transfer',
    shown: 'http',
    help: '`tcp` or `yes` sends telnet lines of `sml-rest` over TCP, `http` or `no` over HTTP',
  }),
  rows: integer({
    key: 'insert_rows',
    flag: {
      long: 'records',
      short: 'n',
      word: 'N',
      group: 'rows',
      default: 10000,
      min: 1,
      help: 'rows of each sub-table',
    },
    default: 0,
    min: 0,
    help: 'rows of each sub-table; 0 writes none',
  }),
  childOffset: integer({
    key: 'childtable_offset',
    also: ['child_table_offset'],
    default: 0,
    min: 0,
    outOfRange: 'nearest',
    help: 'sub-tables that are left out, of those that exist',
  }),
  childLimit: integer({
    key: 'childtable_limit',
    also: ['child_table_limit'],
    min: 0,
    outOfRange: 'default',
    shown: 'all',
    help: 'most sub-tables, of those that exist',
  }),
  startArgument: integer({
    flag: { long: 'start-timestamp', short: 's', word: 'TIME', group: 'rows' },
    shown: '1500000000000',
    help: 'time of the first row of every sub-table, Unix milliseconds',
  }),
  start: anything({
    key: 'start_timestamp',
    shown: 'now',
    help: 'time of the first row of every sub-table: `now`, a text such as `2024-02-01 00:00:00.000`, or a number of ticks',
  }),
  step: exact({
    key: 'timestamp_step',
    flag: {
      long: 'timestampstep',
      short: 'S',
      also: ['time-step'],
      word: 'MS',
      group: 'rows',
      help: 'time from row to row',
    },
    default: 1,
    min: 1,
    help: 'ticks from row to row',
  }),
  disorderRatio: integer({
    key: 'disorder_ratio',
    flag: { long: 'disorder', short: 'O', word: 'PERCENT', group: 'rows' },
    default: 0,
    min: 0,
    max: 50,
    outOfRange: 'nearest',
    help: 'percent of rows that are late, 0 to 50',
  }),
  disorderRange: integer({
    key: 'disorder_range',
    flag: { long: 'disorder-range', short: 'R', word: 'MS', group: 'rows' },
    default: 1000,
    min: 0,
    max: most,
    help: 'most ticks that such a row is late; 0 is none; a late row may get the time of another row and replace it',
  }),
  randomPerTable: flag({
    flag: { long: 'random', short: 'M', group: 'rows' },
    help: 'random values over the range of each type, different in every sub-table',
  }),
  sampleFormat: choice(['csv'], { key: 'sample_format', default: 'csv', help: 'format of the sample file' }),
  sampleFile: text({ key: 'sample_file', help: 'CSV file with values; required when `data_source` is `sample`' }),
  sampleFileOfTable: text({
    key: 'childtable_sample_file',
    help: 'path of a CSV file per sub-table, whose name replaces `XXXX`',
  }),
  useSampleTimes: yesNo({
    key: 'use_sample_ts',
    default: false,
    help: 'the first field of the CSV file is the time; every row is written once',
  }),
  tagsFile: text({
    key: 'tags_file',
    help: 'CSV file with tags, one sub-table per line; `taosc`, `rest` and `stmt` only',
  }),
  maxSqlBytes: integer({
    key: 'max_sql_len',
    default: 1048576,
    min: 1024,
    max: 64 * 1048576,
    help: 'longest statement',
  }),
  ttl: integer({ key: 'ttl', default: 0, min: 0, help: 'days until sub-tables are dropped; 0 is never' }),
  comment: text({ key: 'comment', help: 'comment of the super table' }),
  delay: word({ key: 'delay', help: 'value of DELAY' }),
  fileFactor: word({ key: 'file_factor', help: 'value of FILE_FACTOR' }),
  rollup: word({ key: 'rollup', help: 'value of ROLLUP' }),
  maxDelay: word({ key: 'max_delay', help: 'value of MAX_DELAY' }),
  watermark: word({ key: 'watermark', help: 'value of WATERMARK' }),
  columns: list({ key: 'columns', help: 'data columns; required' }),
  tags: list({ key: 'tags', help: 'tags; without them normal tables are made' }),
  tsmas: list({ key: 'tsmas', help: 'time-range aggregates' }),
} as const;

/** Settings of one entry of columns or tags. */
export const field = {
  type: text({ key: 'type', help: 'type; required' }),
  name: text({ key: 'name', shown: 'c0, c1, … or t0, t1, …', help: 'name; with `count` name, name_2, name_3, …' }),
  count: integer({
    key: 'count',
    default: 1,
    min: 1,
    help: 'consecutive columns of this kind; of a JSON tag its members',
  }),
  length: integer({
    key: 'len',
    min: 0,
    shown: '64',
    help: 'length of BINARY and NCHAR, and of the values of JSON; 0 makes any other column NULL',
  }),
  min: exact({ key: 'min', help: 'least value' }),
  max: exact({ key: 'max', help: 'end of the values; not one of them itself' }),
  precision: integer({ key: 'precision', default: 10, min: 1, max: 38, help: 'digits of a DECIMAL' }),
  scale: integer({ key: 'scale', default: 0, min: 0, max: 38, help: 'digits of a DECIMAL behind the point' }),
  decimalMin: word({ key: 'dec_min', help: 'least value of a DECIMAL, as a text where a number is too short for it' }),
  decimalMax: word({ key: 'dec_max', help: 'end of the values of a DECIMAL; not one of them itself' }),
  values: list({ key: 'values', help: 'texts, of which each row gets one at random' }),
  wave: text({
    key: 'fun',
    help: 'wave that fills a column of INT, BIGINT, FLOAT or DOUBLE: `10*sin(x)+5*random(3)`, or with `cos`',
  }),
  sma: yesNo({ key: 'sma', default: false, help: 'in the list SMA of the super table' }),
} as const;

/** Settings of one time-range aggregate. */
export const tsma = {
  name: text({ key: 'name', help: 'name; required' }),
  function: text({ key: 'function', help: 'functions with their columns; required' }),
  interval: text({ key: 'interval', help: 'length of its windows; required' }),
  sliding: text({ key: 'sliding', help: 'from window to window; required' }),
  custom: text({ key: 'custom', default: '', help: 'text after the statement that makes it' }),
  startWhenInserted: integer({
    key: 'start_when_inserted',
    default: 0,
    min: 0,
    help: 'rows that are inserted before it is made',
  }),
} as const;
