import { type FieldPlan, type InsertScenario, isSchemaless, type SuperTablePlan } from '../model/scenario.js';
import type { LoadArguments } from './arguments.js';
import { isOverHttp, readConnection } from './connection.js';
import { demoColumns, demoTags } from './demo.js';
import { listedFields, maxFields, usualValues } from './fields.js';
import { type LoadInterface, loadInterfaceOf } from './interface.js';
import { loadOptions } from './options.js';
import { defaultRetryMs, information, type LoadInput, type LoadNote, type LoadRefusal, warning } from './request.js';
import { maxSqlBytes, nameMistakes, roundPause, tableMistakes, timeMistakes } from './table-rules.js';
import { type ListedType, loadTypeOf, readTypeList } from './types.js';

const database = 'test';
const superTable = 'meters';
/** Sub-tables that one statement creates. */
const createBatch = 10;
const defaultThreads = 8;

/** The insert scenario of a command line without `-f`, or why there is none. */
export function readInsertArguments(
  args: LoadArguments,
  input: LoadInput,
  notes: LoadNote[],
): InsertScenario | LoadRefusal {
  const asked = askedInterface(args, notes);
  const connection = readConnection(connectionGiven(args), isOverHttp(asked.mode), input, notes);
  if (typeof connection === 'string') return refused([connection]);
  const fields = readFields(args);
  if (typeof fields === 'string') return refused([fields]);
  const plan = superTableOf(args, asked, fields, notes);
  const name = args.given.get('database') ?? database;
  const mistakes = [...nameMistakes('database', name), ...tableMistakes(plan), ...timeMistakes(plan, 'ms')];
  if (fields.columns.length > maxFields.column) mistakes.push(`there are more than ${maxFields.column} data columns`);
  if (fields.tags.length > maxFields.tag) mistakes.push(`there are more than ${maxFields.tag} tags`);
  if (mistakes.length > 0) return refused(mistakes.map(sentence));
  const threads = numberOf(args, 'thread');
  const supplement = args.given.has('supplement-insert');
  return {
    kind: 'insert',
    connection,
    ...reportsOf(args),
    resultFile: args.given.get('output') ?? './output.txt',
    confirm: false,
    threads,
    createTableThreads: defaultThreads,
    connectionPoolSize: threads,
    supplement,
    definitionsOverHttp: isOverHttp(asked.mode),
    aggregate: args.given.has('aggr-func'),
    seed: args.numbers.get('seed'),
    databases: [
      {
        name,
        drop: !supplement && !args.given.has('nodrop'),
        precision: 'ms',
        options: databaseOptionsOf(args),
        escapeNames: plan.escapeNames,
        superTables: [plan],
      },
    ],
    streams: [],
  };
}

function connectionGiven({ given, numbers }: LoadArguments) {
  return {
    host: given.get('host'),
    port: numbers.get('port'),
    user: given.get('user'),
    password: given.get('password'),
    directory: given.get('config-dir'),
  };
}

/** The reports that count beside `-f` too. */
export function reportsOf(args: LoadArguments): Pick<InsertScenario, 'jsonReport' | 'htmlReport' | 'debug'> {
  return {
    jsonReport: args.given.get('json'),
    htmlReport: args.given.get('html'),
    debug: args.given.has('debug'),
  };
}

function refused(lines: readonly string[]): LoadRefusal {
  return { outcome: 'refused', lines, exitCode: 1 };
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

function numberOf(args: LoadArguments, long: string): number {
  return args.numbers.get(long) ?? loadOptions.find((option) => option.long === long)?.number?.default ?? 0;
}

function askedInterface(args: LoadArguments, notes: LoadNote[]): LoadInterface {
  const text = args.given.get('interface') ?? 'taosc';
  const found = loadInterfaceOf(text);
  if (found !== undefined) return found;
  notes.push({ level: 'error', text: `-I, --interface: ${JSON.stringify(text)} is invalid; taosc is used.` });
  return { mode: 'taosc', format: 'line' };
}

interface Fields {
  readonly demo: boolean;
  readonly columns: readonly FieldPlan[];
  readonly tags: readonly FieldPlan[];
}

/** Columns and tags, or a line about the word that is no type. */
function readFields(args: LoadArguments): Fields | string {
  const normalTables = args.given.has('normal-table');
  const demo = !loadOptions.some(({ long, endsDemo }) => endsDemo === true && args.given.has(long));
  if (demo) {
    const columns = args.given.has('random') ? demoColumns().map(randomlyFilled) : demoColumns();
    return { demo, columns, tags: demoTags(args.given.has('chinese')) };
  }
  const width = numberOf(args, 'binwidth');
  const columns = readTypeList(args.given.get('data-type') ?? 'FLOAT,INT,FLOAT', width);
  if (typeof columns === 'string') return noType('-b, --data-type', columns);
  if (columns.some(({ type }) => type.name === 'JSON')) return '-b, --data-type: only tags can be JSON.';
  const tags = readTypeList(args.given.get('tag-type') ?? 'INT,BINARY(16)', width);
  if (typeof tags === 'string') return noType('-A, --tag-type', tags);
  return {
    demo,
    columns: listedFields(padded(columns, numberOf(args, 'columns')), 'column'),
    tags: normalTables ? [] : listedFields(tags, 'tag'),
  };
}

function noType(argument: string, word: string): string {
  return `${argument}: ${JSON.stringify(word)} is no data type.`;
}

/** With `-M` the columns of the meters hold any number of their type. */
function randomlyFilled(field: FieldPlan): FieldPlan {
  const type = loadTypeOf(field.type.name);
  return type === undefined ? field : { ...field, values: usualValues(type, field.type.length, 'column') };
}

/** Adds INT up to `count` types; as many as are too many are enough. */
function padded(types: readonly ListedType[], count: number): readonly ListedType[] {
  const int = loadTypeOf('int');
  if (int === undefined) throw new Error('The table of types has no INT.');
  const more = Math.max(0, Math.min(count, maxFields.column + 1) - types.length);
  return [...types, ...Array.from({ length: more }, () => ({ type: int, length: 0 }))];
}

function superTableOf(args: LoadArguments, asked: LoadInterface, fields: Fields, notes: LoadNote[]): SuperTablePlan {
  const tables = numberOf(args, 'tables');
  const attempts = attemptsOf(args, notes);
  const disorderRatio = numberOf(args, 'disorder');
  if (args.given.has('disorder-range') && disorderRatio === 0) {
    notes.push(information('-R, --disorder-range has no effect without -O.'));
  }
  const interlaceRows = numberOf(args, 'interlace-rows');
  return {
    name: superTable,
    normalTables: args.given.has('normal-table'),
    escapeNames: args.given.has('escape-character'),
    columns: fields.columns,
    tags: fields.tags,
    options: [],
    childPrefix: args.given.get('table-prefix') ?? 'd',
    childCount: tables,
    childFrom: 0,
    childTo: tables,
    childExists: false,
    childOffset: 0,
    childLimit: tables,
    ttl: 0,
    autoCreateTable: false,
    createBatches: [createBatch],
    createPausesMs: [],
    tagsFile: undefined,
    ...asked,
    tcpPort: undefined,
    rows: numberOf(args, 'records'),
    rowsPerRequest: numberOf(args, 'rec-per-req'),
    interlaceRows,
    insertIntervalMs: roundPause(numberOf(args, 'insert-interval'), interlaceRows, superTable, notes),
    nonStop: false,
    partialColumns: partialOf(args, asked, fields.columns.length, notes),
    maxSqlBytes,
    start: BigInt(numberOf(args, 'start-timestamp')),
    step: BigInt(numberOf(args, 'timestampstep')),
    disorderRatio,
    disorderRange: numberOf(args, 'disorder-range'),
    preparedRows: numberOf(args, 'prepared_rand'),
    randomPerTable: args.given.has('random'),
    chinese: args.given.has('chinese'),
    sample: undefined,
    failure: 'no',
    attempts,
    tsmas: [],
  };
}

function attemptsOf(args: LoadArguments, notes: LoadNote[]): SuperTablePlan['attempts'] {
  const more = numberOf(args, 'keep-trying');
  const intervalMs = args.numbers.get('trying-interval');
  if (intervalMs !== undefined && more === 0) {
    notes.push(information('-z, --trying-interval has no effect without -k.'));
  }
  return { more: more < 0 ? Number.POSITIVE_INFINITY : more, intervalMs: intervalMs ?? defaultRetryMs };
}

/** 0 is all: nothing was asked for, or as many as there are. */
function partialOf(args: LoadArguments, { mode }: LoadInterface, columns: number, notes: LoadNote[]): number {
  const partial = numberOf(args, 'partial-col-num');
  if (partial <= 0 || partial >= columns) return 0;
  if (mode === 'stmt' || isSchemaless(mode)) {
    notes.push(warning(`-L, --partial-col-num has no effect on the insert mode ${mode}.`));
    return 0;
  }
  return partial;
}

function databaseOptionsOf(args: LoadArguments): readonly string[] {
  const vgroups = args.numbers.get('vgroups') ?? 0;
  const options = vgroups > 0 ? [`VGROUPS ${vgroups}`] : [];
  if (args.given.has('replica')) options.push(`REPLICA ${numberOf(args, 'replica')}`);
  return [...options, "PRECISION 'ms'"];
}
