import type { DatabasePlan, InsertScenario, LoadRun, StreamPlan } from '../model/scenario.js';
import { isOverHttp } from './connection.js';
import { readChildRange } from './file-children.js';
import { readDatabaseInfo } from './file-database.js';
import { failureOf, readAttempts, readSuperTable, type TableDefaults } from './file-table.js';
import { databaseEntryKeys, databaseKeys, streamKeys } from './insert-keys.js';
import { defaultRetryMs, type LoadInput, type LoadNote } from './request.js';
import type { Section } from './section.js';
import { superTableKeys } from './super-table-keys.js';

const defaultThreads = 8;
const defaultRowsPerRequest = 30000;
const defaultTcpPort = 6046;

/** An insert scenario, all but what every file has. What is wrong with it is in the report. */
export function readInsertFile(
  section: Section,
  input: LoadInput,
  notes: LoadNote[],
): Omit<InsertScenario, keyof LoadRun> {
  const threads = section.integer('thread_count') ?? defaultThreads;
  const defaults = readDefaults(section);
  const databases = readDatabases(section, defaults, input, notes);
  return {
    kind: 'insert',
    threads,
    createTableThreads: section.integer('create_table_thread_count') ?? defaultThreads,
    connectionPoolSize: section.integer('connection_pool_size') ?? threads,
    supplement: false,
    definitionsOverHttp: readDefinitionsOverHttp(section, databases),
    aggregate: false,
    seed: section.integer('seed'),
    databases,
    streams: section.sections('streams', streamKeys).flatMap(readStream),
  };
}

/** True when rows of some super table take the HTTP service. */
export function writesOverHttp({ databases }: Pick<InsertScenario, 'databases'>): boolean {
  return databases.some(({ superTables }) => superTables.some(({ mode }) => isOverHttp(mode)));
}

function readDefinitionsOverHttp(section: Section, databases: readonly DatabasePlan[]): boolean {
  const mode = section.text('insert_mode')?.trim().toLowerCase();
  if (mode === undefined || mode === 'rest') return mode === 'rest' || writesOverHttp({ databases });
  section.inform('insert_mode', 'has an effect on a super table; here only "rest" has one');
  return writesOverHttp({ databases });
}

function readDefaults(section: Section): TableDefaults {
  return {
    escapeNames: section.yesNo('escape_character') ?? false,
    interlaceRows: section.integer('interlace_rows') ?? 0,
    insertIntervalMs: section.integer('insert_interval') ?? 0,
    rowsPerRequest: readRowsPerRequest(section),
    preparedRows: section.integer('prepared_rand') ?? 10000,
    chinese: section.yesNo('chinese') ?? false,
    failure: failureOf(section.text('continue_if_fail')) ?? 'no',
    attempts: readAttempts(section, { more: 0, intervalMs: defaultRetryMs }),
    childRange: readChildRange(section),
    tcpPort: section.integer('telnet_tcp_port') ?? defaultTcpPort,
  };
}

function readRowsPerRequest(section: Section): number {
  const rows = section.integer('num_of_records_per_req') ?? defaultRowsPerRequest;
  if (rows > 0) return rows;
  section.warn('num_of_records_per_req', `${rows} is not positive; ${defaultRowsPerRequest} is used`);
  return defaultRowsPerRequest;
}

function readDatabases(
  section: Section,
  defaults: TableDefaults,
  input: LoadInput,
  notes: LoadNote[],
): readonly DatabasePlan[] {
  if (!section.has('databases')) section.missing('databases', 'an array of databases');
  else if (section.lengthOf('databases') === 0) section.refuse('databases', 'is empty');
  return section.sections('databases', databaseEntryKeys).flatMap((entry) => {
    const plan = readDatabase(entry, defaults, input, notes);
    return plan === undefined ? [] : [plan];
  });
}

function readDatabase(
  entry: Section,
  defaults: TableDefaults,
  input: LoadInput,
  notes: LoadNote[],
): DatabasePlan | undefined {
  const section = entry.section('dbinfo', databaseKeys);
  if (section === undefined) {
    return entry.has('dbinfo') ? undefined : entry.missing('dbinfo', 'an object with the name of the database');
  }
  const info = readDatabaseInfo(section);
  const home = { precision: info?.precision ?? ('ms' as const), drop: info?.drop ?? true };
  const superTables = readSuperTables(entry).map((table) => readSuperTable(table, defaults, home, input, notes));
  if (info === undefined) return undefined;
  return { ...info, escapeNames: defaults.escapeNames, superTables };
}

function readSuperTables(entry: Section): readonly Section[] {
  const node = entry.any('super_tables');
  if (node?.kind === 'array') return entry.sections('super_tables', superTableKeys);
  entry.inform(node === undefined ? undefined : 'super_tables', 'is a database without super tables');
  return [];
}

/** A stream that is to be made; none without `"drop": "yes"`. */
function readStream(section: Section): readonly StreamPlan[] {
  const drop = section.yesNo('drop') ?? false;
  const [name, target, sql] = ['stream_name', 'stream_stb', 'stream_sql'].map((key) => {
    const text = section.text(key);
    if (text !== undefined && text !== '') return text;
    return section.missing(key, 'a text; a stream has stream_name, stream_stb and stream_sql');
  });
  const options = [
    ...clause(section, 'TRIGGER', 'trigger_mode'),
    ...clause(section, 'WATERMARK', 'watermark'),
    ...clause(section, 'IGNORE UPDATE', 'ignore_update'),
    ...clause(section, 'IGNORE EXPIRED', 'ignore_expired'),
    ...clause(section, 'FILL_HISTORY', 'fill_history'),
  ];
  const targetOptions = [
    ...clause(section, '', 'stream_stb_field', true),
    ...clause(section, 'TAGS', 'stream_tag_field', true),
    ...clause(section, 'SUBTABLE', 'subtable', true),
  ];
  if (!drop || name === undefined || target === undefined || sql === undefined) return [];
  return [{ name, target, sql, options, targetOptions }];
}

function clause(section: Section, words: string, key: string, inBrackets = false): readonly string[] {
  const text = section.text(key)?.trim();
  if (text === undefined || text === '') return [];
  const shown = inBrackets && !text.startsWith('(') ? `(${text})` : text;
  return [words === '' || text.toUpperCase().startsWith(`${words} `) ? shown : `${words} ${shown}`];
}
