import { dataType } from '../../model/schema.js';
import { suggestion } from '../../text/nearest.js';
import type { FieldPlan, InsertScenario, LoadRun, ValuePlan } from '../model/scenario.js';
import type { LoadArguments } from './arguments.js';
import { oneCopy } from './database.js';
import type { LoadInput } from './input.js';
import { insertSettings, writesOverHttp } from './insert.js';
import { flags } from './keys/rows.js';
import type { Setting } from './keys/setting.js';
import { database, insert, table } from './keys/table.js';
import { nameMistakes } from './rules.js';
import { argumentStart, readPlan, reportMistakes } from './table.js';
import {
  type FieldRole,
  type FieldShape,
  loadTypeOf,
  maxFields,
  readTypeList,
  typeNames,
  usualValues,
} from './types.js';

/** The insert scenario of a command line without `-f`, except for what every run has. Mistakes are in `args`. */
export function readInsertArguments(args: LoadArguments, input: LoadInput): Omit<InsertScenario, keyof LoadRun> {
  const { supplement, noDrop, name = '' } = args.all(database, 'supplement', 'noDrop', 'name');
  const drop = !supplement && !noDrop;
  const normalTables = args.get(table.normalTables);
  const { columns, tags } = readFields(args, normalTables);
  const start = argumentStart(args, input);
  const own = { name: 'meters', normalTables, columns, tags, options: [], start, tsmas: [] };
  const plan = readPlan(args, { precision: 'ms', drop }, own);
  if (args.has(table.disorderRange) && plan.disorderRatio === 0) {
    args.inform(table.disorderRange, 'has no effect without -O');
  }
  if (args.has(insert.tryingInterval) && plan.attempts.more === 0) {
    args.inform(insert.tryingInterval, 'has no effect without -k');
  }
  for (const mistake of nameMistakes('database', name)) args.refuse(undefined, mistake);
  reportMistakes(args, plan, 'ms');
  if (columns.length > maxFields.column) args.refuse(undefined, `there are more than ${maxFields.column} data columns`);
  if (tags.length > maxFields.tag) args.refuse(undefined, `there are more than ${maxFields.tag} tags`);
  const options = databaseOptionsOf(args);
  const mistake = drop ? input.sqlMistake(`CREATE DATABASE d ${options.join(' ')}`) : undefined;
  if (mistake !== undefined) args.refuse(undefined, mistake);
  const { escapeNames } = plan;
  const databases = [{ name, drop, precision: 'ms' as const, options, escapeNames, superTables: [plan] }];
  return { ...insertSettings(args), databases, streams: [], definitionsOverHttp: writesOverHttp(databases) };
}

interface Fields {
  readonly columns: readonly FieldPlan[];
  readonly tags: readonly FieldPlan[];
}

/** Columns and tags: the electricity meters, or those of type lists. */
function readFields(args: LoadArguments, normalTables: boolean): Fields {
  const isDemo = !flags.some(({ setting }) => setting.endsDemo === true && args.has(setting));
  if (isDemo) {
    const columns = args.get(table.randomPerTable) ? demoColumns.map(randomlyFilled) : demoColumns;
    return { columns, tags: demoTags(args.get(insert.chinese)) };
  }
  const columns = readTypes(args, table.columnTypes, 'column');
  if (columns.some(({ type }) => type.name === 'JSON')) args.fail(table.columnTypes, 'only tags can be JSON');
  const tags = readTypes(args, table.tagTypes, 'tag');
  if (tags.some(({ type }) => type.name === 'DECIMAL')) args.fail(table.tagTypes, 'only columns can be DECIMAL');
  return {
    columns: listed(padded(columns, args.get(table.columnCount) ?? 0), 'c'),
    tags: normalTables ? [] : listed(tags, 't'),
  };
}

/** Fields of the types of a list: `c0`, `c1`, … or `t0`, `t1`, …. */
function listed(shapes: readonly FieldShape[], letter: string): readonly FieldPlan[] {
  return shapes.map((shape, at) => ({ name: `${letter}${at}`, ...shape, sma: false }));
}

/** The types of `-b` or `-A`; none of a list with a word that is no type. */
function readTypes(args: LoadArguments, setting: Setting<string>, role: FieldRole): readonly FieldShape[] {
  const types = readTypeList(args.get(setting), args.get(table.width), role);
  if (typeof types !== 'string') return types;
  const hint = suggestion(types, typeNames) || `; allowed: ${typeNames.join(', ')}`;
  args.fail(setting, `${JSON.stringify(types)} is no data type${hint}`);
  return [];
}

/** With `-M` the columns of the meters hold any number of their type. */
function randomlyFilled(field: FieldPlan): FieldPlan {
  const type = loadTypeOf(field.type.name);
  return type === undefined ? field : { ...field, values: usualValues(type, field.type.length, 'column') };
}

/** Adds INT up to `count` types, or up to one more than a table may have. */
function padded(types: readonly FieldShape[], count: number): readonly FieldShape[] {
  const int = { type: dataType('INT'), values: usualValues('INT', 0, 'column') };
  const more = Math.max(0, Math.min(count, maxFields.column + 1) - types.length);
  return [...types, ...Array.from({ length: more }, () => int)];
}

function databaseOptionsOf(args: LoadArguments): readonly string[] {
  const { vgroups = 0, replica } = args.all(database, 'vgroups', 'replica');
  const options = vgroups > 0 ? [`VGROUPS ${vgroups}`] : [];
  if (args.has(database.replica)) options.push(`REPLICA ${replica}`);
  if (replica > 1) args.warn(database.replica, oneCopy);
  return [...options, "PRECISION 'ms'"];
}

/** Width of the location tag; no city takes more. */
const locationBytes = 16;

const places =
  'SanFrancisco LosAngles SanDiego SanJose PaloAlto Campbell MountainView Sunnyvale SantaClara Cupertino'.split(' ');
const chinesePlaces = '旧金山 洛杉矶 圣迭戈 圣何塞 帕洛阿图 坎贝尔 山景城 森尼韦尔 圣克拉拉 库比蒂诺'.split(' ');

/** Columns of an electricity meter: current in ampere, voltage, phase as a share of the circle. */
const demoColumns: readonly FieldPlan[] = [
  { name: 'current', type: dataType('FLOAT'), values: steps(9.8, 0.04), sma: false },
  { name: 'voltage', type: dataType('INT'), values: steps(105, 1), sma: false },
  { name: 'phase', type: dataType('FLOAT'), values: steps(105 / 360, 1 / 360), sma: false },
];

/** The tags of an electricity meter: its group, 1 to 10, and its place. */
function demoTags(chinese: boolean): readonly FieldPlan[] {
  const location: ValuePlan = { kind: 'choice', values: chinese ? chinesePlaces : places };
  return [
    { name: 'groupid', type: dataType('INT'), values: { kind: 'range', min: 1, max: 11 }, sma: false },
    { name: 'location', type: dataType('VARCHAR', locationBytes), values: location, sma: false },
  ];
}

function steps(first: number, step: number): ValuePlan {
  return { kind: 'steps', first, step, count: 10 };
}
