import {
  anything,
  choice,
  exact,
  flag,
  inputFile,
  integer,
  type Level,
  list,
  object,
  path,
  requiredInputFile,
  seconds,
  text,
  tries,
  trueFalse,
  word,
  yesNo,
} from './setting.js';

// The table of settings: every key of a file and every argument is one row here. Each constant has the rows of one
// kind of object in a file; `groups` in rows.ts lists which object that is.

/** Most statements of one section and topics of one run. */
export const maxStatements = 100;
/** Most threads of one kind. */
const maxThreads = 65536;
/** Longest pause or interval: 24 days, the longest that a timer can wait. */
const maxMs = 24 * 24 * 3_600_000;
const pauseMs = [0, maxMs] as const;
const pauseSeconds = [0, maxMs / 1000] as const;
const most = Number.MAX_SAFE_INTEGER;
/** The top level and each super table, where a key counts before that of the top level. */
const both: readonly Level[] = ['insert', 'table'];
const sections: readonly Level[] = ['specified', 'children'];

/** Where the server is by default: `port` is the database's own, `httpPort` that of the HTTP service. */
export const serverDefaults = {
  host: 'localhost',
  port: 6030,
  httpPort: 6041,
  user: 'root',
  password: 'taosdata',
  directory: '/etc/sluice',
} as const;

/** Settings of every run, and arguments that no file has. */
// biome-ignore format: a table
export const general = {
  file: text('', { flag: 'run: -f --file FILE', withFile: true,
    help: 'JSON file that describes the run; with it only the arguments of the server and -y, -g, --json and --html count' }),
  fileType: choice(['insert', 'query', 'subscribe'], 'filetype', { default: 'insert',
    help: 'what the file asks for; one per file' }),
  answerYes: flag('run: -y --answer-yes',
    'never ask before the run; without it only a file with confirm_parameter_prompt "yes" asks, on a terminal',
    { withFile: true }),
  lenient: flag('run: --lenient',
    'replace a number that cannot be read with its default, with a message, instead of ending; never a port',
    { withFile: true }),
  debug: flag('run: -g --debug',
    'show all settings of the run, and each definition and query; not the inserts', { withFile: true }),
  version: flag('run: -V --version', 'print the version and exit'),
  help: flag('run: -? --help', 'print this text and exit'),
  usage: flag('run: --usage', 'print the names of all arguments and exit'),
  directory: text('cfgdir', { flag: 'server: -c --config-dir DIR', withFile: true, shown: serverDefaults.directory,
    help: 'directory of `adapter.toml`, which says where the database is when neither host nor port is given' }),
  host: text('host', { flag: 'server: -h --host HOST', withFile: true, shown: serverDefaults.host, help: 'name of the server' }),
  port: integer('port', { flag: 'server: -P --port PORT', withFile: true, range: [1, 65535], shown: `${serverDefaults.port}`,
    help: 'port of the server; 6041 for the modes `rest` and `sml-rest` where it is absent or 6030' }),
  user: text('user', { flag: 'server: -u --user USER', withFile: true, default: serverDefaults.user, help: 'user name' }),
  password: text('password', { flag: 'server: -p --password PASSWORD', withFile: true, default: serverDefaults.password,
    shown: 'the built-in password', help: 'password' }),
  tls: yesNo('tls', { flag: 'server: --tls', withFile: true, default: false,
    help: 'speak TLS with the HTTP service, whose certificate must be valid for the host' }),
  caFile: inputFile('ca_file', { flag: 'server: --ca-file FILE', withFile: true,
    help: 'certificates of the authorities that vouch for the HTTP service, PEM, in the place of the usual ones; means TLS' }),
  resultFile: text('result_file', { flag: 'reports: -o --output FILE', default: './output.txt',
    help: 'file the summary is appended to' }),
  jsonReport: text('result_json_file', { flag: 'reports: --json FILE', withFile: true,
    help: 'write a machine-readable report' }),
  htmlReport: text('result_html_file', { flag: 'reports: --html FILE', withFile: true,
    help: 'write a report as a web page' }),
  confirm: yesNo('confirm_parameter_prompt', { default: false, help: 'ask once before the run, on a terminal' }),
  failure: choice(['no', 'yes', 'smart'], 'continue_if_fail', { levels: ['insert', 'table', 'query'], default: 'no',
    help: '`no` ends the run at the first failure, `yes` continues with the next request, `smart` makes a missing sub-table and tries once more; of queries `smart` is `no`' }),
};

/** Settings of one database. */
// biome-ignore format: a table
export const database = {
  name: text('name', { flag: 'tables: -d --database NAME', help: 'name of the database; required',
    ofFlag: { default: 'test', help: 'database; it is dropped and made again unless -U or -Q is given' } }),
  drop: yesNo('drop', { default: true, help: 'drop the database and make it again; `no` uses the existing one' }),
  noDrop: flag('tables: -Q --nodrop', 'use the database as it is; it must exist'),
  supplement: flag('tables: -U --supplement-insert',
    'use database and super table as they are, and add sub-tables and rows'),
  vgroups: integer('', { flag: 'tables: -v --vgroups N', range: [0, most], help: 'vgroups of the new database' }),
  replica: integer('', { flag: 'tables: -a --replica --replia N', default: 1, range: [1, most], help: 'replicas' }),
  precision: choice(['ms', 'us', 'ns'], 'precision', { default: 'ms', help: 'tick of its timestamps' }),
};

/** Settings of one super table, its sub-tables and their rows. */
// biome-ignore format: a table
export const table = {
  name: text('name', { help: 'name of the super table; required' }),
  childExists: yesNo('child_table_exists childtable_exists', { default: false,
    help: 'its sub-tables exist already; no effect when the database is dropped' }),
  childCount: integer('childtable_count child_table_count', { flag: 'tables: -t --tables N', default: 10,
    range: [1, most], ofFlag: { default: 10000 }, help: 'sub-tables' }),
  childPrefix: text('childtable_prefix child_table_prefix', { flag: 'tables: -m --table-prefix PREFIX',
    ofFlag: { default: 'd', help: 'prefix of the names of sub-tables' },
    help: 'prefix of the names of sub-tables; required unless they exist' }),
  normalTables: flag('tables: -N --normal-table',
    'make normal tables instead of sub-tables; not with sml and sml-rest', { endsDemo: true }),
  columnTypes: text('', { flag: 'tables: -b --data-type TYPES', endsDemo: true, default: 'FLOAT,INT,FLOAT',
    help: 'types of the data columns, for example INT,BINARY(16)' }),
  columnCount: integer('', { flag: 'tables: -l --columns N', endsDemo: true, range: [1, most],
    help: 'data columns; those without a type in -b are INT' }),
  partialColumns: integer('partial_col_num', { flag: 'tables: -L --partial-col-num N', endsDemo: true, default: 0,
    range: [0], help: 'number of columns to write (`taosc` and `rest`), the others are NULL; 0 is all' }),
  tagTypes: text('', { flag: 'tables: -A --tag-type TYPES', endsDemo: true, default: 'INT,BINARY(16)',
    help: 'types of the tags; JSON must be the only one' }),
  width: integer('', { flag: 'tables: -w --binwidth N', default: 64, range: [1, 65509],
    help: 'length of BINARY and NCHAR without one' }),
  autoCreateTable: yesNo('auto_create_table', { default: false,
    help: 'sub-tables are made by the inserts; `taosc`, `rest` and `stmt` only, and not when they exist' }),
  createBatch: integer('batch_create_tbl_num', { default: 10, range: [1],
    help: 'sub-tables per statement that makes them' }),
  createBatches: text('batch_create_tbl_numbers', { help: 'such numbers that are used in turn: `"1,2,3"`' }),
  createPauses: text('batch_create_tbl_intervals', { help: 'pauses in ms between such statements, in turn' }),
  dataSource: choice(['rand', 'sample'], 'data_source', { default: 'rand', help: 'where values come from' }),
  mode: text('insert_mode', { flag: 'server: -I --interface MODE', default: 'taosc', ofFlag: {
    help: 'path of the rows: taosc, stmt, rest, sml or sml-rest; the last two also as sml-line, sml-rest-json and so on' },
    help: 'path of the rows: `taosc`, `stmt`, `rest`, `sml` or `sml-rest`' }),
  nonStop: yesNo('non_stop_mode', { default: false,
    help: 'write until interrupted; `insert_rows` must still be positive' }),
  lineProtocol: choice(['line', 'telnet', 'json', 'taosjson'], 'line_protocol', { default: 'line',
    help: 'text that `sml` and `sml-rest` send' }),
  tcpTransfer: anything('tcp_transfer', { shown: 'http',
    help: '`tcp` or `yes` sends telnet lines of `sml-rest` over TCP, `http` or `no` over HTTP' }),
  rows: integer('insert_rows', { flag: 'rows: -n --records N', default: 0, range: [0],
    ofFlag: { default: 10000, range: [1], help: 'rows of each sub-table' },
    help: 'rows of each sub-table; 0 writes none' }),
  childOffset: integer('childtable_offset child_table_offset', { default: 0, range: [0], outOfRange: 'nearest',
    help: 'sub-tables that are left out, of those that exist' }),
  childLimit: integer('childtable_limit child_table_limit', { range: [0], outOfRange: 'default', shown: 'all',
    help: 'maximum number of sub-tables, of those that exist' }),
  startArgument: integer('', { flag: 'rows: -s --start-timestamp TIME', shown: '1500000000000',
    help: 'time of the first row of every sub-table, Unix milliseconds' }),
  start: anything('start_timestamp', { shown: 'now',
    help: 'time of the first row of every sub-table: `now`, a text such as `2024-02-01 00:00:00.000`, or a number of ticks' }),
  step: exact('timestamp_step', { flag: 'rows: -S --timestampstep --time-step MS', default: 1, range: [1],
    ofFlag: { help: 'time from row to row' }, help: 'ticks from row to row' }),
  disorderRatio: integer('disorder_ratio', { flag: 'rows: -O --disorder PERCENT', default: 0, range: [0, 50],
    help: 'percent of rows that are late, 0 to 50' }),
  disorderRange: integer('disorder_range', { flag: 'rows: -R --disorder-range MS', default: 1000, range: [0, most],
    help: 'maximum delay of such a row in ticks; 0 is none; a late row may get the time of another row and replace it' }),
  randomPerTable: flag('rows: -M --random',
    'random values over the range of each type, different in every sub-table'),
  sampleFormat: choice(['csv'], 'sample_format', { default: 'csv', help: 'format of the sample file' }),
  sampleFile: requiredInputFile('sample_file', { help: 'CSV file with values; required when `data_source` is `sample`' }),
  sampleFileOfTable: path('childtable_sample_file', {
    help: 'path of a CSV file per sub-table, whose name replaces `XXXX`' }),
  useSampleTimes: yesNo('use_sample_ts', { default: false,
    help: 'the first field of the CSV file is the time; every row is written once' }),
  tagsFile: inputFile('tags_file', {
    help: 'CSV file with tags, one sub-table per line; `taosc`, `rest` and `stmt` only' }),
  maxSqlBytes: integer('max_sql_len', { default: 1048576, range: [1024, 64 * 1048576], help: 'maximum length of a statement in bytes' }),
  ttl: integer('ttl', { default: 0, range: [0], help: 'days until sub-tables are dropped; 0 is never' }),
  comment: text('comment', { help: 'comment of the super table' }),
  delay: word('delay', { help: 'value of DELAY' }),
  fileFactor: word('file_factor', { help: 'value of FILE_FACTOR' }),
  rollup: word('rollup', { help: 'value of ROLLUP' }),
  maxDelay: word('max_delay', { help: 'value of MAX_DELAY' }),
  watermark: word('watermark', { help: 'value of WATERMARK' }),
  columns: list('columns', { help: 'data columns; required' }),
  tags: list('tags', { help: 'tags; without them normal tables are made' }),
  tsmas: list('tsmas', { help: 'time-range aggregates' }),
};

/** Settings of a whole insertion, which its super tables may have of their own. */
// biome-ignore format: a table
export const insert = {
  seed: integer('seed', { flag: 'run: --seed N', range: [0], shown: 'a new one each time',
    help: 'make the random values of runs with this seed the same' }),
  threads: integer('thread_count', { flag: 'server: -T --thread --threads N', default: 8, range: [1, maxThreads],
    help: 'insert threads' }),
  createTableThreads: integer('create_table_thread_count thread_count_create_tbl', { default: 8,
    range: [1, maxThreads], help: 'threads that make sub-tables' }),
  connectionPoolSize: integer('connection_pool_size', { range: [1], shown: 'thread_count',
    help: 'maximum number of connections that are opened before the measurement starts' }),
  keepTrying: tries('keep_trying', { levels: both, flag: 'server: -k --keep-trying N', default: 0,
    help: 'how often a failed request is retried; -1 and `yes` are unlimited, `no` is 0' }),
  tryingInterval: integer('trying_interval', { levels: both, flag: 'server: -z --trying-interval MS', default: 1000,
    range: [1, maxMs], help: 'pause in ms before each retry' }),
  rowsPerRequest: integer('num_of_records_per_req', { flag: 'rows: -r --rec-per-req N', default: 30000,
    range: [1, 65536 * 32], outOfRange: 'default', help: 'maximum number of rows of one request' }),
  interlaceRows: integer('interlace_rows', { levels: both, flag: 'rows: -B --interlace-rows N', default: 0, range: [0],
    help: 'rows of a sub-table before the next sub-table; 0 fills one after the other' }),
  insertIntervalMs: integer('insert_interval', { levels: both, flag: 'rows: -i --insert-interval MS', default: 0,
    range: pauseMs, help: 'pause in ms after each round of interlaced rows' }),
  preparedRows: integer('prepared_rand prepare_rand', { flag: 'rows: -F --prepared_rand --prepare_rand N',
    default: 10000, range: [1, most], help: 'number of different rows, which are written in turn' }),
  chinese: yesNo('chinese', { flag: 'rows: -C --chinese', default: false,
    help: 'Chinese characters in NCHAR and BINARY' }),
  escapeNames: yesNo('escape_character', { levels: both, flag: 'tables: -E --escape-character', default: false,
    help: 'quote names of databases and tables, so that they may hold any character' }),
  childFrom: integer('childtable_from child_table_from', { levels: both, default: 0, range: [0], outOfRange: 'nearest',
    help: 'number of the first sub-table that is made and filled' }),
  childTo: integer('childtable_to child_table_to', { levels: both, shown: 'childtable_count',
    help: 'end of these sub-tables; not one of them itself' }),
  definitionsMode: text('insert_mode', { help: '`rest` makes and drops databases and tables over HTTP' }),
  tcpPort: integer('telnet_tcp_port', { default: 6046, range: [1, 65535],
    help: 'port of the telnet listener that `tcp_transfer` writes to' }),
  databases: list('databases', { help: 'databases, each with `dbinfo` and `super_tables`; required' }),
  streams: list('streams stream', {
    help: 'streams to make before the insertion; a single object is a list of one' }),
  databaseInfo: object('dbinfo', { levels: ['database'], help: 'the database; required' }),
  superTables: list('super_tables', { levels: ['database'], help: 'its super tables' }),
  aggregate: flag('rows: -x --aggr-func', 'run aggregation queries after the insertion'),
};

/** Settings of one entry of columns or tags. */
// biome-ignore format: a table
export const field = {
  type: text('type', { help: 'type; required' }),
  name: text('name', { shown: 'c0, c1, … or t0, t1, …', help: 'name; with `count` name, name_2, name_3, …' }),
  count: integer('count', { default: 1, range: [1],
    help: 'consecutive columns of this kind; of a JSON tag its members' }),
  length: integer('len', { range: [0], shown: '64',
    help: 'length of BINARY and NCHAR, and of the values of JSON; 0 makes any other column NULL' }),
  min: exact('min', { help: 'least value' }),
  max: exact('max', { help: 'end of the values; not one of them itself' }),
  precision: integer('precision', { default: 10, range: [1, 38], help: 'digits of a DECIMAL' }),
  scale: integer('scale', { default: 0, range: [0, 38], help: 'digits of a DECIMAL behind the point' }),
  decimalMin: word('dec_min', { help: 'least value of a DECIMAL, of up to 38 digits' }),
  decimalMax: word('dec_max', { help: 'end of the values of a DECIMAL; not one of them itself' }),
  values: list('values', { help: 'texts, of which each row gets one at random' }),
  wave: text('fun', {
    help: 'wave that fills a column of INT, BIGINT, FLOAT or DOUBLE: `10*sin(x)+5*random(3)`, or with `cos`' }),
  sma: yesNo('sma', { default: false, help: 'in the list SMA of the super table' }),
};

/** Settings of one time-range aggregate. */
// biome-ignore format: a table
export const tsma = {
  name: text('name', { help: 'name; required' }),
  function: text('function', { help: 'functions with their columns; required' }),
  interval: text('interval', { help: 'length of its windows; required' }),
  sliding: text('sliding', { help: 'from window to window; required' }),
  custom: text('custom', { default: '', help: 'text after the statement that makes it' }),
  startWhenInserted: integer('start_when_inserted', { default: 0, range: [0],
    help: 'rows that are inserted before it is made' }),
};

/** Settings of one stream. */
// biome-ignore format: a table
export const stream = {
  name: text('stream_name', { help: 'name of the stream; required' }),
  target: text('stream_stb', { help: 'super table it writes to; required' }),
  sql: text('stream_sql source_sql', { help: 'its query; required' }),
  trigger: text('trigger_mode', { help: 'when it computes' }),
  watermark: word('watermark', { help: 'how long it waits for late rows' }),
  ignoreUpdate: word('ignore_update', { help: 'value of IGNORE UPDATE' }),
  ignoreExpired: word('ignore_expired', { help: 'value of IGNORE EXPIRED' }),
  fillHistory: word('fill_history', { help: 'value of FILL_HISTORY' }),
  targetColumns: text('stream_stb_field', { help: 'columns of the target' }),
  targetTags: text('stream_tag_field', { help: 'tags of the target' }),
  subTable: text('subtable', { help: "names of the target's sub-tables" }),
  drop: yesNo('drop', { default: false, help: '`yes` drops and makes the stream, `no` does nothing' }),
};

/** Settings of queries, of the sections of a query file and of their statements. */
// biome-ignore format: a table
export const query = {
  database: text('databases', { help: 'name of the database; required' }),
  times: integer('query_times', { levels: ['query', ...sections], default: 1, range: [1],
    help: 'times that queries run' }),
  mode: choice(['taosc', 'rest'], 'query_mode', { default: 'taosc',
    help: '`taosc` queries the database itself, `rest` the HTTP service' }),
  killSlowerThanMs: seconds('kill_slow_query_threshold', { default: 0, range: pauseSeconds,
    help: 'seconds after which a query of this run is killed; 0 is never' }),
  killIntervalMs: seconds('kill_slow_query_interval', { default: 1000, range: pauseSeconds, shown: '1',
    help: 'seconds between two checks of the running queries' }),
  specified: object('specified_table_query', { levels: ['query', 'subscribe'],
    help: 'statements to run, or to poll in a subscription' }),
  children: object('super_table_query', { levels: ['query', 'subscribe'],
    help: 'statements that run, or are polled, for every sub-table' }),
  superTable: text('stblname', { levels: ['children', 'older'],
    help: 'super table of `super_table_query`; required there' }),
  intervalMs: seconds('query_interval', { levels: sections, default: 0, range: pauseSeconds,
    help: 'seconds from one start to the next of a thread' }),
  threads: integer('threads concurrent', { levels: [...sections, 'older'], default: 1, range: [1, maxThreads],
    help: 'threads' }),
  mixed: yesNo('mixed_query', { levels: ['specified'], default: false,
    help: 'the threads share the statements, instead of each running all' }),
  sqlFile: inputFile('sql_file', { levels: ['specified'],
    help: 'file with one statement per line; they run before those of `sqls`' }),
  statements: list('sqls', { levels: [...sections, 'older'],
    help: 'statements; in `super_table_query` each sub-table replaces `xxxx`' }),
  sql: text('sql', { levels: ['statement'], help: 'statement; required' }),
  result: path('result', { levels: ['statement'], help: 'rows of all threads are appended to this file' }),
};

/** Settings of subscriptions to topics. */
// biome-ignore format: a table
export const subscription = {
  database: path('databases', { levels: ['subscribe'], help: 'name of the database of the older statements' }),
  topics: object('tmq_info', { levels: ['subscribe'], help: 'topics and their consumers' }),
  group: text('group.id', { help: 'group of all consumers' }),
  groupMode: choice(['share', 'independent'], 'group_mode', { default: 'share',
    help: 'without `group.id`: one new group for all, or one for each consumer' }),
  topicList: list('topic_list', { help: 'topics; required' }),
  topicName: text('name', { levels: ['topic'], help: 'name of the topic; required' }),
  topicSql: text('sql', { levels: ['topic'], help: 'query of the topic, after AS; required' }),
};

/** Settings of the consumers of topics. */
// biome-ignore format: a table
export const consumer = {
  consumers: integer('concurrent', { default: 1, range: [1, maxThreads], help: 'consumers' }),
  setUp: choice(['sequential', 'parallel'], 'create_mode', { default: 'sequential',
    help: 'set consumers up one after the other or at once' }),
  clientId: text('client.id', { default: 'consumer',
    help: 'name of the consumers; each appends `_` and its number' }),
  pollDelayMs: integer('poll_delay', { default: 1000, range: [-1, maxMs],
    help: 'timeout in ms of the wait for rows; then the consumer ends; -1 is no timeout' }),
  offsetReset: choice(['earliest', 'latest', 'none'], 'auto.offset.reset', { default: 'earliest',
    help: 'where a group without an offset begins' }),
  autoCommit: trueFalse('enable.auto.commit', { default: true, help: 'commit at intervals' }),
  autoCommitIntervalMs: integer('auto.commit.interval.ms', { default: 5000, range: [1, maxMs],
    help: 'these intervals' }),
  manualCommit: trueFalse('enable.manual.commit', { default: false, help: 'commit after every message' }),
  snapshot: trueFalse('experimental.snapshot.enable', { default: false,
    help: 'a new group begins with what is stored, which is so in any case' }),
  withTableName: trueFalse('msg.with.table.name', { default: false, help: 'rows have the name of their table' }),
  rowsFile: path('rows_file', { help: "rows are appended to this file, `_` and the consumer's number behind it" }),
  expectRows: integer('expect_rows', { default: -1, range: [-1],
    help: 'a consumer ends after this many rows; -1 is never' }),
};

/** Settings of the older subscriptions, to statements that are polled. */
// biome-ignore format: a table
export const older = {
  intervalMs: seconds('interval', { default: 0, range: pauseSeconds, help: 'seconds between two polls' }),
  restart: yesNo('restart', { default: false, help: 'begin again instead of where the last run ended' }),
  keepProgress: yesNo('keepProgress', { default: false, help: 'keep where this run ends' }),
  resubAfterConsume: yesNo('resubAfterConsume', { default: false, help: 'subscribe again after rows came' }),
  endAfterConsume: integer('endAfterConsume', { default: -1, range: [-1],
    help: 'ends after so many polls with rows; -1 is never' }),
};
