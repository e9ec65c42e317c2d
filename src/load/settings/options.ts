/** How the text of a numeric argument is checked (specification 2, command-line arguments). */
export interface NumberRule {
  /** Used when the text is no number or out of range; undefined leaves the argument as if it were not given. */
  readonly default: number | undefined;
  readonly min: number;
  readonly max: number;
  /** A number above `max` becomes `max` instead of the default. */
  readonly clamp?: true;
}

/** One argument of the load tool. */
export interface LoadOption {
  readonly long: string;
  readonly short?: string;
  /** Other long names. */
  readonly also?: readonly string[];
  /** Word for the value in the help text; a switch has none. */
  readonly value?: string;
  readonly number?: NumberRule;
  /** As the help text shows it. */
  readonly default?: string;
  readonly help: string;
  /** It still counts beside `-f`. */
  readonly withFile?: true;
  /** Given alone or with others, it makes the run one of plain columns instead of the electricity meters. */
  readonly endsDemo?: true;
}

/** Arguments of the load tool that the help shows together. */
export interface LoadOptionGroup {
  readonly title: string;
  readonly options: readonly LoadOption[];
}

const most = Number.MAX_SAFE_INTEGER;

function positive(value: number): NumberRule {
  return { default: value, min: 1, max: most };
}

function unchecked(value: number): NumberRule {
  return { default: value, min: -most, max: most };
}

/** Longest VARCHAR or NCHAR that `-w` may ask for. */
const maxBinWidth = 65509;
/** Most rows that `-r` may ask for. */
const maxRowsPerRequest = 65536;

const general: LoadOptionGroup = {
  title: 'What to run',
  options: [
    {
      short: 'f',
      long: 'file',
      value: 'FILE',
      help: 'JSON file that says what to do; of the other arguments only -y, -g, --json and --html count beside it',
    },
    {
      short: 'y',
      long: 'answer-yes',
      help: 'never ask before the run; without it only a file with confirm_parameter_prompt "yes" asks, on a terminal',
      withFile: true,
    },
    {
      short: 'g',
      long: 'debug',
      help: 'show all settings of the run, and each definition and query; not the inserts',
      withFile: true,
    },
    {
      long: 'seed',
      value: 'N',
      number: { default: undefined, min: 0, max: most },
      default: 'a new one each time',
      help: 'make the random values of runs with this seed the same',
    },
    { short: 'V', long: 'version', help: 'print the version and exit' },
    { short: '?', long: 'help', help: 'print this text and exit' },
    { long: 'usage', help: 'print the names of all arguments and exit' },
  ],
};

const reports: LoadOptionGroup = {
  title: 'Reports',
  options: [
    { short: 'o', long: 'output', value: 'FILE', default: './output.txt', help: 'file the summary is appended to' },
    { long: 'json', value: 'FILE', help: 'write a machine-readable report', withFile: true },
    { long: 'html', value: 'FILE', help: 'write a report as a web page', withFile: true },
  ],
};

const connection: LoadOptionGroup = {
  title: 'Server',
  options: [
    {
      short: 'c',
      long: 'config-dir',
      value: 'DIR',
      default: '/etc/sluice',
      help: 'directory of adapter.toml, which says where the database is when neither -h nor -P does',
    },
    { short: 'h', long: 'host', value: 'HOST', default: 'localhost', help: 'name of the server' },
    {
      short: 'P',
      long: 'port',
      value: 'PORT',
      number: { default: undefined, min: 1, max: 65535 },
      default: '6030, and 6041 for rest and sml-rest',
      help: 'port of the server',
    },
    { short: 'u', long: 'user', value: 'USER', default: 'root', help: 'user name' },
    { short: 'p', long: 'password', value: 'PASSWORD', default: 'the built-in password', help: 'password' },
    {
      short: 'I',
      long: 'interface',
      value: 'MODE',
      default: 'taosc',
      help: 'path of the rows: taosc, stmt, rest, sml or sml-rest; the last two also as sml-line, sml-rest-json and so on',
    },
    {
      short: 'T',
      long: 'thread',
      also: ['threads'],
      value: 'N',
      number: positive(8),
      default: '8',
      help: 'insert threads',
    },
    {
      short: 'k',
      long: 'keep-trying',
      value: 'N',
      number: unchecked(0),
      default: '0',
      help: 'how often a failed request is tried again; -1 is for ever',
    },
    {
      short: 'z',
      long: 'trying-interval',
      value: 'MS',
      number: { default: undefined, min: 1, max: most },
      default: '1000',
      help: 'pause before each such try',
    },
  ],
};

const tables: LoadOptionGroup = {
  title: 'Database and tables',
  options: [
    {
      short: 'd',
      long: 'database',
      value: 'NAME',
      default: 'test',
      help: 'database; it is dropped and made anew unless -U or -Q is given',
    },
    { short: 'Q', long: 'nodrop', help: 'use the database as it is; it must exist' },
    {
      short: 'U',
      long: 'supplement-insert',
      help: 'use database and super table as they are, and add sub-tables and rows',
    },
    { short: 'v', long: 'vgroups', value: 'N', number: unchecked(0), help: 'vgroups of the new database' },
    { short: 'a', long: 'replica', also: ['replia'], value: 'N', number: positive(1), default: '1', help: 'replicas' },
    { short: 't', long: 'tables', value: 'N', number: positive(10000), default: '10000', help: 'sub-tables' },
    { short: 'm', long: 'table-prefix', value: 'PREFIX', default: 'd', help: 'what names of sub-tables begin with' },
    {
      short: 'E',
      long: 'escape-character',
      help: 'quote names of databases and tables, so that they may hold any character',
    },
    {
      short: 'N',
      long: 'normal-table',
      help: 'make normal tables instead of sub-tables; not with sml and sml-rest',
      endsDemo: true,
    },
    {
      short: 'b',
      long: 'data-type',
      value: 'TYPES',
      default: 'FLOAT,INT,FLOAT',
      help: 'types of the data columns, for example INT,BINARY(16)',
      endsDemo: true,
    },
    {
      short: 'l',
      long: 'columns',
      value: 'N',
      number: { default: 0, min: 1, max: most },
      help: 'data columns; those without a type in -b are INT',
      endsDemo: true,
    },
    {
      short: 'L',
      long: 'partial-col-num',
      value: 'N',
      number: unchecked(0),
      help: 'write only the first N columns (taosc and rest); the others are NULL',
      endsDemo: true,
    },
    {
      short: 'A',
      long: 'tag-type',
      value: 'TYPES',
      default: 'INT,BINARY(16)',
      help: 'types of the tags; JSON must be the only one',
      endsDemo: true,
    },
    {
      short: 'w',
      long: 'binwidth',
      value: 'N',
      number: { default: 64, min: 1, max: maxBinWidth },
      default: '64',
      help: 'length of BINARY and NCHAR without one',
    },
  ],
};

const rows: LoadOptionGroup = {
  title: 'Rows',
  options: [
    {
      short: 'n',
      long: 'records',
      value: 'N',
      number: positive(10000),
      default: '10000',
      help: 'rows of each sub-table',
    },
    {
      short: 'r',
      long: 'rec-per-req',
      value: 'N',
      number: { default: 30000, min: 1, max: maxRowsPerRequest },
      default: '30000',
      help: 'most rows of one request',
    },
    {
      short: 'B',
      long: 'interlace-rows',
      value: 'N',
      number: { default: 0, min: 0, max: most },
      default: '0',
      help: 'rows of a sub-table before the next has its turn; 0 finishes one after the other',
    },
    {
      short: 'i',
      long: 'insert-interval',
      value: 'MS',
      number: { default: 0, min: 0, max: most },
      default: '0',
      help: 'pause after each round of -B',
    },
    {
      short: 's',
      long: 'start-timestamp',
      value: 'TIME',
      number: unchecked(1500000000000),
      default: '1500000000000',
      help: 'time of the first row of every sub-table, Unix milliseconds',
    },
    {
      short: 'S',
      long: 'timestampstep',
      also: ['time-step'],
      value: 'MS',
      number: positive(1),
      default: '1',
      help: 'time from row to row',
    },
    {
      short: 'O',
      long: 'disorder',
      value: 'PERCENT',
      number: { default: 0, min: 0, max: 50, clamp: true },
      default: '0',
      help: 'share of rows that are late, 0 to 50',
    },
    {
      short: 'R',
      long: 'disorder-range',
      value: 'MS',
      number: positive(1000),
      default: '1000',
      help: 'most that such a row is late; with fewer than -n times -S a late row may replace another',
    },
    {
      short: 'F',
      long: 'prepared_rand',
      also: ['prepare_rand'],
      value: 'N',
      number: positive(10000),
      default: '10000',
      help: 'different rows that are made up and written in turn',
    },
    { short: 'M', long: 'random', help: 'random values over the range of each type, different in every sub-table' },
    { short: 'C', long: 'chinese', help: 'Chinese characters in NCHAR and BINARY' },
    { short: 'x', long: 'aggr-func', help: 'run aggregation queries after the insertion' },
  ],
};

/** Every argument of the load tool, in the order of its help text. */
export const loadOptionGroups: readonly LoadOptionGroup[] = [general, connection, tables, rows, reports];

/** All arguments of the load tool. */
export const loadOptions: readonly LoadOption[] = loadOptionGroups.flatMap((group) => group.options);
