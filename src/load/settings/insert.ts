import { createStreamText } from '../model/names.js';
import {
  type DatabasePlan,
  type InsertScenario,
  isOverHttp,
  type LoadRun,
  type StreamPlan,
} from '../model/scenario.js';
import { readDatabaseInfo } from './database.js';
import type { LoadInput } from './input.js';
import { required, type Setting, type Values } from './keys/setting.js';
import { database, insert, stream } from './keys/table.js';
import type { Section } from './section.js';
import { readSuperTable } from './table.js';

/** An insert scenario, except for what every run has. What is wrong with it is in the report. */
export function readInsertFile(section: Section, input: LoadInput): Omit<InsertScenario, keyof LoadRun> {
  const common = insertSettings(section);
  const databases = readDatabases(section, input);
  const streams = section
    .sections(insert.streams, 'stream', true)
    .flatMap((entry) => readStream(entry, databases.length > 1, input));
  const mode = section.get(insert.definitionsMode)?.trim().toLowerCase();
  if (mode !== undefined && mode !== 'rest') {
    section.inform(insert.definitionsMode, 'has an effect on a super table; here only "rest" has one');
  }
  return { ...common, databases, streams, definitionsOverHttp: mode === 'rest' || writesOverHttp(databases) };
}

/** What files and arguments say alike. */
export function insertSettings(values: Values) {
  const threads = values.get(insert.threads);
  return {
    kind: 'insert' as const,
    threads,
    ...values.all(insert, 'createTableThreads', 'aggregate', 'seed'),
    connectionPoolSize: values.get(insert.connectionPoolSize) ?? threads,
    supplement: values.get(database.supplement),
  };
}

/** True when rows of some super table take the HTTP service. */
export function writesOverHttp(databases: readonly DatabasePlan[]): boolean {
  return databases.some(({ superTables }) => superTables.some(({ mode }) => isOverHttp(mode)));
}

function readDatabases(section: Section, input: LoadInput): readonly DatabasePlan[] {
  section.requireItems(insert.databases, 'an array of databases');
  return section.sections(insert.databases, 'database').flatMap((entry) => readDatabase(entry, section, input) ?? []);
}

function readDatabase(entry: Section, top: Section, input: LoadInput): DatabasePlan | undefined {
  const section = entry.section(insert.databaseInfo, 'dbinfo');
  if (section === undefined) {
    const what = 'an object with the name of the database';
    return entry.has(insert.databaseInfo) ? undefined : entry.missing(insert.databaseInfo, what);
  }
  const info = readDatabaseInfo(section, input);
  const home = { precision: info?.precision ?? database.precision.default, drop: info?.drop ?? database.drop.default };
  const superTables = readSuperTables(entry).map((table) => readSuperTable(table, home, input));
  return info && { ...info, escapeNames: top.get(insert.escapeNames), superTables };
}

function readSuperTables(entry: Section): readonly Section[] {
  if (entry.lengthOf(insert.superTables) !== undefined) return entry.sections(insert.superTables, 'table');
  const misspelt = entry.misspelt(insert.superTables);
  if (misspelt !== undefined) entry.refuse(misspelt, 'would make the database anew without super tables');
  entry.inform(entry.has(insert.superTables) ? insert.superTables : undefined, 'is a database without super tables');
  return [];
}

/**
 * A stream that the run makes; none without `"drop": "yes"`. Its statement is checked here, before anything is touched;
 * of several databases none is the one that a target without a database is in.
 */
function readStream(section: Section, hasManyDatabases: boolean, input: LoadInput): readonly StreamPlan[] {
  const [name, target, sql] = [stream.name, stream.target, stream.sql].map((setting) =>
    required(section, setting, 'a text; a stream has stream_name, stream_stb and stream_sql'),
  );
  const clauses = (...list: readonly (readonly [words: string, Setting<string | undefined>])[]) =>
    list.flatMap(([words, setting]) => clauseOf(words, section.get(setting)) ?? []);
  const options = clauses(
    ['TRIGGER', stream.trigger],
    ['WATERMARK', stream.watermark],
    ['IGNORE UPDATE', stream.ignoreUpdate],
    ['IGNORE EXPIRED', stream.ignoreExpired],
    ['FILL_HISTORY', stream.fillHistory],
  );
  const targetOptions = clauses(
    ['(', stream.targetColumns],
    ['TAGS (', stream.targetTags],
    ['SUBTABLE (', stream.subTable],
  );
  if (!section.get(stream.drop) || name === undefined || target === undefined || sql === undefined) return [];
  if (hasManyDatabases && !target.includes('.')) {
    const text = `${JSON.stringify(target)} names no database, and there are several: write database.table`;
    section.refuse(stream.target, text);
  }
  const plan = { name, target, sql, options, targetOptions };
  const mistake = input.sqlMistake(createStreamText(plan));
  if (mistake !== undefined) section.refuse(stream.sql, `the stream cannot be made: ${mistake}`);
  return [plan];
}

/** Words and a value, unless the value begins with the words; after words that end in a bracket it is in brackets. */
function clauseOf(words: string, value = ''): string | undefined {
  const text = value.trim();
  if (text === '') return undefined;
  const plain = words.replace(/ ?\($/, '');
  const shown = plain !== words && !text.startsWith('(') ? `(${text})` : text;
  return plain === '' || text.toUpperCase().startsWith(`${plain} `) ? shown : `${plain} ${shown}`;
}
