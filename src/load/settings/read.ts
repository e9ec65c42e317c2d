import { dirname, isAbsolute, join } from 'node:path';
import { reasonOf } from '../../model/fault.js';
import { type JsonMember, type JsonObject, readJsonText } from '../../text/json-tree.js';
import type { LoadRun, LoadScenario } from '../model/scenario.js';
import { type LoadArguments, type LoadRefusal, readLoadArguments, usageMistake } from './arguments.js';
import { readConnection } from './connection.js';
import { type LoadInput, type LoadNote, warning } from './input.js';
import { readInsertFile } from './insert.js';
import { readInsertArguments } from './insert-arguments.js';
import { flags } from './keys/rows.js';
import { type Values, valuesOf } from './keys/setting.js';
import { general } from './keys/table.js';
import { readQueryFile, readSubscribeFile } from './query.js';
import { type FileReport, Section } from './section.js';

/** Longest JSON file, in characters. */
const maxFileLength = 16 * 1024 * 1024;

/**
 * Request to the load tool. `notes` are shown in every case, before anything else.
 * - `run`: a scenario, complete and checked.
 * - `print`: a text for stdout; the exit code is 0.
 * - `refused`: see {@link LoadRefusal}.
 */
export type LoadRequest = { readonly notes: readonly LoadNote[] } & (
  | { readonly outcome: 'run'; readonly scenario: LoadScenario }
  | { readonly outcome: 'print'; readonly text: string }
  | LoadRefusal
);

/**
 * Reads the request to the load tool, by arguments or by a JSON file. Opens the files that are named and nothing else;
 * never throws for what a person can get wrong.
 */
export function readLoadRequest(input: LoadInput): LoadRequest {
  const read = readLoadArguments(input.program, input.version, input.argv);
  if (read.outcome !== 'arguments') return { ...read, notes: [] };
  const { args } = read;
  const path = args.get(general.file);
  const scenario = path === undefined ? fromArguments(args, input) : fromFile(path, args, input);
  if ('outcome' in scenario && scenario.exitCode === 64) return { ...scenario, notes: [] };
  return 'outcome' in scenario ? { ...scenario, notes: args.notes } : { outcome: 'run', scenario, notes: args.notes };
}

function fromArguments(args: LoadArguments, input: LoadInput): LoadScenario | LoadRefusal {
  args.check(false);
  const insert = readInsertArguments(args, input);
  if (args.mistakes.length > 0) return usageMistake(input.program, args.mistakes);
  const run = readRun(args, args, insert.definitionsOverHttp, input);
  return typeof run === 'string' ? usageMistake(input.program, [run]) : { ...run, ...insert };
}

/**
 * Reads the JSON file of a run and checks all of it, so that nothing is touched when a key is wrong. A refusal has one
 * line per mistake, with file, line and path of the key.
 */
function fromFile(path: string, args: LoadArguments, input: LoadInput): LoadScenario | LoadRefusal {
  warnOfIgnored(args);
  args.check(true);
  if (args.mistakes.length > 0) return usageMistake(input.program, args.mistakes);
  const node = readFileObject(path, input);
  if (typeof node === 'string') return refused([node]);
  const locate = (name: string): string => fileOf(name, path, input);
  const report: FileReport = { path, locate, notes: args.notes, errors: [], warned: new Set() };
  const level = fileType(node);
  if (typeof level !== 'string') {
    return refused([`${path}: line ${level.line}: filetype: is not supported; allowed: insert, query, subscribe.`]);
  }
  const section = new Section({ level, node, path: '', report });
  const own =
    level === 'insert'
      ? readInsertFile(section, input)
      : level === 'query'
        ? readQueryFile(section, input)
        : readSubscribeFile(section, input);
  const overHttp = own.kind === 'insert' ? own.definitionsOverHttp : own.kind === 'query' && own.mode === 'rest';
  const run = readRun(section, args, overHttp, input);
  if (typeof run === 'string') report.errors.push(`${path}: ${run}`);
  return report.errors.length > 0 || typeof run === 'string' ? refused(report.errors) : { ...run, ...own };
}

function refused(lines: readonly string[]): LoadRefusal {
  return { outcome: 'refused', lines, exitCode: 1 };
}

/** A file that a file of a run names: from the current directory, or else beside the file of the run, if it is there. */
function fileOf(name: string, path: string, input: LoadInput): string {
  if (isAbsolute(name) || input.hasFile(name)) return name;
  const beside = join(dirname(path), name);
  return input.hasFile(beside) ? beside : name;
}

/** Adds one line with the arguments that have no effect beside a file. */
function warnOfIgnored(args: LoadArguments): void {
  const ignored = flags.filter(({ setting }) => setting.withFile !== true && args.has(setting));
  if (ignored.length === 0) return;
  const order = args.settings;
  const names = ignored
    .toSorted((a, b) => order.indexOf(a.setting) - order.indexOf(b.setting))
    .map(({ long }) => `--${long}`);
  args.notes.push(warning(`With --file these arguments have no effect: ${names.join(', ')}.`));
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

/** Kind of run, or the member of the file that names another one. A file that names none is an insertion. */
function fileType(node: JsonObject): LoadScenario['kind'] | JsonMember {
  const { keys, type } = general.fileType;
  const member = node.members.find(({ key }) => keys.includes(key.toLowerCase()));
  if (member === undefined || member.value.kind === 'null') return general.fileType.default;
  const place = { warn: () => {}, refuse: () => undefined, locate: (path: string) => path };
  return (member.value.kind === 'string' ? type.read(member.value, {}, place) : undefined) ?? member;
}

/** The values of the first, and of the second where the first has none. Messages are those of the second. */
function firstOf(first: Values, second: Values): Values {
  const get: Values['get'] = (setting) => (first.has(setting) ? first : second).get(setting);
  return {
    get,
    all: (rows, ...names) => valuesOf(rows, names, get),
    has: (setting) => first.has(setting) || second.has(setting),
    inform: (setting, text) => second.inform(setting, text),
    warn: (setting, text) => second.warn(setting, text),
    refuse: (setting, text) => second.refuse(setting, text),
    missing: (setting, what) => second.missing(setting, what),
  };
}

/** Settings of every run; `args` has the arguments that count beside a file. */
function readRun(values: Values, args: LoadArguments, overHttp: boolean, input: LoadInput): LoadRun | string {
  const connection = readConnection(firstOf(args, values), overHttp, input, args.notes);
  if (typeof connection === 'string') return connection;
  const { jsonReport, htmlReport, answerYes, debug } = args.all(general);
  return {
    connection,
    resultFile: values.get(general.resultFile),
    confirm: values.get(general.confirm) && !answerYes,
    jsonReport: jsonReport ?? values.get(general.jsonReport),
    htmlReport: htmlReport ?? values.get(general.htmlReport),
    debug,
  };
}
