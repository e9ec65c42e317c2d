import { reasonOf } from '../../model/reason.js';
import type { LoadRun, LoadScenario } from '../model/scenario.js';
import { readConnection } from './connection.js';
import { readInsertFile, writesOverHttp } from './file-insert.js';
import { readQueryFile } from './file-query.js';
import { readSubscribeFile } from './file-subscribe.js';
import { insertKeys } from './insert-keys.js';
import { type JsonMember, type JsonObject, readJsonText } from './json-text.js';
import { queryKeys } from './query-keys.js';
import type { LoadInput, LoadNote, LoadRefusal } from './request.js';
import { type FileReport, type KeyTable, Section } from './section.js';
import { subscribeKeys } from './subscribe-keys.js';

/** Longest JSON file, in characters. */
const maxFileLength = 16 * 1024 * 1024;
const defaultResultFile = './output.txt';

/** Flags that count beside a file. */
export interface FileFlags extends Pick<LoadRun, 'jsonReport' | 'htmlReport' | 'debug'> {
  /** `-y`: never ask. */
  readonly answerYes: boolean;
}

/**
 * Reads the JSON file of a run and checks all of it, so that nothing is touched when a key is wrong. A refusal has one line
 * for each mistake, with file, line and path of the key.
 */
export function readScenarioFile(
  path: string,
  flags: FileFlags,
  input: LoadInput,
  notes: LoadNote[],
): LoadScenario | LoadRefusal {
  const node = readFileObject(path, input);
  if (typeof node === 'string') return refused([node]);
  const report: FileReport = { path, notes, errors: [] };
  const table = tableOf(node);
  if (table === undefined) {
    const at = fileType(node)?.line ?? node.line;
    return refused([`${path}: line ${at}: filetype: is not supported; allowed: insert, query, subscribe.`]);
  }
  const section = new Section(table, node, '', report);
  section.text('filetype');
  const scenario = readKind(section, table, flags, input, notes);
  if (typeof scenario === 'string') report.errors.push(`${path}: ${scenario}`);
  return report.errors.length > 0 || typeof scenario === 'string' ? refused(report.errors) : scenario;
}

function refused(lines: readonly string[]): LoadRefusal {
  return { outcome: 'refused', lines, exitCode: 1 };
}

function readFileObject(path: string, input: LoadInput): JsonObject | string {
  let text: string;
  try {
    text = input.readFile(path);
  } catch (error) {
    return `${path} cannot be read: ${reasonOf(error)}.`;
  }
  if (text.length > maxFileLength) return `${path} is longer than ${maxFileLength} characters.`;
  if (text.trim() === '') return `${path} is empty.`;
  const read = readJsonText(text);
  if (!read.ok) return `${path} is not JSON: line ${read.line}: ${read.message}.`;
  return read.node.kind === 'object' ? read.node : `${path} must hold one JSON object.`;
}

function fileType(node: JsonObject): JsonMember | undefined {
  return node.members.find(({ key }) => key.toLowerCase() === 'filetype');
}

/** The keys that a file of its kind has; insert is the kind of a file that names none. */
function tableOf(node: JsonObject): KeyTable | undefined {
  const kind = fileType(node)?.value;
  if (kind === undefined || kind.kind === 'null') return insertKeys;
  if (kind.kind !== 'string') return undefined;
  const name = kind.text.trim().toLowerCase();
  if (name === 'insert') return insertKeys;
  return name === 'query' ? queryKeys : name === 'subscribe' ? subscribeKeys : undefined;
}

/** The scenario, or what is wrong with its connection. */
function readKind(
  section: Section,
  table: KeyTable,
  flags: FileFlags,
  input: LoadInput,
  notes: LoadNote[],
): LoadScenario | string {
  if (table === queryKeys) {
    const query = readQueryFile(section, input);
    const run = readRun(section, flags, query.mode === 'rest', input, notes);
    return typeof run === 'string' ? run : { ...run, ...query };
  }
  if (table === subscribeKeys) {
    const subscribe = readSubscribeFile(section, input);
    const run = readRun(section, flags, false, input, notes);
    return typeof run === 'string' ? run : { ...run, ...subscribe };
  }
  const insert = readInsertFile(section, input, notes);
  const run = readRun(section, flags, insert.definitionsOverHttp || writesOverHttp(insert), input, notes);
  return typeof run === 'string' ? run : { ...run, ...insert };
}

function readRun(
  section: Section,
  flags: FileFlags,
  overHttp: boolean,
  input: LoadInput,
  notes: LoadNote[],
): LoadRun | string {
  const given = {
    host: section.text('host'),
    port: section.integer('port'),
    user: section.text('user'),
    password: section.text('password'),
    directory: section.text('cfgdir'),
  };
  const connection = readConnection(given, overHttp, input, notes);
  if (typeof connection === 'string') return connection;
  const confirm = section.yesNo('confirm_parameter_prompt') ?? false;
  return {
    connection,
    resultFile: section.text('result_file') ?? defaultResultFile,
    confirm: confirm && !flags.answerYes,
    jsonReport: flags.jsonReport ?? section.text('result_json_file'),
    htmlReport: flags.htmlReport ?? section.text('result_html_file'),
    debug: flags.debug,
  };
}
