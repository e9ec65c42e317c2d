import type { KeyRow, KeyTable } from './section.js';

/** Longest pause or interval: 24 days, what a timer can wait. */
export const maxMs = 24 * 24 * 3_600_000;

/** Keys that every file has. */
export const generalRows: readonly KeyRow[] = [
  {
    key: 'filetype',
    type: 'text',
    default: 'insert',
    allowed: ['insert', 'query', 'subscribe'],
    help: 'what the file asks for; one a file',
  },
  {
    key: 'cfgdir',
    type: 'text',
    default: '/etc/sluice',
    help: 'directory of `adapter.toml`, which says where the database is when neither host nor port does',
  },
  { key: 'host', type: 'text', default: 'localhost', help: 'name of the server' },
  {
    key: 'port',
    type: 'int',
    default: '6030',
    min: 1,
    max: 65535,
    help: 'port of the server; 6041 for the modes `rest` and `sml-rest` where it is absent or 6030',
  },
  { key: 'user', type: 'text', default: 'root', help: 'user name' },
  { key: 'password', type: 'text', default: 'the built-in password', secret: true, help: 'password' },
  { key: 'result_file', type: 'text', default: './output.txt', help: 'file the summary is appended to' },
  { key: 'result_json_file', type: 'text', help: 'machine-readable report; like `--json`' },
  { key: 'result_html_file', type: 'text', help: 'report as a web page; like `--html`' },
  {
    key: 'confirm_parameter_prompt',
    type: 'yes-no',
    default: 'no',
    help: 'ask once before the run, where there is a terminal',
  },
];

export const failureRow: KeyRow = {
  key: 'continue_if_fail',
  type: 'text',
  default: 'no',
  allowed: ['no', 'yes', 'smart'],
  help: '`no` ends the run at the first failure, `yes` goes on with the next request, `smart` makes a missing sub-table and tries once more',
};

/** Most statements of one section and topics of one run. */
export const maxStatements = 100;

export const threadRow: KeyRow = {
  key: 'threads',
  also: ['concurrent'],
  type: 'int',
  default: '1',
  min: 1,
  max: 65536,
  help: 'threads',
};

export const statementKeys: KeyTable = {
  title: 'Query and subscribe: an entry of sqls',
  rows: [
    { key: 'sql', type: 'text', help: 'statement; required' },
    { key: 'result', type: 'text', help: "rows are appended to this file, with the thread's number behind its name" },
  ],
};
