import type {
  InsertScenario,
  LoadScenario,
  QueryScenario,
  SubscribeScenario,
  SuperTablePlan,
} from '../../../src/load/model/scenario.js';
import type { LoadRequest } from '../../../src/load/settings/read.js';
import { readLoadRequest } from '../../../src/load/settings/read.js';
import { statementMistake } from '../../../src/load/statement-mistake.js';
import { parseTimestamp } from '../../../src/sql/times/timestamp.js';

/** Clock of requests under test: 2023-11-14T22:13:20Z. */
export const nowMs = 1700000000000;

/** Files by path; objects become JSON. */
export type Files = Readonly<Record<string, unknown>>;

/** What the load tool makes of its arguments, in a world that has only the given files. */
export function loadRequest(
  argv: readonly string[],
  files: Files = {},
  env: Record<string, string> = {},
  clockMs = nowMs,
): LoadRequest {
  let names = 0;
  return readLoadRequest({
    program: 'lt',
    version: '1.2.3',
    argv,
    env,
    nowMs: clockMs,
    readFile: (path) => {
      const file = files[path];
      if (file === undefined) throw new Error('no such file');
      return typeof file === 'string' ? file : JSON.stringify(file);
    },
    hasFile: (path) => files[path] !== undefined,
    sqlMistake: statementMistake,
    parseTime: (text, precision) => parseTimestamp(text, precision, 'UTC'),
    randomName: () => `random${names++}`,
  });
}

/** The scenario of a request that must be one. */
export function scenarioOf(request: LoadRequest): LoadScenario {
  if (request.outcome === 'run') return request.scenario;
  throw new Error(request.outcome === 'refused' ? request.lines.join('\n') : request.text);
}

export function insertOf(request: LoadRequest): InsertScenario {
  const scenario = scenarioOf(request);
  if (scenario.kind !== 'insert') throw new Error(`It is a ${scenario.kind} scenario.`);
  return scenario;
}

export function queryOf(request: LoadRequest): QueryScenario {
  const scenario = scenarioOf(request);
  if (scenario.kind !== 'query') throw new Error(`It is a ${scenario.kind} scenario.`);
  return scenario;
}

export function subscribeOf(request: LoadRequest): SubscribeScenario {
  const scenario = scenarioOf(request);
  if (scenario.kind !== 'subscribe') throw new Error(`It is a ${scenario.kind} scenario.`);
  return scenario;
}

/** The lines of a refusal, as one text. */
export function refusalOf(request: LoadRequest): string {
  if (request.outcome !== 'refused') throw new Error(`The request is ${request.outcome}.`);
  return request.lines.join('\n');
}

export function notesOf(request: LoadRequest): string {
  return request.notes.map(({ level, text }) => `${level}: ${text}`).join('\n');
}

/** The super table that arguments ask for. */
export function tableOf(...argv: string[]): SuperTablePlan {
  const [database] = insertOf(loadRequest(argv)).databases;
  const [table] = database?.superTables ?? [];
  if (table === undefined) throw new Error('There is no super table.');
  return table;
}

/** Columns and tags of a super table, with their types. */
export function shapes(plan: SuperTablePlan): string {
  const list = [...plan.columns, ...plan.tags].map(({ name, type }) => `${name} ${type.name}(${type.length})`);
  return list.join(' ');
}
