import { choice, flag, integer, text, yesNo } from './setting.js';

/** Longest pause or interval: 24 days, what a timer can wait. */
export const maxMs = 24 * 24 * 3_600_000;
/** Most statements of one section and topics of one run. */
export const maxStatements = 100;
/** Most threads of one kind. */
export const maxThreads = 65536;

/** Where the server is when nothing says otherwise: `port` is the database's own, `httpPort` that of the HTTP service. */
export const serverDefaults = {
  host: 'localhost',
  port: 6030,
  httpPort: 6041,
  user: 'root',
  password: 'taosdata',
  directory: '/etc/sluice',
} as const;

/** Settings of every run, and arguments that no file has. */
export const general = {
  file: text(undefined, 'JSON file that describes the run; with it only -y, -g, --json and --html count', {
    flag: { long: 'file', short: 'f', word: 'FILE', group: 'run', withFile: true },
  }),
  fileType: choice(['insert', 'query', 'subscribe'], 'filetype', 'what the file asks for; one per file', {
    default: 'insert',
  }),
  answerYes: flag({
    flag: { long: 'answer-yes', short: 'y', group: 'run', withFile: true },
    help: 'never ask before the run; without it only a file with confirm_parameter_prompt "yes" asks, on a terminal',
  }),
  lenient: flag({
    flag: { long: 'lenient', group: 'run', withFile: true },
    help: 'replace a number that cannot be read with its default, with a message, instead of ending; never a port',
  }),
  debug: flag({
    flag: { long: 'debug', short: 'g', group: 'run', withFile: true },
    help: 'show all settings of the run, and each definition and query; not the inserts',
  }),
  version: flag({ flag: { long: 'version', short: 'V', group: 'run' }, help: 'print the version and exit' }),
  help: flag({ flag: { long: 'help', short: '?', group: 'run' }, help: 'print this text and exit' }),
  usage: flag({ flag: { long: 'usage', group: 'run' }, help: 'print the names of all arguments and exit' }),
  directory: text(
    'cfgdir',
    'directory of `adapter.toml`, which says where the database is when neither host nor port is given',
    { flag: { long: 'config-dir', short: 'c', word: 'DIR', group: 'server' }, shown: serverDefaults.directory },
  ),
  host: text('host', 'name of the server', {
    flag: { long: 'host', short: 'h', word: 'HOST', group: 'server' },
    shown: serverDefaults.host,
  }),
  port: integer(
    'port',
    `port of the server; ${serverDefaults.httpPort} for the modes \`rest\` and \`sml-rest\` where it is absent or ${serverDefaults.port}`,
    {
      flag: { long: 'port', short: 'P', word: 'PORT', group: 'server' },
      min: 1,
      max: 65535,
      shown: `${serverDefaults.port}`,
    },
  ),
  user: text('user', 'user name', {
    flag: { long: 'user', short: 'u', word: 'USER', group: 'server' },
    default: serverDefaults.user,
  }),
  password: text('password', 'password', {
    flag: { long: 'password', short: 'p', word: 'PASSWORD', group: 'server' },
    secret: true,
    default: serverDefaults.password,
    shown: 'the built-in password',
  }),
  tls: yesNo('tls', 'speak TLS with the HTTP service, whose certificate must be valid for the host', {
    flag: { long: 'tls', group: 'server' },
    default: false,
  }),
  caFile: text(
    'ca_file',
    'certificates of the authorities that vouch for the HTTP service, PEM, in the place of the usual ones; means TLS',
    { flag: { long: 'ca-file', word: 'FILE', group: 'server' } },
  ),
  resultFile: text('result_file', 'file the summary is appended to', {
    flag: { long: 'output', short: 'o', word: 'FILE', group: 'reports' },
    default: './output.txt',
  }),
  jsonReport: text('result_json_file', 'write a machine-readable report', {
    flag: { long: 'json', word: 'FILE', group: 'reports', withFile: true },
  }),
  htmlReport: text('result_html_file', 'write a report as a web page', {
    flag: { long: 'html', word: 'FILE', group: 'reports', withFile: true },
  }),
  compareWith: text('compare_with', 'JSON report of an earlier run to compare with, in the summary and on the page', {
    flag: { long: 'compare', word: 'FILE', group: 'reports', withFile: true },
  }),
  confirm: yesNo('confirm_parameter_prompt', 'ask once before the run, on a terminal', { default: false }),
  failure: choice(
    ['no', 'yes', 'smart'],
    'continue_if_fail',
    '`no` ends the run at the first failure, `yes` continues with the next request, `smart` makes a missing sub-table and tries once more; of queries `smart` is `no`',
    { levels: ['insert', 'table', 'query'], default: 'no' },
  ),
} as const;
