import type { Precision } from '../../../model/schema.js';
import { quotedName, quotedText } from '../../../text/quoted-name.js';
import {
  type Attempts,
  type InsertMode,
  isSchemaless,
  type SamplePlan,
  type SuperTablePlan,
  type TsmaPlan,
} from '../../model/scenario.js';
import { general } from '../keys/general.js';
import { insert } from '../keys/insert.js';
import type { Setting, Values } from '../keys/setting.js';
import { table, tsma } from '../keys/table.js';
import { readChildren } from './children.js';
import { readFields } from './fields.js';
import type { LoadInput } from './request.js';
import { lostTimes, tableMistakes, timeMistakes } from './rules.js';
import type { Section } from './section.js';
import { readStart } from './start.js';

/** Reads one entry of `super_tables`. What is wrong with it is in the report; the plan is whole all the same. */
export function readSuperTable(
  section: Section,
  home: { readonly precision: Precision; readonly drop: boolean },
  input: LoadInput,
): SuperTablePlan {
  if (!section.has(table.name)) section.missing(table.name, 'the name of the super table');
  const columns = readColumns(section);
  const tags = readFields(section, table.tags, 'tag');
  const normalTables = (section.get(table.tags)?.length ?? 0) === 0;
  const asked = readInterface(section);
  const sample = readSample(section);
  const rows = readRows(section, sample);
  const plan: SuperTablePlan = {
    name: section.get(table.name) ?? '',
    normalTables,
    columns,
    tags,
    options: readOptions(section, columns),
    ...readChildren(section, home.drop, asked.mode, normalTables),
    tagsFile: onlyFor(section, table.tagsFile, asked.mode, ['taosc', 'rest', 'stmt']),
    ...asked,
    tcpPort: readTcpPort(section, asked),
    rows,
    ...readRequests(section),
    nonStop: readNonStop(section, rows),
    partialColumns: readPartial(section, asked.mode, columns.length),
    maxSqlBytes: section.get(table.maxSqlBytes),
    start: readStart(section, home.precision, input),
    ...readTimes(section),
    randomPerTable: false,
    sample,
    failure: section.get(general.failure),
    attempts: readAttempts(section),
    tsmas: section.sections(table.tsmas, 'tsma').flatMap(readTsma),
  };
  if (section.has(table.name) && columns.length > 0) reportMistakes(section, plan, home.precision);
  return plan;
}

/** Content of requests, and how their rows follow each other. */
export function readRequests(values: Values) {
  const interlaceRows = values.get(insert.interlaceRows);
  const insertIntervalMs = values.get(insert.insertInterval);
  const isUseless = interlaceRows === 0 && insertIntervalMs > 0;
  if (isUseless) values.inform(insert.insertInterval, 'has no effect without interlaced rows');
  return {
    escapeNames: values.get(insert.escapeNames),
    rowsPerRequest: values.get(insert.rowsPerRequest),
    interlaceRows,
    insertIntervalMs: isUseless ? 0 : insertIntervalMs,
    preparedRows: values.get(insert.preparedRows),
    chinese: values.get(insert.chinese),
  };
}

/** Steps between the times of rows. */
export function readTimes(values: Values) {
  const step = values.get(table.step);
  return {
    step: typeof step === 'bigint' ? step : BigInt(Math.trunc(step)),
    disorderRatio: values.get(table.disorderRatio),
    disorderRange: values.get(table.disorderRange),
  };
}

export function readAttempts(values: Values): Attempts {
  return { more: values.get(insert.keepTrying), intervalMs: values.get(insert.tryingInterval) };
}

/** The path of the rows; of a word that is none the default. */
export function readInterface(values: Values): LoadInterface {
  const text = values.get(table.mode);
  const way = loadInterfaceOf(text);
  if (way === undefined) {
    values.refuse(table.mode, `${JSON.stringify(text)} is not supported; allowed: taosc, stmt, rest, sml, sml-rest`);
    return { mode: 'taosc', format: 'line' };
  }
  if (!values.has(table.lineProtocol)) return way;
  if (!isSchemaless(way.mode)) values.inform(table.lineProtocol, `has no effect on the insert mode ${way.mode}`);
  return { mode: way.mode, format: values.get(table.lineProtocol) };
}

/** 0 is all: nothing was asked for, or as many as there are. */
export function readPartial(values: Values, mode: InsertMode, columns: number): number {
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
  if (value === undefined || value === '' || modes.includes(mode)) return value === '' ? undefined : value;
  values.warn(setting, `has no effect on the insert mode ${mode}`);
  return undefined;
}

function readColumns(section: Section): SuperTablePlan['columns'] {
  const columns = readFields(section, table.columns, 'column');
  if (!section.has(table.columns)) section.missing(table.columns, 'an array with the data columns');
  else if (section.lengthOf(table.columns) === 0) section.refuse(table.columns, 'is empty');
  return columns;
}

function reportMistakes(section: Section, plan: SuperTablePlan, precision: Precision): void {
  for (const mistake of [...tableMistakes(plan), ...timeMistakes(plan, precision)]) section.refuse(undefined, mistake);
  const lost = lostTimes(plan, precision);
  if (lost !== undefined) section.warn(undefined, lost);
}

function readTcpPort(section: Section, { mode, format }: LoadInterface): number | undefined {
  const node = section.get(table.tcpTransfer);
  if (node === undefined) return undefined;
  const word =
    node.kind === 'string' ? node.text.trim().toLowerCase() : node.kind === 'boolean' ? String(node.value) : '';
  if (['http', 'no', 'false', ''].includes(word) && node.kind !== 'number') return undefined;
  if (!['tcp', 'yes', 'true'].includes(word)) {
    return section.refuse(table.tcpTransfer, 'is not supported; allowed: http, tcp, yes, no');
  }
  if (mode !== 'sml-rest' || format !== 'telnet') {
    section.warn(table.tcpTransfer, 'has an effect on telnet lines of the insert mode sml-rest only');
    return undefined;
  }
  const port = section.get(insert.tcpPort);
  const note = `the listener on port ${port} writes to a database of its own choice`;
  section.inform(table.tcpTransfer, note);
  return port;
}

/** With times from the file the file says how many rows there are; 0 would still write none. */
function readRows(section: Section, sample: SamplePlan | undefined): number {
  const rows = section.get(table.rows);
  return sample?.useTimes === true ? Math.max(1, rows) : rows;
}

function readNonStop(section: Section, rows: number): boolean {
  const nonStop = section.get(table.nonStop);
  if (nonStop && rows === 0) section.refuse(table.nonStop, 'needs insert_rows to be positive');
  return nonStop;
}

function readSample(section: Section): SamplePlan | undefined {
  const useTimes = section.get(table.useSampleTimes);
  section.get(table.sampleFormat);
  if (section.get(table.dataSource) !== 'sample') {
    const useless = [table.sampleFile, table.sampleFileOfTable].filter((setting) => section.has(setting));
    for (const setting of useTimes ? [...useless, table.useSampleTimes] : useless) {
      section.inform(setting, 'has no effect without "data_source": "sample"');
    }
    return undefined;
  }
  const file = section.required(table.sampleFile, 'a CSV file, because data_source is sample');
  return file === undefined
    ? undefined
    : { file, useTimes, fileOfTable: section.get(table.sampleFileOfTable) || undefined };
}

/** Options behind the tag list of CREATE TABLE. */
function readOptions(section: Section, columns: SuperTablePlan['columns']): readonly string[] {
  const options: string[] = [];
  const comment = section.get(table.comment);
  if (comment !== undefined) options.push(`COMMENT ${quotedText(comment)}`);
  for (const setting of [table.delay, table.fileFactor, table.rollup, table.maxDelay, table.watermark]) {
    const text = section.get(setting);
    if (text === undefined || text === '') continue;
    options.push(`${setting.key?.toUpperCase()} ${setting === table.rollup ? `(${text})` : text}`);
  }
  const sma = columns.filter((column) => column.sma).map((column) => quotedName(column.name));
  if (sma.length > 0) options.push(`SMA(${sma.join(',')})`);
  return options;
}

function readTsma(section: Section): readonly TsmaPlan[] {
  const name = section.required(tsma.name, 'a text');
  const text = section.required(tsma.function, 'a text');
  const interval = section.required(tsma.interval, 'a text');
  const sliding = section.required(tsma.sliding, 'a text');
  if (name === undefined || text === undefined || interval === undefined || sliding === undefined) return [];
  const custom = section.get(tsma.custom);
  return [{ name, function: text, interval, sliding, custom, startWhenInserted: section.get(tsma.startWhenInserted) }];
}

type LoadInterface = Pick<SuperTablePlan, 'mode' | 'format'>;

const modes: Readonly<Record<string, InsertMode>> = {
  taosc: 'taosc',
  rest: 'rest',
  stmt: 'stmt',
  stmt2: 'stmt',
  sml: 'sml',
  'sml-rest': 'sml-rest',
};

/** A path of rows by the name `-I` or `insert_mode` has for it, in any case: `stmt`, `sml-json`, `sml-rest-telnet`, …. */
function loadInterfaceOf(text: string): LoadInterface | undefined {
  const name = text.trim().toLowerCase();
  const plain = Object.hasOwn(modes, name) ? modes[name] : undefined;
  if (plain !== undefined) return { mode: plain, format: 'line' };
  const [, mode, word = ''] = /^(sml|sml-rest)-([a-z]+)$/.exec(name) ?? [];
  if (word !== 'line' && word !== 'telnet' && word !== 'json' && word !== 'taosjson') return undefined;
  return { mode: mode === 'sml' ? 'sml' : 'sml-rest', format: word };
}
