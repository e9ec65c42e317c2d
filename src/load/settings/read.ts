import { reasonOf } from '../../model/fault.js';
import type { LoadRun, LoadScenario } from '../model/scenario.js';
import { readConnection } from './file/connection.js';
import { readInsertFile, writesOverHttp } from './file/insert.js';
import { readQueryFile } from './file/query.js';
import type { LoadInput, LoadRefusal, LoadRequest } from './file/request.js';
import { type FileReport, Section } from './file/section.js';
import { readSubscribeFile } from './file/subscribe.js';
import { type LoadArguments, readLoadArguments, usageMistake } from './flags/arguments.js';
import { readInsertArguments } from './flags/insert-arguments.js';
import { general } from './keys/general.js';
import { type JsonMember, type JsonObject, readJsonText } from './keys/json-text.js';
import { flags } from './keys/rows.js';
import type { Values } from './keys/setting.js';

/** Longest JSON file, in characters. */
const maxFileLength = 16 * 1024 * 1024;

/**
 * Reads the request to the load tool, by arguments or by a JSON file. Opens the files that are named and nothing else; never
 * throws for what a person can get wrong.
 */
export function readLoadRequest(input: LoadInput): LoadRequest {
  const read = readLoadArguments(input.program, input.version, input.argv);
  if (read.outcome !== 'arguments') return { ...read, notes: [] };
  const { args } = read;
  const path = args.get(general.file);
  const scenario = path === undefined ? fromArguments(args, input) : readScenarioFile(path, args, input);
  if ('outcome' in scenario && scenario.exitCode === 64) return { ...scenario, notes: [] };
  return 'outcome' in scenario ? { ...scenario, notes: args.notes } : { outcome: 'run', scenario, notes: args.notes };
}

function fromArguments(args: LoadArguments, input: LoadInput): LoadScenario | LoadRefusal {
  args.check();
  const insert = readInsertArguments(args, input);
  if (args.mistakes.length > 0) return usageMistake(input.program, args.mistakes);
  const run = readRun(args, args, writesOverHttp(insert), input);
  return typeof run === 'string' ? usageMistake(input.program, [run]) : { ...run, ...insert };
}

/**
 * Reads the JSON file of a run and checks all of it, so that nothing is touched when a key is wrong. A refusal has one line
 * per mistake, with file, line and path of the key.
 */
function readScenarioFile(path: string, args: LoadArguments, input: LoadInput): LoadScenario | LoadRefusal {
  warnOfIgnored(args);
  const node = readFileObject(path, input);
  if (typeof node === 'string') return refused([node]);
  const report: FileReport = { path, notes: args.notes, errors: [], warned: new Set() };
  const level = fileType(node);
  if (typeof level !== 'string') {
    return refused([`${path}: line ${level.line}: filetype: is not supported; allowed: insert, query, subscribe.`]);
  }
  const section = new Section({ level, node, path: '', report });
  const scenario = readKind(section, level, args, input);
  if (typeof scenario === 'string') report.errors.push(`${path}: ${scenario}`);
  return report.errors.length > 0 || typeof scenario === 'string' ? refused(report.errors) : scenario;
}

function refused(lines: readonly string[]): LoadRefusal {
  return { outcome: 'refused', lines, exitCode: 1 };
}

/** One line with the arguments that have no effect beside a file; complaints about their values are not worth showing. */
function warnOfIgnored(args: LoadArguments): void {
  const ignored = flags.filter(({ setting, withFile }) => withFile !== true && args.has(setting));
  if (ignored.length === 0) return;
  const order = args.settings;
  const names = ignored
    .toSorted((a, b) => order.indexOf(a.setting) - order.indexOf(b.setting))
    .map(({ long }) => `--${long}`);
  args.notes.push({ level: 'warn', text: `With --file these arguments have no effect: ${names.join(', ')}.` });
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

/** Kind of run by the member of the file that says something else. A file that says nothing is an insertion. */
function fileType(node: JsonObject): 'insert' | 'query' | 'subscribe' | JsonMember {
  const member = node.members.find(({ key }) => key.toLowerCase() === general.fileType.key);
  if (member === undefined || member.value.kind === 'null') return general.fileType.default;
  const { value } = member;
  return (value.kind === 'string' ? general.fileType.type.fromText(value.text, {}) : undefined) ?? member;
}

/** The scenario, or what is wrong with its connection. */
function readKind(
  section: Section,
  level: 'insert' | 'query' | 'subscribe',
  args: LoadArguments,
  input: LoadInput,
): LoadScenario | string {
  if (level === 'query') {
    const query = readQueryFile(section, input);
    const run = readRun(section, args, query.mode === 'rest', input);
    return typeof run === 'string' ? run : { ...run, ...query };
  }
  if (level === 'subscribe') {
    const subscribe = readSubscribeFile(section, input);
    const run = readRun(section, args, false, input);
    return typeof run === 'string' ? run : { ...run, ...subscribe };
  }
  const insert = readInsertFile(section, input);
  const run = readRun(section, args, insert.definitionsOverHttp || writesOverHttp(insert), input);
  return typeof run === 'string' ? run : { ...run, ...insert };
}

/** Settings of every run; `args` has the arguments that count beside a file. */
function readRun(values: Values, args: LoadArguments, overHttp: boolean, input: LoadInput): LoadRun | string {
  const connection = readConnection(values, overHttp, input, args.notes);
  if (typeof connection === 'string') return connection;
  return {
    connection,
    resultFile: values.get(general.resultFile),
    confirm: values.get(general.confirm) && !args.get(general.answerYes),
    jsonReport: args.get(general.jsonReport) ?? values.get(general.jsonReport),
    htmlReport: args.get(general.htmlReport) ?? values.get(general.htmlReport),
    compareWith: args.get(general.compareWith) ?? values.get(general.compareWith),
    debug: args.get(general.debug),
  };
}
