import { anything, choice, exact, flag, integer, list, text, word, yesNo } from './setting.js';

const most = Number.MAX_SAFE_INTEGER;
/** Longest VARCHAR or NCHAR that `-w` may ask for. */
const maxWidth = 65509;

/** Settings of one super table, its sub-tables and their rows. */
export const table = {
  name: text('name', 'name of the super table; required'),
  childExists: yesNo('child_table_exists', 'its sub-tables exist already; no effect when the database is dropped', {
    also: ['childtable_exists'],
    default: false,
  }),
  childCount: integer('childtable_count', 'sub-tables', {
    also: ['child_table_count'],
    flag: { long: 'tables', short: 't', word: 'N', group: 'tables', default: 10000 },
    default: 10,
    min: 1,
    max: most,
  }),
  childPrefix: text('childtable_prefix', 'prefix of the names of sub-tables; required unless they exist', {
    also: ['child_table_prefix'],
    flag: {
      long: 'table-prefix',
      short: 'm',
      word: 'PREFIX',
      group: 'tables',
      default: 'd',
      help: 'prefix of the names of sub-tables',
    },
  }),
  normalTables: flag({
    flag: { long: 'normal-table', short: 'N', group: 'tables', endsDemo: true },
    help: 'make normal tables instead of sub-tables; not with sml and sml-rest',
  }),
  columnTypes: text(undefined, 'types of the data columns, for example INT,BINARY(16)', {
    flag: { long: 'data-type', short: 'b', word: 'TYPES', group: 'tables', endsDemo: true },
    default: 'FLOAT,INT,FLOAT',
  }),
  columnCount: integer(undefined, 'data columns; those without a type in -b are INT', {
    flag: { long: 'columns', short: 'l', word: 'N', group: 'tables', endsDemo: true },
    min: 1,
    max: most,
  }),
  partialColumns: integer(
    'partial_col_num',
    'number of columns to write (`taosc` and `rest`), the others are NULL; 0 is all',
    { flag: { long: 'partial-col-num', short: 'L', word: 'N', group: 'tables', endsDemo: true }, default: 0, min: 0 },
  ),
  tagTypes: text(undefined, 'types of the tags; JSON must be the only one', {
    flag: { long: 'tag-type', short: 'A', word: 'TYPES', group: 'tables', endsDemo: true },
    default: 'INT,BINARY(16)',
  }),
  width: integer(undefined, 'length of BINARY and NCHAR without one', {
    flag: { long: 'binwidth', short: 'w', word: 'N', group: 'tables' },
    default: 64,
    min: 1,
    max: maxWidth,
  }),
  autoCreateTable: yesNo(
    'auto_create_table',
    'sub-tables are made by the inserts; `taosc`, `rest` and `stmt` only, and not when they exist',
    { default: false },
  ),
  createBatch: integer('batch_create_tbl_num', 'sub-tables per statement that makes them', { default: 10, min: 1 }),
  createBatches: text('batch_create_tbl_numbers', 'such numbers that are used in turn: `"1,2,3"`'),
  createPauses: text('batch_create_tbl_intervals', 'pauses in ms between such statements, in turn'),
  dataSource: choice(['rand', 'sample'], 'data_source', 'where values come from', { default: 'rand' }),
  mode: text('insert_mode', 'path of the rows: `taosc`, `stmt`, `rest`, `sml` or `sml-rest`', {
    flag: {
      long: 'interface',
      short: 'I',
      word: 'MODE',
      group: 'server',
      help: 'path of the rows: taosc, stmt, rest, sml or sml-rest; the last two also as sml-line, sml-rest-json and so on',
    },
    default: 'taosc',
  }),
  nonStop: yesNo('non_stop_mode', 'write until interrupted; `insert_rows` must still be positive', { default: false }),
  lineProtocol: choice(['line', 'telnet', 'json', 'taosjson'], 'line_protocol', 'text that `sml` and `sml-rest` send', {
    default: 'line',
  }),
  tcpTransfer: anything(
    'tcp_transfer',
    '`tcp` or `yes` sends telnet lines of `sml-rest` over TCP, `http` or `no` over HTTP',
    { shown: 'http' },
  ),
  rows: integer('insert_rows', 'rows of each sub-table; 0 writes none', {
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
  }),
  childOffset: integer('childtable_offset', 'sub-tables that are left out, of those that exist', {
    also: ['child_table_offset'],
    default: 0,
    min: 0,
    outOfRange: 'nearest',
  }),
  childLimit: integer('childtable_limit', 'most sub-tables, of those that exist', {
    also: ['child_table_limit'],
    min: 0,
    outOfRange: 'default',
    shown: 'all',
  }),
  startArgument: integer(undefined, 'time of the first row of every sub-table, Unix milliseconds', {
    flag: { long: 'start-timestamp', short: 's', word: 'TIME', group: 'rows' },
    shown: '1500000000000',
  }),
  start: anything(
    'start_timestamp',
    'time of the first row of every sub-table: `now`, a text such as `2024-02-01 00:00:00.000`, or a number of ticks',
    { shown: 'now' },
  ),
  step: exact('timestamp_step', 'ticks from row to row', {
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
  }),
  disorderRatio: integer('disorder_ratio', 'percent of rows that are late, 0 to 50', {
    flag: { long: 'disorder', short: 'O', word: 'PERCENT', group: 'rows' },
    default: 0,
    min: 0,
    max: 50,
  }),
  disorderRange: integer(
    'disorder_range',
    'most ticks that such a row is late; 0 is none; a late row may get the time of another row and replace it',
    { flag: { long: 'disorder-range', short: 'R', word: 'MS', group: 'rows' }, default: 1000, min: 0, max: most },
  ),
  randomPerTable: flag({
    flag: { long: 'random', short: 'M', group: 'rows' },
    help: 'random values over the range of each type, different in every sub-table',
  }),
  sampleFormat: choice(['csv'], 'sample_format', 'format of the sample file', { default: 'csv' }),
  sampleFile: text('sample_file', 'CSV file with values; required when `data_source` is `sample`'),
  sampleFileOfTable: text('childtable_sample_file', 'path of a CSV file per sub-table, whose name replaces `XXXX`'),
  useSampleTimes: yesNo('use_sample_ts', 'the first field of the CSV file is the time; every row is written once', {
    default: false,
  }),
  tagsFile: text('tags_file', 'CSV file with tags, one sub-table per line; `taosc`, `rest` and `stmt` only'),
  maxSqlBytes: integer('max_sql_len', 'longest statement', { default: 1048576, min: 1024, max: 64 * 1048576 }),
  ttl: integer('ttl', 'days until sub-tables are dropped; 0 is never', { default: 0, min: 0 }),
  comment: text('comment', 'comment of the super table'),
  delay: word('delay', 'value of DELAY'),
  fileFactor: word('file_factor', 'value of FILE_FACTOR'),
  rollup: word('rollup', 'value of ROLLUP'),
  maxDelay: word('max_delay', 'value of MAX_DELAY'),
  watermark: word('watermark', 'value of WATERMARK'),
  columns: list('columns', 'data columns; required'),
  tags: list('tags', 'tags; without them normal tables are made'),
  tsmas: list('tsmas', 'time-range aggregates'),
} as const;

/** Settings of one entry of columns or tags. */
export const field = {
  type: text('type', 'type; required'),
  name: text('name', 'name; with `count` name, name_2, name_3, …', { shown: 'c0, c1, … or t0, t1, …' }),
  count: integer('count', 'consecutive columns of this kind; of a JSON tag its members', { default: 1, min: 1 }),
  length: integer('len', 'length of BINARY and NCHAR, and of the values of JSON; 0 makes any other column NULL', {
    min: 0,
    shown: '64',
  }),
  min: exact('min', 'least value'),
  max: exact('max', 'end of the values; not one of them itself'),
  precision: integer('precision', 'digits of a DECIMAL', { default: 10, min: 1, max: 38 }),
  scale: integer('scale', 'digits of a DECIMAL behind the point', { default: 0, min: 0, max: 38 }),
  decimalMin: word('dec_min', 'least value of a DECIMAL, of up to 38 digits'),
  decimalMax: word('dec_max', 'end of the values of a DECIMAL; not one of them itself'),
  values: list('values', 'texts, of which each row gets one at random'),
  wave: text('fun', 'wave that fills a column of INT, BIGINT, FLOAT or DOUBLE: `10*sin(x)+5*random(3)`, or with `cos`'),
  sma: yesNo('sma', 'in the list SMA of the super table', { default: false }),
} as const;

/** Settings of one time-range aggregate. */
export const tsma = {
  name: text('name', 'name; required'),
  function: text('function', 'functions with their columns; required'),
  interval: text('interval', 'length of its windows; required'),
  sliding: text('sliding', 'from window to window; required'),
  custom: text('custom', 'text after the statement that makes it', { default: '' }),
  startWhenInserted: integer('start_when_inserted', 'rows that are inserted before it is made', { default: 0, min: 0 }),
} as const;
