import type { Precision } from '../../model/schema.js';
import { isSchemaless, type SamplePlan, type SuperTablePlan, type TsmaPlan } from '../model/scenario.js';
import { type ChildRange, readChildren } from './file-children.js';
import { readFields } from './file-fields.js';
import { readStart } from './file-start.js';
import { type LoadInterface, loadInterfaceOf, schemalessFormatOf } from './interface.js';
import type { LoadInput, LoadNote } from './request.js';
import type { Section } from './section.js';
import { tsmaKeys } from './super-table-keys.js';
import { lostTimes, maxSqlBytes, roundPause, tableMistakes, timeMistakes } from './table-rules.js';

/** Settings of the top level that super tables fall back to. */
export interface TableDefaults
  extends Pick<
    SuperTablePlan,
    | 'escapeNames'
    | 'interlaceRows'
    | 'insertIntervalMs'
    | 'rowsPerRequest'
    | 'preparedRows'
    | 'chinese'
    | 'failure'
    | 'attempts'
  > {
  readonly childRange: ChildRange;
  readonly tcpPort: number;
}

/** The database that a super table is in. */
export interface TableHome {
  readonly precision: Precision;
  readonly drop: boolean;
}

const maxDisorder = 50;

/** Reads one entry of `super_tables`. What is wrong with it is in the report; the plan is whole all the same. */
export function readSuperTable(
  section: Section,
  defaults: TableDefaults,
  home: TableHome,
  input: LoadInput,
  notes: LoadNote[],
): SuperTablePlan {
  const name = section.text('name') ?? '';
  if (!section.has('name')) section.missing('name', 'the name of the super table');
  const columns = readColumns(section);
  const tags = readFields(section, 'tags', 'tag');
  const normalTables = (section.list('tags')?.length ?? 0) === 0;
  const asked = readInterface(section);
  const children = readChildren(section, defaults.childRange, home.drop, asked.mode, normalTables);
  const sample = readSample(section);
  const rows = readRows(section, sample);
  const interlaceRows = section.integer('interlace_rows') ?? defaults.interlaceRows;
  const insertIntervalMs = section.integer('insert_interval') ?? defaults.insertIntervalMs;
  const plan: SuperTablePlan = {
    name,
    normalTables,
    escapeNames: section.yesNo('escape_character') ?? defaults.escapeNames,
    columns,
    tags,
    options: readOptions(section, columns),
    ...children,
    tagsFile: readTagsFile(section, asked),
    ...asked,
    tcpPort: readTcpPort(section, asked, defaults.tcpPort),
    rows,
    rowsPerRequest: defaults.rowsPerRequest,
    interlaceRows,
    insertIntervalMs: roundPause(insertIntervalMs, interlaceRows, section.path, notes),
    nonStop: readNonStop(section, rows),
    partialColumns: readPartial(section, asked, columns.length),
    maxSqlBytes: section.integer('max_sql_len') ?? maxSqlBytes,
    start: readStart(section, home.precision, input),
    step: readStep(section),
    disorderRatio: readDisorder(section),
    disorderRange: section.integer('disorder_range') ?? 1000,
    preparedRows: defaults.preparedRows,
    randomPerTable: false,
    chinese: defaults.chinese,
    sample,
    failure: failureOf(section.text('continue_if_fail')) ?? defaults.failure,
    attempts: readAttempts(section, defaults.attempts),
    tsmas: section.sections('tsmas', tsmaKeys).flatMap(readTsma),
  };
  if (section.has('name') && columns.length > 0) reportMistakes(section, plan, home.precision);
  return plan;
}

function readColumns(section: Section): SuperTablePlan['columns'] {
  const columns = readFields(section, 'columns', 'column');
  if (!section.has('columns')) section.missing('columns', 'an array with the data columns');
  else if (section.list('columns')?.length === 0) section.refuse('columns', 'is empty');
  return columns;
}

function reportMistakes(section: Section, plan: SuperTablePlan, precision: Precision): void {
  for (const mistake of [...tableMistakes(plan), ...timeMistakes(plan, precision)]) section.refuse(undefined, mistake);
  const lost = lostTimes(plan, precision);
  if (lost !== undefined) section.warn(undefined, lost);
}

/** The three words of `continue_if_fail`. */
export function failureOf(text: string | undefined): SuperTablePlan['failure'] | undefined {
  return text === 'no' || text === 'yes' || text === 'smart' ? text : undefined;
}

/** `keep_trying` and `trying_interval`; what is not given, or 0 tries, is as in `defaults`. */
export function readAttempts(section: Section, defaults: SuperTablePlan['attempts']): SuperTablePlan['attempts'] {
  const intervalMs = section.integer('trying_interval') ?? defaults.intervalMs;
  const node = section.any('keep_trying');
  if (node === undefined || node.kind === 'null') return { more: defaults.more, intervalMs };
  const word =
    node.kind === 'string' ? node.text.trim().toLowerCase() : node.kind === 'boolean' ? String(node.value) : '';
  if (word === 'no' || word === 'false') return { more: 0, intervalMs };
  if (word === 'yes' || word === 'true') return { more: Number.POSITIVE_INFINITY, intervalMs };
  const text = node.kind === 'number' ? node.text : word;
  const more = /^-?\d+(\.\d+)?$/.test(text) ? Math.trunc(Number(text)) : Number.NaN;
  if (Number.isNaN(more)) {
    section.refuse('keep_trying', 'expected a number, "yes" or "no"');
    return { more: defaults.more, intervalMs };
  }
  return { more: more < 0 ? Number.POSITIVE_INFINITY : more === 0 ? defaults.more : more, intervalMs };
}

function readInterface(section: Section): LoadInterface {
  const text = section.text('insert_mode') ?? 'taosc';
  const found = loadInterfaceOf(text);
  if (found === undefined) {
    section.refuse(
      'insert_mode',
      `${JSON.stringify(text)} is not supported; allowed: taosc, stmt, rest, sml, sml-rest`,
    );
    return { mode: 'taosc', format: 'line' };
  }
  const protocol = section.text('line_protocol');
  if (protocol === undefined) return found;
  if (!isSchemaless(found.mode)) section.inform('line_protocol', `has no effect on the insert mode ${found.mode}`);
  return { mode: found.mode, format: schemalessFormatOf(protocol) ?? found.format };
}

function readTcpPort(section: Section, { mode, format }: LoadInterface, port: number): number | undefined {
  const node = section.any('tcp_transfer');
  if (node === undefined || node.kind === 'null') return undefined;
  const word =
    node.kind === 'string' ? node.text.trim().toLowerCase() : node.kind === 'boolean' ? String(node.value) : '';
  if (['http', 'no', 'false', ''].includes(word) && node.kind !== 'number') return undefined;
  if (!['tcp', 'yes', 'true'].includes(word)) {
    return section.refuse('tcp_transfer', 'is not supported; allowed: http, tcp, yes, no');
  }
  if (mode === 'sml-rest' && format === 'telnet') {
    section.inform(
      'tcp_transfer',
      `the listener on port ${port} writes to a database of its own choice, which must exist`,
    );
    return port;
  }
  section.warn('tcp_transfer', 'has an effect on telnet lines of the insert mode sml-rest only');
  return undefined;
}

/** With times from the file the file says how many rows there are; 0 would still write none. */
function readRows(section: Section, sample: SamplePlan | undefined): number {
  const rows = section.integer('insert_rows') ?? 0;
  return sample?.useTimes === true ? Math.max(1, rows) : rows;
}

function readNonStop(section: Section, rows: number): boolean {
  const nonStop = section.yesNo('non_stop_mode') ?? false;
  if (nonStop && rows === 0) section.refuse('non_stop_mode', 'needs insert_rows to be positive');
  return nonStop;
}

function readSample(section: Section): SamplePlan | undefined {
  const file = section.text('sample_file');
  const useTimes = section.yesNo('use_sample_ts') ?? false;
  const fileOfTable = section.text('childtable_sample_file');
  section.text('sample_format');
  if (section.text('data_source') !== 'sample') {
    for (const key of ['sample_file', 'use_sample_ts', 'childtable_sample_file']) {
      const matters = key === 'use_sample_ts' ? useTimes : section.has(key);
      if (matters) section.inform(key, 'has no effect without "data_source": "sample"');
    }
    return undefined;
  }
  if (file === undefined || file === '') {
    return section.missing('sample_file', 'a CSV file, because data_source is sample');
  }
  return { file, useTimes, fileOfTable: fileOfTable === '' ? undefined : fileOfTable };
}

function readTagsFile(section: Section, { mode }: LoadInterface): string | undefined {
  const file = section.text('tags_file');
  if (file === undefined || file === '') return undefined;
  if (mode === 'taosc' || mode === 'rest') return file;
  section.warn('tags_file', `has no effect on the insert mode ${mode}`);
  return undefined;
}

/** 0 is all. */
function readPartial(section: Section, { mode }: LoadInterface, columns: number): number {
  const partial = section.integer('partial_col_num') ?? 0;
  if (partial === 0 || partial >= columns) return 0;
  if (mode === 'taosc' || mode === 'rest') return partial;
  section.warn('partial_col_num', `has no effect on the insert mode ${mode}`);
  return 0;
}

function readStep(section: Section): bigint {
  const step = section.exact('timestamp_step') ?? 1;
  if (step >= 1) return typeof step === 'bigint' ? step : BigInt(Math.trunc(step));
  section.refuse('timestamp_step', `${step} is out of range; allowed: 1 or more`);
  return 1n;
}

function readDisorder(section: Section): number {
  const ratio = section.integer('disorder_ratio') ?? 0;
  if (ratio >= 0 && ratio <= maxDisorder) return ratio;
  const used = ratio < 0 ? 0 : maxDisorder;
  section.warn('disorder_ratio', `${ratio} is out of range, allowed is 0 to ${maxDisorder}; ${used} is used`);
  return used;
}

/** What follows the tag list of CREATE TABLE. */
function readOptions(section: Section, columns: SuperTablePlan['columns']): readonly string[] {
  const options: string[] = [];
  const comment = section.text('comment');
  if (comment !== undefined) options.push(`COMMENT '${comment.replaceAll("'", "''")}'`);
  for (const key of ['delay', 'file_factor', 'rollup', 'max_delay', 'watermark']) {
    const text = section.text(key);
    if (text !== undefined && text !== '')
      options.push(`${key.toUpperCase()} ${key === 'rollup' ? `(${text})` : text}`);
  }
  const sma = columns.filter((column) => column.sma).map((column) => `\`${column.name}\``);
  if (sma.length > 0) options.push(`SMA(${sma.join(',')})`);
  return options;
}

function readTsma(section: Section): readonly TsmaPlan[] {
  const [name, text, interval, sliding] = ['name', 'function', 'interval', 'sliding'].map((key) => {
    const value = section.text(key);
    return value === undefined || value === '' ? section.missing(key, 'a text') : value;
  });
  const custom = section.text('custom') ?? '';
  const startWhenInserted = section.integer('start_when_inserted') ?? 0;
  if (name === undefined || text === undefined || interval === undefined || sliding === undefined) return [];
  return [{ name, function: text, interval, sliding, custom, startWhenInserted }];
}
