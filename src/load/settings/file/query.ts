import { reasonOf } from '../../../model/fault.js';
import type { LoadRun, QueryScenario, QueryText, SpecifiedQueries, SuperTableQueries } from '../../model/scenario.js';
import { general, maxStatements } from '../keys/general.js';
import { query } from '../keys/query.js';
import { milliseconds } from '../keys/setting.js';
import type { LoadInput } from './request.js';
import { nameMistakes } from './rules.js';
import type { Section } from './section.js';

/** Word for a sub-table in a statement. */
const childPlaceholder = 'xxxx';

/** A query scenario, all but what every file has. What is wrong with it is in the report. */
export function readQueryFile(section: Section, input: LoadInput): Omit<QueryScenario, keyof LoadRun> {
  const database = section.get(query.database) ?? '';
  if (!section.has(query.database)) section.missing(query.database, 'the name of the database');
  else for (const mistake of nameMistakes('database', database, false)) section.refuse(query.database, mistake);
  const specified = section.section(query.specified, 'specified');
  const children = section.section(query.children, 'children');
  if (specified === undefined && children === undefined) {
    section.refuse(undefined, 'specified_table_query and super_table_query are both missing; there is nothing to run');
  }
  return {
    kind: 'query',
    database,
    mode: section.get(query.mode),
    failure: section.get(general.failure),
    killSlowerThanMs: milliseconds(section.get(query.killThreshold)),
    killIntervalMs: milliseconds(section.get(query.killInterval)),
    specified: specified && readSpecified(specified, input),
    superTable: children && readSuperTable(children),
  };
}

function readSpecified(section: Section, input: LoadInput): SpecifiedQueries {
  const queries = [...readSqlFile(section, input), ...readStatements(section, false)];
  checkCount(section, queries.length);
  return { ...readRuns(section), mixed: section.get(query.mixed), queries };
}

function readSuperTable(section: Section): SuperTableQueries {
  const superTable = section.required(query.superTable, 'the name of a super table') ?? '';
  const queries = readStatements(section, true);
  checkCount(section, queries.length);
  return { superTable, ...readRuns(section), queries };
}

function readRuns(section: Section): Pick<SpecifiedQueries, 'times' | 'intervalMs' | 'threads'> {
  return {
    times: section.get(query.times),
    intervalMs: milliseconds(section.get(query.interval)),
    threads: section.get(query.threads),
  };
}

function checkCount(section: Section, count: number): void {
  if (count === 0)
    section.refuse(section.has(query.statements) ? query.statements : undefined, 'there is no statement to run');
  if (count > maxStatements)
    section.refuse(query.statements, `there are ${count} statements; the maximum is ${maxStatements}`);
}

/** Statements of a file, one per line; their results are not kept. */
function readSqlFile(section: Section, input: LoadInput): readonly QueryText[] {
  const path = section.get(query.sqlFile);
  if (path === undefined || path === '') return [];
  try {
    const lines = input.readFile(path).split(/\r?\n/);
    return lines.filter((line) => line.trim() !== '').map((line) => ({ sql: line.trim(), result: undefined }));
  } catch (error) {
    section.refuse(query.sqlFile, `${path} cannot be read: ${reasonOf(error)}`);
    return [];
  }
}

/** Entries of `sqls`; `forChildren` says that each must name the sub-table with {@link childPlaceholder}. */
export function readStatements(section: Section, forChildren: boolean): readonly QueryText[] {
  return section.sections(query.statements, 'statement').flatMap((entry) => {
    const sql = entry.get(query.sql)?.trim() ?? '';
    const result = entry.get(query.result);
    if (sql === '') {
      entry.missing(query.sql, 'a statement');
      return [];
    }
    if (forChildren && !sql.includes(childPlaceholder)) {
      entry.refuse(query.sql, `has no ${childPlaceholder}, which stands for the sub-table`);
    }
    return [{ sql, result: result === '' ? undefined : result }];
  });
}
