import { createStreamText } from '../../model/names.js';
import type { DatabasePlan, InsertScenario, LoadRun, StreamPlan } from '../../model/scenario.js';
import { database, insert, stream } from '../keys/insert.js';
import type { Setting } from '../keys/setting.js';
import { isOverHttp } from './connection.js';
import { readDatabaseInfo } from './database.js';
import type { LoadInput } from './request.js';
import type { Section } from './section.js';
import { readSuperTable } from './table.js';

/** An insert scenario, all but what every file has. What is wrong with it is in the report. */
export function readInsertFile(section: Section, input: LoadInput): Omit<InsertScenario, keyof LoadRun> {
  const threads = section.get(insert.threads);
  const databases = readDatabases(section, input);
  return {
    kind: 'insert',
    threads,
    createTableThreads: section.get(insert.createTableThreads),
    connectionPoolSize: section.get(insert.connectionPoolSize) ?? threads,
    supplement: false,
    definitionsOverHttp: readDefinitionsOverHttp(section, databases),
    aggregate: false,
    seed: section.get(insert.seed),
    databases,
    streams: section
      .sections(insert.streams, 'stream', true)
      .flatMap((entry) => readStream(entry, databases.length > 1, input)),
  };
}

/** True when rows of some super table take the HTTP service. */
export function writesOverHttp({ databases }: Pick<InsertScenario, 'databases'>): boolean {
  return databases.some(({ superTables }) => superTables.some(({ mode }) => isOverHttp(mode)));
}

function readDefinitionsOverHttp(section: Section, databases: readonly DatabasePlan[]): boolean {
  const mode = section.get(insert.definitionsMode)?.trim().toLowerCase();
  if (mode === 'rest') return true;
  if (mode !== undefined) {
    section.inform(insert.definitionsMode, 'has an effect on a super table; here only "rest" has one');
  }
  return writesOverHttp({ databases });
}

function readDatabases(section: Section, input: LoadInput): readonly DatabasePlan[] {
  if (!section.has(insert.databases)) section.missing(insert.databases, 'an array of databases');
  else if (section.lengthOf(insert.databases) === 0) section.refuse(insert.databases, 'is empty');
  return section.sections(insert.databases, 'database').flatMap((entry) => {
    const plan = readDatabase(entry, section, input);
    return plan === undefined ? [] : [plan];
  });
}

function readDatabase(entry: Section, top: Section, input: LoadInput): DatabasePlan | undefined {
  const section = entry.section(insert.databaseInfo, 'dbinfo');
  if (section === undefined) {
    return entry.has(insert.databaseInfo)
      ? undefined
      : entry.missing(insert.databaseInfo, 'an object with the name of the database');
  }
  const info = readDatabaseInfo(section, input);
  const home = { precision: info?.precision ?? database.precision.default, drop: info?.drop ?? database.drop.default };
  const superTables = readSuperTables(entry).map((table) => readSuperTable(table, home, input));
  return info && { ...info, escapeNames: top.get(insert.escapeNames), superTables };
}

function readSuperTables(entry: Section): readonly Section[] {
  if (entry.lengthOf(insert.superTables) !== undefined) return entry.sections(insert.superTables, 'table');
  const misspelt = entry.misspelt(insert.superTables);
  if (misspelt !== undefined) entry.refuseMember(misspelt, 'would make the database anew without super tables');
  entry.inform(entry.has(insert.superTables) ? insert.superTables : undefined, 'is a database without super tables');
  return [];
}

/**
 * A stream that is to be made; none without `"drop": "yes"`. Its statement is checked here, before anything is touched; of several
 * databases none is the one that a target without a database is in.
 */
function readStream(section: Section, hasManyDatabases: boolean, input: LoadInput): readonly StreamPlan[] {
  const needed = 'a text; a stream has stream_name, stream_stb and stream_sql';
  const name = section.required(stream.name, needed);
  const target = section.required(stream.target, needed);
  const sql = section.required(stream.sql, needed);
  const options = [
    ...clause(section, 'TRIGGER', stream.trigger),
    ...clause(section, 'WATERMARK', stream.watermark),
    ...clause(section, 'IGNORE UPDATE', stream.ignoreUpdate),
    ...clause(section, 'IGNORE EXPIRED', stream.ignoreExpired),
    ...clause(section, 'FILL_HISTORY', stream.fillHistory),
  ];
  const targetOptions = [
    ...clause(section, '', stream.targetColumns, true),
    ...clause(section, 'TAGS', stream.targetTags, true),
    ...clause(section, 'SUBTABLE', stream.subTable, true),
  ];
  const isMade = section.get(stream.drop);
  if (!isMade || name === undefined || target === undefined || sql === undefined) return [];
  if (hasManyDatabases && !target.includes('.')) {
    section.refuse(
      stream.target,
      `${JSON.stringify(target)} names no database, and there are several: write database.table`,
    );
  }
  const plan = { name, target, sql, options, targetOptions };
  const mistake = input.sqlMistake(createStreamText(plan));
  if (mistake !== undefined) section.refuse(stream.sql, `the stream cannot be made: ${mistake}`);
  return [plan];
}

function clause(
  section: Section,
  words: string,
  setting: Setting<string | undefined>,
  inBrackets = false,
): readonly string[] {
  const text = section.get(setting)?.trim();
  if (text === undefined || text === '') return [];
  const shown = inBrackets && !text.startsWith('(') ? `(${text})` : text;
  return [words === '' || text.toUpperCase().startsWith(`${words} `) ? shown : `${words} ${shown}`];
}
