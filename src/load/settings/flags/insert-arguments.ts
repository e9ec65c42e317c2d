import { dataType } from '../../../model/schema.js';
import { suggestion } from '../../../text/nearest.js';
import type { FieldPlan, InsertScenario, LoadRun, SuperTablePlan, ValuePlan } from '../../model/scenario.js';
import { isOverHttp } from '../file/connection.js';
import { oneCopy } from '../file/database.js';
import type { LoadInput } from '../file/request.js';
import { nameMistakes, tableMistakes, timeMistakes } from '../file/rules.js';
import { argumentStart } from '../file/start.js';
import { readAttempts, readInterface, readPartial, readRequests, readTimes } from '../file/table.js';
import {
  type ListedType,
  listedFields,
  loadTypeOf,
  maxFields,
  readTypeList,
  typeNames,
  usualValues,
} from '../file/types.js';
import { database, insert } from '../keys/insert.js';
import { flags } from '../keys/rows.js';
import type { Setting } from '../keys/setting.js';
import { table } from '../keys/table.js';
import type { LoadArguments } from './arguments.js';

const superTable = 'meters';

/** The insert scenario of a command line without `-f`, all but what every run has. What is wrong with it is in `args`. */
export function readInsertArguments(args: LoadArguments, input: LoadInput): Omit<InsertScenario, keyof LoadRun> {
  const plan = readTable(args, input);
  const name = args.get(database.name) ?? '';
  const mistakes = [...nameMistakes('database', name), ...tableMistakes(plan), ...timeMistakes(plan, 'ms')];
  if (plan.columns.length > maxFields.column) mistakes.push(`there are more than ${maxFields.column} data columns`);
  if (plan.tags.length > maxFields.tag) mistakes.push(`there are more than ${maxFields.tag} tags`);
  args.mistakes.push(...mistakes.map(sentence));
  const threads = args.get(insert.threads);
  const supplement = args.get(database.supplement);
  const drop = !supplement && !args.get(database.noDrop);
  const options = databaseOptionsOf(args);
  const mistake = drop ? input.sqlMistake(`CREATE DATABASE d ${options.join(' ')}`) : undefined;
  if (mistake !== undefined) args.mistakes.push(sentence(mistake));
  return {
    kind: 'insert',
    threads,
    createTableThreads: insert.createTableThreads.default,
    connectionPoolSize: threads,
    supplement,
    definitionsOverHttp: isOverHttp(plan.mode),
    aggregate: args.get(insert.aggregate),
    seed: args.get(insert.seed),
    databases: [
      {
        name,
        drop,
        precision: 'ms',
        options,
        escapeNames: plan.escapeNames,
        superTables: [plan],
      },
    ],
    streams: [],
  };
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

function readTable(args: LoadArguments, input: LoadInput): SuperTablePlan {
  const asked = readInterface(args);
  const { columns, tags } = readFields(args);
  const tables = args.get(table.childCount);
  const times = readTimes(args);
  if (args.has(table.disorderRange) && times.disorderRatio === 0) {
    args.inform(table.disorderRange, 'has no effect without -O');
  }
  const attempts = readAttempts(args);
  if (args.has(insert.tryingInterval) && attempts.more === 0) {
    args.inform(insert.tryingInterval, 'has no effect without -k');
  }
  return {
    name: superTable,
    normalTables: args.get(table.normalTables),
    columns,
    tags,
    options: [],
    childPrefix: args.get(table.childPrefix) ?? '',
    childCount: tables,
    childFrom: 0,
    childTo: tables,
    childExists: false,
    childOffset: 0,
    childLimit: tables,
    ttl: table.ttl.default,
    autoCreateTable: false,
    createBatches: [table.createBatch.default],
    createPausesMs: [],
    tagsFile: undefined,
    ...asked,
    tcpPort: undefined,
    rows: args.get(table.rows),
    ...readRequests(args),
    nonStop: false,
    partialColumns: readPartial(args, asked.mode, columns.length),
    maxSqlBytes: table.maxSqlBytes.default,
    start: argumentStart(args, input),
    ...times,
    randomPerTable: args.get(table.randomPerTable),
    sample: undefined,
    failure: 'no',
    attempts,
    tsmas: [],
  };
}

interface Fields {
  readonly columns: readonly FieldPlan[];
  readonly tags: readonly FieldPlan[];
}

/** Columns and tags: the electricity meters, or those of type lists. */
function readFields(args: LoadArguments): Fields {
  const isDemo = !flags.some(({ setting, endsDemo }) => endsDemo === true && args.has(setting));
  if (isDemo) {
    const columns = demoColumns();
    return {
      columns: args.get(table.randomPerTable) ? columns.map(randomlyFilled) : columns,
      tags: demoTags(args.get(insert.chinese)),
    };
  }
  const columns = readTypes(args, table.columnTypes);
  if (columns.some(({ type }) => type.name === 'JSON')) args.mistakes.push('-b, --data-type: only tags can be JSON.');
  const tags = readTypes(args, table.tagTypes);
  if (tags.some(({ type }) => type.name === 'DECIMAL'))
    args.mistakes.push('-A, --tag-type: only columns can be DECIMAL.');
  return {
    columns: listedFields(padded(columns, args.get(table.columnCount) ?? 0), 'column'),
    tags: args.get(table.normalTables) ? [] : listedFields(tags, 'tag'),
  };
}

/** The types of `-b` or `-A`; none of a list with a word that is no type. */
function readTypes(args: LoadArguments, setting: Setting<string>): readonly ListedType[] {
  const types = readTypeList(args.get(setting), args.get(table.width));
  if (typeof types !== 'string') return types;
  const hint = suggestion(types, typeNames) || `; allowed: ${typeNames.join(', ')}`;
  const said = `${JSON.stringify(types)} is no data type${hint}`;
  args.mistakes.push(`-${setting.flag?.short}, --${setting.flag?.long}: ${said}.`);
  return [];
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

function databaseOptionsOf(args: LoadArguments): readonly string[] {
  const vgroups = args.get(database.vgroups) ?? 0;
  const options = vgroups > 0 ? [`VGROUPS ${vgroups}`] : [];
  if (args.has(database.replica)) options.push(`REPLICA ${args.get(database.replica)}`);
  if (args.get(database.replica) > 1) args.warn(database.replica, oneCopy);
  return [...options, "PRECISION 'ms'"];
}

/** Width of the location tag; no city takes more. */
const locationBytes = 16;

const places = [
  'SanFrancisco',
  'LosAngles',
  'SanDiego',
  'SanJose',
  'PaloAlto',
  'Campbell',
  'MountainView',
  'Sunnyvale',
  'SantaClara',
  'Cupertino',
];

const chinesePlaces = [
  '旧金山',
  '洛杉矶',
  '圣迭戈',
  '圣何塞',
  '帕洛阿图',
  '坎贝尔',
  '山景城',
  '森尼韦尔',
  '圣克拉拉',
  '库比蒂诺',
];

/** Fields of an electricity meter: current in ampere, voltage, phase as a share of the circle. */
function demoColumns(): readonly FieldPlan[] {
  return [
    { name: 'current', type: dataType('FLOAT'), values: steps(9.8, 0.04), sma: false },
    { name: 'voltage', type: dataType('INT'), values: steps(105, 1), sma: false },
    { name: 'phase', type: dataType('FLOAT'), values: steps(105 / 360, 1 / 360), sma: false },
  ];
}

/** The tags of an electricity meter: its group, 1 to 10, and its place. */
function demoTags(chinese: boolean): readonly FieldPlan[] {
  return [
    { name: 'groupid', type: dataType('INT'), values: { kind: 'range', min: 1, max: 11 }, sma: false },
    {
      name: 'location',
      type: dataType('VARCHAR', locationBytes),
      values: { kind: 'choice', values: chinese ? chinesePlaces : places },
      sma: false,
    },
  ];
}

function steps(first: number, step: number): ValuePlan {
  return { kind: 'steps', first, step, count: 10 };
}
