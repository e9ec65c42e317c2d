import { reasonOf } from '../../model/reason.js';
import type { LoadRun, QueryScenario, QueryText, SpecifiedQueries, SuperTableQueries } from '../model/scenario.js';
import { failureOf } from './file-table.js';
import { maxStatements, statementKeys } from './general-keys.js';
import { specifiedQueryKeys, superQueryKeys } from './query-keys.js';
import type { LoadInput } from './request.js';
import type { Section } from './section.js';
import { nameMistakes } from './table-rules.js';

/** What stands for a sub-table in a statement. */
const childPlaceholder = 'xxxx';

const msPerSecond = 1000;

/** A query scenario, all but what every file has. What is wrong with it is in the report. */
export function readQueryFile(section: Section, input: LoadInput): Omit<QueryScenario, keyof LoadRun> {
  const database = section.text('databases') ?? '';
  if (!section.has('databases')) section.missing('databases', 'the name of the database');
  else for (const mistake of nameMistakes('database', database, false)) section.refuse('databases', mistake);
  const times = section.integer('query_times') ?? 1;
  const mode = section.text('query_mode') === 'rest' ? 'rest' : 'taosc';
  const killSlowerThanMs = (section.number('kill_slow_query_threshold') ?? 0) * msPerSecond;
  const specified = section.section('specified_table_query', specifiedQueryKeys);
  const superTable = section.section('super_table_query', superQueryKeys);
  if (specified === undefined && superTable === undefined) {
    section.refuse(undefined, 'specified_table_query and super_table_query are both missing; there is nothing to run');
  }
  return {
    kind: 'query',
    database,
    mode,
    failure: failureOf(section.text('continue_if_fail')) ?? 'no',
    killSlowerThanMs,
    killIntervalMs: (section.number('kill_slow_query_interval') ?? 1) * msPerSecond,
    specified: specified === undefined ? undefined : readSpecified(specified, times, input),
    superTable: superTable === undefined ? undefined : readSuperTable(superTable, times),
  };
}

function readSpecified(section: Section, times: number, input: LoadInput): SpecifiedQueries {
  const queries = [...readSqlFile(section, input), ...readStatements(section, false)];
  checkCount(section, queries.length);
  return { ...readRuns(section, times), mixed: section.yesNo('mixed_query') ?? false, queries };
}

function readSuperTable(section: Section, times: number): SuperTableQueries {
  const superTable = section.text('stblname') ?? '';
  if (superTable === '') section.missing('stblname', 'the name of a super table');
  const queries = readStatements(section, true);
  checkCount(section, queries.length);
  return { superTable, ...readRuns(section, times), queries };
}

function readRuns(section: Section, times: number): Pick<SpecifiedQueries, 'times' | 'intervalMs' | 'threads'> {
  return {
    times: section.integer('query_times') ?? times,
    intervalMs: (section.number('query_interval') ?? 0) * msPerSecond,
    threads: section.integer('threads') ?? 1,
  };
}

function checkCount(section: Section, count: number): void {
  if (count === 0) section.refuse(section.has('sqls') ? 'sqls' : undefined, 'there is no statement to run');
  if (count > maxStatements) section.refuse('sqls', `there are ${count} statements; the maximum is ${maxStatements}`);
}

/** Statements of a file, one a line; their results are not kept. */
function readSqlFile(section: Section, input: LoadInput): readonly QueryText[] {
  const path = section.text('sql_file');
  if (path === undefined || path === '') return [];
  try {
    const lines = input.readFile(path).split(/\r?\n/);
    return lines.filter((line) => line.trim() !== '').map((line) => ({ sql: line.trim(), result: undefined }));
  } catch (error) {
    section.refuse('sql_file', `${path} cannot be read: ${reasonOf(error)}`);
    return [];
  }
}

/** Entries of `sqls`; `forChildren` says that each must name the sub-table with {@link childPlaceholder}. */
export function readStatements(section: Section, forChildren: boolean): readonly QueryText[] {
  return section.sections('sqls', statementKeys).flatMap((entry) => {
    const sql = entry.text('sql')?.trim() ?? '';
    const result = entry.text('result');
    if (sql === '') {
      entry.missing('sql', 'a statement');
      return [];
    }
    if (forChildren && !sql.includes(childPlaceholder)) {
      entry.refuse('sql', `has no ${childPlaceholder}, which stands for the sub-table`);
    }
    return [{ sql, result: result === '' ? undefined : result }];
  });
}
