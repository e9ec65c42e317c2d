import { defaultKeepDays } from '../../model/database-options.js';
import { type Precision, ticksPerSecond } from '../../model/schema.js';
import { quotedName, quotedText } from '../../text/quoted-name.js';
import {
  type InsertMode,
  isSchemaless,
  type SamplePlan,
  type SuperTablePlan,
  type TsmaPlan,
} from '../model/scenario.js';
import { readFields } from './fields.js';
import type { LoadInput } from './input.js';
import { kindOf, required, type Setting, type Values } from './keys/setting.js';
import { general, insert, table, tsma } from './keys/table.js';
import { lostTimes, tableMistakes, timeMistakes } from './rules.js';
import type { Section } from './section.js';

/** What a super table needs to know of its database. */
interface Home {
  readonly precision: Precision;
  readonly drop: boolean;
}

/** What a file and arguments say in different ways. */
type OwnParts = 'name' | 'normalTables' | 'columns' | 'tags' | 'options' | 'start' | 'tsmas';

/** Reads one entry of `super_tables`. What is wrong with it is in the report; the plan is whole all the same. */
export function readSuperTable(section: Section, home: Home, input: LoadInput): SuperTablePlan {
  if (!section.has(table.name)) section.missing(table.name, 'the name of the super table');
  const columns = readFields(section, table.columns, 'column');
  section.requireItems(table.columns, 'an array with the data columns');
  const plan = readPlan(section, home, {
    name: section.get(table.name) ?? '',
    normalTables: (section.get(table.tags)?.length ?? 0) === 0,
    columns,
    tags: readFields(section, table.tags, 'tag'),
    options: readOptions(section, columns),
    start: readStart(section, home.precision, input),
    tsmas: section.sections(table.tsmas, 'tsma').flatMap(readTsma),
  });
  if (section.has(table.name) && columns.length > 0) reportMistakes(section, plan, home.precision);
  return plan;
}

/** The plan of a super table of a file or of arguments. */
export function readPlan(values: Values, { drop }: Home, own: Pick<SuperTablePlan, OwnParts>): SuperTablePlan {
  const path = readPath(values);
  const { mode } = path;
  const sample = readSample(values);
  const { rows: named, step } = values.all(table, 'rows', 'step');
  // With times from the file the file says how many rows there are; 0 would still write none.
  const rows = sample?.useTimes === true ? Math.max(1, named) : named;
  const nonStop = values.get(table.nonStop);
  if (nonStop && rows === 0) values.refuse(table.nonStop, 'needs insert_rows to be positive');
  return {
    ...own,
    ...values.all(table, 'childCount', 'ttl', 'maxSqlBytes', 'disorderRatio', 'disorderRange', 'randomPerTable'),
    ...values.all(insert, 'escapeNames', 'rowsPerRequest', 'interlaceRows', 'preparedRows', 'chinese'),
    ...readChildren(values, drop, mode, own.normalTables),
    insertIntervalMs: readInterval(values),
    tagsFile: onlyFor(values, table.tagsFile, mode, ['taosc', 'rest', 'stmt']),
    ...path,
    tcpPort: readTcpPort(values, path),
    rows,
    nonStop,
    partialColumns: readPartial(values, mode, own.columns.length),
    step: BigInt(typeof step === 'bigint' ? step : Math.trunc(step)),
    sample,
    failure: values.get(general.failure),
    attempts: { more: values.get(insert.keepTrying), intervalMs: values.get(insert.tryingInterval) },
  };
}

/** Adds what every server would refuse to the mistakes, and a warning of rows that would be lost. */
export function reportMistakes(values: Values, plan: SuperTablePlan, precision: Precision): void {
  for (const mistake of [...tableMistakes(plan), ...timeMistakes(plan, precision)]) values.refuse(undefined, mistake);
  const lost = lostTimes(plan, precision);
  if (lost !== undefined) values.warn(undefined, lost);
}

/** The sub-tables; `drop` says that the database is made anew, so that none can exist. */
function readChildren(values: Values, drop: boolean, mode: InsertMode, normalTables: boolean) {
  const { childCount, childPrefix, createBatch } = values.all(table, 'childCount', 'childPrefix', 'createBatch');
  const childExists = readExists(values, drop);
  const range = readRange(values, childCount);
  const isAlone = normalTables && childCount === 1;
  if (childPrefix === undefined && !values.has(table.childPrefix) && !childExists && !isAlone) {
    values.missing(table.childPrefix, 'prefix of the names of sub-tables');
  }
  return {
    childPrefix: childPrefix ?? '',
    ...range,
    childExists,
    ...readWindow(values, childExists, childCount),
    autoCreateTable: readAutoCreate(values, mode, childExists, normalTables),
    createBatches: readNumbers(values, table.createBatches, 1) ?? [createBatch],
    createPausesMs: readNumbers(values, table.createPauses, 0) ?? [],
  };
}

function readRange(values: Values, count: number): Pick<SuperTablePlan, 'childFrom' | 'childTo'> {
  const from = values.get(insert.childFrom);
  const to = values.get(insert.childTo) ?? count;
  const key = values.has(insert.childFrom) || !values.has(insert.childTo) ? insert.childFrom : insert.childTo;
  if (to < from) values.refuse(key, `childtable_to ${to} is below childtable_from ${from}`);
  else if (from >= count) values.refuse(key, `childtable_from ${from} must be below childtable_count ${count}`);
  else if (to > count) values.refuse(key, `childtable_to ${to} is above childtable_count ${count}`);
  return { childFrom: from, childTo: to };
}

function readExists(values: Values, drop: boolean): boolean {
  const exists = values.get(table.childExists);
  if (!exists || !drop) return exists;
  values.warn(table.childExists, 'has no effect, because the database is dropped');
  return false;
}

function readWindow(values: Values, exists: boolean, count: number) {
  if (!exists) {
    for (const setting of [table.childLimit, table.childOffset]) {
      if (values.has(setting)) values.warn(setting, 'has no effect without "child_table_exists": "yes"');
    }
    return { childOffset: 0, childLimit: count };
  }
  const limit = values.get(table.childLimit) || count;
  if (limit > count) values.warn(table.childLimit, `${limit} is above childtable_count; ${count} is used`);
  const childOffset = values.get(table.childOffset);
  const childLimit = Math.min(limit, count);
  const isAll = childLimit === count && !values.has(table.childLimit);
  const end = isAll ? childOffset + 1 : childOffset + childLimit;
  const text = `childtable_offset and childtable_limit reach ${end}, above childtable_count ${count}`;
  if (end > count) values.refuse(table.childOffset, text);
  return { childOffset, childLimit };
}

function readAutoCreate(values: Values, mode: InsertMode, exists: boolean, normalTables: boolean): boolean {
  const auto = values.get(table.autoCreateTable);
  if (!auto || (!exists && !normalTables && !isSchemaless(mode))) return auto;
  const reason = exists ? 'because the sub-tables exist' : normalTables ? 'on normal tables' : `on the mode ${mode}`;
  values.inform(table.autoCreateTable, `has no effect ${reason}`);
  return false;
}

/** Whole numbers parted by commas. */
function readNumbers(values: Values, setting: Setting<string | undefined>, min: number): readonly number[] | undefined {
  const text = values.get(setting);
  if (text === undefined) return undefined;
  const words = text.split(',').map((word) => word.trim());
  const numbers = words.filter((word) => word !== '').map((word) => (/^\d+$/.test(word) ? Number(word) : Number.NaN));
  if (numbers.length > 0 && numbers.every((number) => number >= min && Number.isSafeInteger(number))) return numbers;
  return values.refuse(setting, `expected whole numbers from ${min} on, parted by commas`);
}

function readInterval(values: Values): number {
  const { interlaceRows, insertIntervalMs } = values.all(insert, 'interlaceRows', 'insertIntervalMs');
  if (interlaceRows > 0 || insertIntervalMs === 0) return insertIntervalMs;
  values.inform(insert.insertIntervalMs, 'has no effect without interlaced rows');
  return 0;
}

/** 0 is all: either no number is set, or as many as there are. */
function readPartial(values: Values, mode: InsertMode, columns: number): number {
  const partial = values.get(table.partialColumns);
  if (partial > columns)
    values.warn(table.partialColumns, `${partial} is above the ${columns} data columns; all are written`);
  if (partial === 0 || partial >= columns) return 0;
  return onlyFor(values, table.partialColumns, mode, ['taosc', 'rest']) ?? 0;
}

/** The value of a setting that counts for some modes; otherwise undefined, with a warning. */
function onlyFor<V>(
  values: Values,
  setting: Setting<V>,
  mode: InsertMode,
  modes: readonly InsertMode[],
): V | undefined {
  const value = values.get(setting);
  if (value === undefined || modes.includes(mode)) return value;
  values.warn(setting, `has no effect on the insert mode ${mode}`);
  return undefined;
}

type RowPath = Pick<SuperTablePlan, 'mode' | 'format'>;

/** The path of the rows; of an unknown word the default. */
function readPath(values: Values): RowPath {
  const text = values.get(table.mode);
  const path = rowPathOf(text.trim().toLowerCase());
  if (path === undefined) {
    values.refuse(table.mode, `${JSON.stringify(text)} is not supported; allowed: taosc, stmt, rest, sml, sml-rest`);
    return { mode: 'taosc', format: 'line' };
  }
  if (!values.has(table.lineProtocol)) return path;
  if (!isSchemaless(path.mode)) values.inform(table.lineProtocol, `has no effect on the insert mode ${path.mode}`);
  return { mode: path.mode, format: values.get(table.lineProtocol) };
}

/** A path of rows by the name `-I` or `insert_mode` has for it: `stmt`, `sml-json`, `sml-rest-telnet`, …. */
function rowPathOf(name: string): RowPath | undefined {
  if (name === 'taosc' || name === 'rest' || name === 'stmt') return { mode: name, format: 'line' };
  if (name === 'stmt2') return { mode: 'stmt', format: 'line' };
  const [, mode, word = 'line'] = /^(sml|sml-rest)(?:-(line|telnet|json|taosjson))?$/.exec(name) ?? [];
  const format = (['line', 'telnet', 'json', 'taosjson'] as const).find((known) => known === word);
  if (mode === undefined || format === undefined) return undefined;
  return { mode: mode === 'sml' ? 'sml' : 'sml-rest', format };
}

function readTcpPort(values: Values, { mode, format }: RowPath): number | undefined {
  const node = values.get(table.tcpTransfer);
  if (node === undefined) return undefined;
  const word = node.kind === 'boolean' ? String(node.value) : node.kind === 'string' ? node.text : '';
  const isHttp = ['http', 'no', 'false', ''].includes(word.trim().toLowerCase());
  if (isHttp && node.kind !== 'number') return undefined;
  if (!['tcp', 'yes', 'true'].includes(word.trim().toLowerCase())) {
    return values.refuse(table.tcpTransfer, 'is not supported; allowed: http, tcp, yes, no');
  }
  if (mode !== 'sml-rest' || format !== 'telnet') {
    values.warn(table.tcpTransfer, 'has an effect on telnet lines of the insert mode sml-rest only');
    return undefined;
  }
  const port = values.get(insert.tcpPort);
  values.inform(table.tcpTransfer, `the listener on port ${port} writes to a database of its own choice`);
  return port;
}

function readSample(values: Values): SamplePlan | undefined {
  const useTimes = values.get(table.useSampleTimes);
  values.get(table.sampleFormat);
  if (values.get(table.dataSource) !== 'sample') {
    const useless = [table.sampleFile, table.sampleFileOfTable].filter((setting) => values.has(setting));
    for (const setting of useTimes ? [...useless, table.useSampleTimes] : useless) {
      values.inform(setting, 'has no effect without "data_source": "sample"');
    }
    return undefined;
  }
  const file = required(values, table.sampleFile, 'a CSV file, because data_source is sample');
  return file === undefined ? undefined : { file, useTimes, fileOfTable: values.get(table.sampleFileOfTable) };
}

/** Options behind the tag list of CREATE TABLE. */
function readOptions(section: Section, columns: SuperTablePlan['columns']): readonly string[] {
  const options: string[] = [];
  const comment = section.get(table.comment);
  if (comment !== undefined) options.push(`COMMENT ${quotedText(comment)}`);
  for (const setting of [table.delay, table.fileFactor, table.rollup, table.maxDelay, table.watermark]) {
    const text = section.get(setting);
    if (text === undefined || text === '') continue;
    options.push(`${setting.keys[0]?.toUpperCase()} ${setting === table.rollup ? `(${text})` : text}`);
  }
  const sma = columns.filter((column) => column.sma).map((column) => quotedName(column.name));
  if (sma.length > 0) options.push(`SMA(${sma.join(',')})`);
  return options;
}

function readTsma(section: Section): readonly TsmaPlan[] {
  const [name, text, interval, sliding] = [tsma.name, tsma.function, tsma.interval, tsma.sliding].map((setting) =>
    required(section, setting, 'a text'),
  );
  if (name === undefined || text === undefined || interval === undefined || sliding === undefined) return [];
  return [{ name, function: text, interval, sliding, ...section.all(tsma, 'custom', 'startWhenInserted') }];
}

/** Reads `start_timestamp`: `now`, a timestamp text, or ticks of the database's precision. */
function readStart(section: Section, precision: Precision, input: LoadInput): bigint {
  const now = BigInt(input.nowMs) * BigInt(ticksPerSecond(precision) / 1000);
  const node = section.get(table.start);
  if (node === undefined) return now;
  if (node.kind !== 'string' && node.kind !== 'number') {
    section.refuse(table.start, `expected a text or a number, found ${kindOf(node)}`);
    return now;
  }
  const text = node.text.trim();
  if (text.toLowerCase() === 'now') return now;
  if (/^-?\d+$/.test(text)) {
    if (node.kind === 'string') section.warn(table.start, 'is a text of digits; it is taken as a number of ticks');
    const ticks = BigInt(text);
    if (BigInt.asIntN(64, ticks) === ticks) return ticks;
  }
  const ticks = input.parseTime(text, precision);
  if (ticks === undefined) section.refuse(table.start, `failed to parse time ${JSON.stringify(text)}`);
  return ticks ?? now;
}

/** Time of the first row of a command line: 2017-07-14 02:40:00 UTC, as with other tools of this kind. */
const usualStart = 1_500_000_000_000;
const msPerDay = 86_400_000;
/** Rows of a run begin so many days before the database drops them, at least. */
const spareDays = 60;

/**
 * The start of a command line: that of its argument, or the usual one. Once a new database no longer keeps that, rows
 * begin on 1 January five years ago, so that all runs of one year begin at the same time.
 */
export function argumentStart(values: Values, { nowMs }: LoadInput): bigint {
  const text = values.get(table.startArgument);
  if (text !== undefined) return BigInt(text);
  if (usualStart >= nowMs - (defaultKeepDays - spareDays) * msPerDay) return BigInt(usualStart);
  return BigInt(Date.UTC(new Date(nowMs).getUTCFullYear() - 5, 0, 1));
}
