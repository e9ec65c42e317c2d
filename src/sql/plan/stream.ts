import { Codes } from '../../model/fault.js';
import { type ColumnDef, type DataType, dataType, type Precision } from '../../model/schema.js';
import type { Expression, FromItem, Name, PartitionItem, Select, SelectItem, Span, WindowClause } from '../ast.js';
import type { Statement } from '../ast-statement.js';
import { findFunction, isAggregate, isRandom, isSeries } from '../functions/registry.js';
import { illegalColumnCount } from '../insert/faults.js';
import { quoteString } from '../print/quote.js';
import type { BlockColumn } from '../print/result.js';
import { findTable, type QueryContext, refuse, type TableTarget } from '../resolve/context.js';
import { mentions } from '../resolve/expression.js';
import { mapParts, queriesIn, queriesOf } from '../resolve/nested-queries.js';
import { isText, Uses, unsignedType, type Value } from '../resolve/value.js';
import { cellNumberAt, startOfCellAt } from './grid.js';
import { blockValue, type InsertSelectPlan, storableRows, type TimeRange, type Wanted } from './insert-select.js';
import { type PlannedBlock, Planner } from './query.js';
import { type IntervalWindows, intervalWindows } from './window.js';

export type CreateStream = Extract<Statement, { kind: 'create-stream' }>;

/** The tag that tells groups apart where the statement names none (SQL reference, 2.7). */
export const groupTag = 'group_id';

/** How the results of a stream's query belong to its rows. */
export type StreamWindows =
  /** Windows of time, the same whatever the rows are. */
  | { readonly kind: 'interval'; readonly intervals: IntervalWindows; readonly length: WindowReach }
  /** Windows that the rows of a series make; a row is in `overlap` of them at most. */
  | { readonly kind: 'rows'; readonly overlap: number }
  /** One result a row. */
  | { readonly kind: 'none' };

/** Ticks that decide which windows an instant belongs to. */
export interface WindowReach {
  /** Start of the first window that holds an instant, and of the last one. */
  firstStart(ticks: bigint): bigint;
  lastStart(ticks: bigint): bigint;
  /** A tick behind the end of every window that holds an instant. */
  behind(ticks: bigint): bigint;
}

/** The query of a stream, checked. */
export interface StreamQuery {
  readonly select: Select;
  /** The table it reads. */
  readonly source: TableTarget;
  readonly database: string;
  readonly precision: Precision;
  readonly windows: StreamWindows;
  /** Result columns; the first is the time. */
  readonly columns: readonly { readonly name: string; readonly type: DataType }[];
  /** What PARTITION BY divides the rows by. */
  readonly keys: readonly { readonly names: readonly string[]; readonly type: DataType }[];
  /** Text that names the sub-table of a group; undefined where the statement leaves it to the service. */
  readonly subTable: Expression | undefined;
}

/** The super table that a stream makes for its results. */
export interface StreamTableShape {
  readonly timeColumn: string;
  readonly columns: readonly { readonly name: string; readonly type: DataType }[];
  readonly tags: readonly { readonly name: string; readonly type: DataType }[];
}

/** Longest name of a column, in bytes. */
const maxNameBytes = 64;

/** The refusal of a query that no stream can run (0x2645); `reason` says what it must not have. */
function invalid(reason: string): Error {
  return refuse(Codes.invalidStreamQuery, `Invalid stream query: ${reason}`);
}

/** Checks the query of CREATE STREAM and finds out what its results are. Throws the fault of what a stream cannot run. */
export function streamQuery(statement: CreateStream, context: QueryContext): StreamQuery {
  const written = plainSelect(statement);
  const { table } = written.from;
  const { target: source, precision } = findTable(table, context);
  const select = withTime(written, source);
  const keys = select.partitionBy;
  checkSeries(select, source);
  checkKeys(select, source);
  const named = statement.subTable && withoutAliases(statement.subTable, keys);
  const block = streamBlock({ select, subTable: named }, context);
  const columns = block.columns.slice(0, block.columns.length - keys.length - (select.window === undefined ? 1 : 2));
  checkColumns(columns, select);
  return {
    select,
    source,
    database: table.database?.text ?? context.database ?? '',
    precision,
    windows: windowsOf(select.window, precision, context.connectionZone),
    columns,
    keys: keys.map((key, at) => ({
      names: namesOf(key),
      type: block.columns[columns.length + at]?.type ?? dataType('VARCHAR', 1),
    })),
    subTable: named,
  };
}

type StreamSelect = Select & { readonly from: Extract<FromItem, { kind: 'table' }> };

/** What a stream can run at all: one SELECT over one table, whose results depend on rows alone. */
function plainSelect({ query, subTable }: CreateStream): StreamSelect {
  if (query.kind !== 'select') throw invalid('UNION is not supported');
  const { from } = query;
  if (from?.kind !== 'table') throw invalid('it reads one table, without joins and subqueries');
  const { window } = query;
  const unsupported: Readonly<Record<string, boolean>> = {
    DISTINCT: query.distinct,
    'SELECT TAGS': query.tags,
    RANGE: query.range !== undefined,
    'GROUP BY': query.groupBy.length > 0,
    HAVING: query.having !== undefined,
    'ORDER BY': query.orderBy.length > 0,
    SLIMIT: query.slimit !== undefined,
    LIMIT: query.limit !== undefined,
    FILL: window?.kind === 'interval' && (window.fill?.mode ?? 'NONE') !== 'NONE',
    'an AUTO offset': window?.kind === 'interval' && window.offset === 'AUTO',
    'a query in an expression':
      queriesIn(query).length > 0 || (subTable !== undefined && queriesOf(subTable).length > 0),
  };
  for (const [what, isThere] of Object.entries(unsupported)) {
    if (isThere) throw invalid(`${what} is not supported`);
  }
  checkExpressions(query);
  if (subTable !== undefined && mentions(subTable, isAggregate))
    throw invalid('SUBTABLE names columns of PARTITION BY only');
  return { ...query, from };
}

/** Functions whose results are not one a window, or differ from one evaluation to the next. */
function checkExpressions({ items, where, partitionBy, window }: Select): void {
  const everything = [...items, ...partitionBy].map(({ value }) => value);
  if (where !== undefined) everything.push(where);
  if (window?.kind === 'state') everything.push(window.value);
  if (window?.kind === 'event') everything.push(window.start, window.end);
  for (const expression of everything) {
    mentions(expression, (name) => {
      if (name === 'NOW' || name === 'TODAY' || isRandom(name)) throw invalid(`${name} is not supported`);
      if (isSeries(name) || name === 'INTERP' || givesManyRows(name)) {
        throw invalid(`function ${name.toLowerCase()} is not supported`);
      }
      return false;
    });
    if (namesColumn(expression, queryLimitColumns)) throw invalid('_qstart, _qend and _qduration are not supported');
  }
}

const queryLimitColumns: ReadonlySet<string> = new Set(['_qstart', '_qend', '_qduration']);

function givesManyRows(name: string): boolean {
  if (!isAggregate(name)) return false;
  const spec = findFunction(name);
  return spec.kind === 'aggregate' && spec.manyRows === true;
}

function namesColumn(expression: Expression, names: ReadonlySet<string>): boolean {
  let found = expression.kind === 'column' && names.has(expression.name.text);
  mapParts(expression, (part) => {
    found ||= namesColumn(part, names);
    return part;
  });
  return found;
}

/** Windows begin their rows with `_wstart`, whether the statement says so or not (SQL reference, 2.7). */
function withTime(select: StreamSelect, source: TableTarget): StreamSelect {
  const first = select.items[0]?.value;
  const named = first?.kind === 'column' ? first.name.text : undefined;
  if (select.window !== undefined) {
    if (named === '_wstart') return select;
    return { ...select, items: [itemOf(columnNamed('_wstart', select.span), '_wstart'), ...select.items] };
  }
  const isTime = named === source.table.timeColumn || named === '_rowts' || named === '_c0' || first?.kind === 'star';
  if (!isTime) throw invalid('without windows its first column is the timestamp of the rows');
  if (select.items.some(({ value }) => mentions(value, isAggregate))) throw invalid('aggregates need a window');
  return select;
}

/** Rows of several series have one place each only when the series are kept apart. */
function checkSeries({ window, partitionBy }: Select, source: TableTarget): void {
  if (source.kind !== 'super' || window?.kind === 'interval') return;
  if (partitionBy.some(({ value }) => value.kind === 'column' && value.name.text === 'tbname')) return;
  throw invalid('over a super table it needs PARTITION BY tbname, or INTERVAL windows');
}

/** Windows that rows make are brought up to date series by series, so a group is all rows of its series. */
function checkKeys({ window, partitionBy }: Select, { table }: TableTarget): void {
  if (window === undefined || window.kind === 'interval') return;
  const columns = new Set([table.timeColumn, '_c0', '_rowts', ...table.columns.map(({ name }) => name)]);
  if (!partitionBy.some(({ value }) => namesColumn(value, columns))) return;
  throw invalid('its windows can be divided by tbname and tags only');
}

function checkColumns(columns: readonly BlockColumn[], { window }: Select): void {
  if (columns[0]?.type.name !== 'TIMESTAMP') throw invalid('its first column is not a timestamp');
  if (columns.length < 2) throw invalid(window === undefined ? 'it selects no column' : 'it computes nothing');
}

/** True when a new row may take a result away: where rows make the windows, or an overwritten row may fall out of WHERE. */
export function resultsVanish({ query }: CreateStream): boolean {
  if (query.kind !== 'select') return false;
  return query.where !== undefined || (query.window !== undefined && query.window.kind !== 'interval');
}

function windowsOf(clause: WindowClause | undefined, precision: Precision, zone: string): StreamWindows {
  if (clause === undefined) return { kind: 'none' };
  if (clause.kind === 'count') {
    const sliding = clause.sliding ?? clause.size;
    return { kind: 'rows', overlap: Number((clause.size + sliding - 1n) / sliding) };
  }
  if (clause.kind !== 'interval') return { kind: 'rows', overlap: 1 };
  const intervals = intervalWindows(clause, precision, zone, undefined);
  const { grid } = intervals;
  const length: WindowReach = {
    firstStart: (ticks) => startOfCellAt(grid, intervals.firstAt(ticks)),
    lastStart: (ticks) => startOfCellAt(grid, cellNumberAt(grid, ticks)),
    behind: (ticks) => {
      const last = cellNumberAt(grid, ticks);
      return startOfCellAt(grid, last + (last - intervals.firstAt(ticks)) + 2n);
    },
  };
  return { kind: 'interval', intervals, length };
}

/** Names under which TAGS may ask for a key: its alias, or the column that it is. */
function namesOf({ value, alias }: PartitionItem): string[] {
  const own = value.kind === 'column' ? [value.name.text] : [];
  return alias === undefined ? own : [alias.text, ...own];
}

/** An expression over the keys in which their aliases are replaced by what they stand for. */
function withoutAliases(expression: Expression, keys: readonly PartitionItem[]): Expression {
  if (expression.kind === 'column' && expression.table === undefined) {
    const key = keys.find(({ alias }) => alias?.text === expression.name.text);
    return key?.value ?? expression;
  }
  return mapParts(expression, (part) => withoutAliases(part, keys));
}

const nowhere: Span = { start: 0, end: 0 };

function columnNamed(text: string, span: Span): Expression {
  const name: Name = { text, quoted: false, span };
  return { kind: 'column', table: undefined, name, span };
}

function itemOf(value: Expression, text: string): SelectItem {
  return { value, alias: undefined, text };
}

function keyItems(keys: readonly PartitionItem[]): SelectItem[] {
  return keys.map(({ value }, at) => itemOf(value, `key ${at}`));
}

/**
 * The super table that a stream makes when there is none: names and types of its columns from the statement or else from
 * the query. Throws a fault when the statement names another number of columns, or tags that PARTITION BY does not give.
 */
export function streamTableShape(
  statement: CreateStream,
  query: StreamQuery,
  typeOf: (tag: NonNullable<CreateStream['tags']>[number]) => DataType | undefined,
): StreamTableShape {
  const names = statement.columns?.map(({ text }) => text) ?? query.columns.map(({ name }) => cutName(name));
  if (names.length !== query.columns.length) throw illegalColumnCount();
  const [timeColumn = '', ...rest] = names;
  const columns = rest.map((name, at) => ({ name, type: storableType(query.columns[at + 1]?.type) }));
  const tags = (statement.tags ?? []).map((tag) => {
    const key = query.keys[keyOfTag(query, tag.name.text)];
    return { name: tag.name.text, type: typeOf(tag) ?? storableType(key?.type) };
  });
  return { timeColumn, columns, tags: tags.length > 0 ? tags : [{ name: groupTag, type: unsignedType }] };
}

function cutName(name: string): string {
  const bytes = Buffer.from(name);
  return bytes.length <= maxNameBytes ? name : bytes.toString('utf8', 0, maxNameBytes).replace(/\ufffd+$/, '');
}

function storableType(type: DataType | undefined): DataType {
  if (type === undefined || type.name === 'JSON') return dataType('VARCHAR', 4095);
  return isText(type) && type.length < 1 ? { ...type, length: 1 } : type;
}

function keyOfTag({ keys }: StreamQuery, tag: string): number {
  const at = keys.findIndex(({ names }) => names.includes(tag));
  if (at < 0) throw invalid(`PARTITION BY gives no value for tag ${tag}`);
  return at;
}

/** Which results are wanted. */
export interface StreamPiece {
  /** Conditions on the stored rows to read; engine SQL over their alias. */
  rows(alias: string): readonly string[];
  /**
   * Conditions on results; engine SQL over the time of a result, the end of its window, which is undefined without
   * windows, and the name of its sub-table.
   */
  results(time: string, end: string | undefined, subTable: string): readonly string[];
}

/** Plans the rows that a stream writes for one piece of its source; `name` makes groups of streams differ. */
export function planStream(
  statement: CreateStream,
  query: StreamQuery,
  piece: StreamPiece,
  name: string,
  context: QueryContext,
  timeRange: (database: string) => TimeRange,
): InsertSelectPlan {
  const { database, target, precision } = targetOf(statement, context);
  const block = streamBlock(query, { ...context, storedRows: (alias) => piece.rows(alias) });
  const value = (at: number): Value => blockValue(block.columns[at]);
  const { given, group } = givenValues(statement, query, target, value);
  const range = timeRange(database);
  const time = value(0).sql;
  const end = query.windows.kind === 'none' ? undefined : value(query.columns.length + query.keys.length + 1).sql;
  const named = query.subTable === undefined ? groupName(name, group) : value(query.columns.length + query.keys.length);
  // Windows that begin before the oldest row that is kept are left out: their rows are about to go too.
  const where = [`${time} >= ${range.min}`, ...piece.results(time, end, named.sql)];
  const wanted = [[{ kind: 'name' }, named] as const, ...given];
  const rows = { target, database, given: wanted, from: `(${block.sql}) AS b`, where };
  return storableRows(rows, { context, precision }, range);
}

/**
 * Engine SELECT that gives, for every sub-table of the source as `source`, the name of the sub-table of its results as
 * `target`. Only of streams whose groups are series.
 */
export function planGroups(query: StreamQuery, name: string, context: QueryContext): string {
  const { select, subTable } = query;
  const nothing: Expression = { kind: 'string', value: '', span: nowhere };
  const own = itemOf(columnNamed('tbname', nowhere), 'tbname');
  const items = [own, ...keyItems(select.partitionBy), itemOf(subTable ?? nothing, 'name')];
  const bare = { ...select, distinct: true, items, where: undefined, partitionBy: [], window: undefined };
  const block = new Planner(context).plan(bare);
  const value = (at: number): Value => blockValue(block.columns[at]);
  const keys = query.keys.map((_, at) => value(at + 1));
  const named = subTable === undefined ? groupName(name, groupHash(keys)) : value(keys.length + 1);
  return `SELECT ${value(0).sql} AS source, ${named.sql} AS target FROM (${block.sql}) AS b`;
}

function targetOf(
  { target: { database, name } }: CreateStream,
  context: QueryContext,
): { readonly database: string; readonly target: TableTarget; readonly precision: Precision } {
  const within = database?.text ?? context.database ?? '';
  const precision = context.precisionOf(within);
  const target = context.resolveTable(within, name.text);
  if (precision === undefined || target?.kind !== 'super') throw refuse(Codes.stableNotExist, 'STable not exist');
  return { database: within, target, precision };
}

/** The query with its keys, the name of the group's sub-table and the ends of windows behind the columns of the result. */
function streamBlock(
  { select, subTable }: Pick<StreamQuery, 'select' | 'subTable'>,
  context: QueryContext,
): PlannedBlock {
  const items = [...select.items, ...keyItems(select.partitionBy)];
  const nothing: Expression = { kind: 'string', value: '', span: nowhere };
  items.push(itemOf(subTable ?? nothing, 'name'));
  if (select.window !== undefined) items.push(itemOf(columnNamed('_wend', nowhere), 'end'));
  return new Planner(context).plan({ ...select, items });
}

function givenValues(
  { columns, tags }: CreateStream,
  query: StreamQuery,
  { table }: TableTarget,
  value: (at: number) => Value,
): { readonly given: (readonly [Wanted, Value])[]; readonly group: string } {
  const names = columns?.map(({ text }) => text) ?? [table.timeColumn, ...table.columns.map(({ name }) => name)];
  if (names.length !== query.columns.length) throw illegalColumnCount();
  const given: (readonly [Wanted, Value])[] = names.map((name, at) => [columnOf(name, table), value(at)]);
  if (!given.some(([{ kind }]) => kind === 'time')) throw invalid('the columns of its table leave out the timestamp');
  const group = groupHash(query.keys.map((_, at) => value(query.columns.length + at)));
  for (const { name } of tags ?? []) {
    given.push([tagOf(name.text, table.tags), value(query.columns.length + keyOfTag(query, name.text))]);
  }
  const own = tags === undefined ? table.tags.find(({ name }) => name === groupTag) : undefined;
  if (own !== undefined) given.push([{ kind: 'tag', column: own }, computedValue(`sipHash64(${group})`, unsignedType)]);
  return { given, group };
}

function columnOf(name: string, table: TableTarget['table']): Wanted {
  if (name === table.timeColumn) return { kind: 'time' };
  const column = table.columns.find((candidate) => candidate.name === name);
  if (column === undefined) throw refuse(Codes.invalidColumnName, `Invalid column name: ${name}`);
  return { kind: 'column', column };
}

function tagOf(name: string, tags: readonly ColumnDef[]): Wanted {
  const column = tags.find((candidate) => candidate.name === name);
  if (column === undefined) throw refuse(Codes.invalidTagName, `Invalid tag name: ${name}`);
  return { kind: 'tag', column };
}

function computedValue(sql: string, type: DataType): Value {
  return { sql, type, precision: 'ms', nullable: false, uses: Uses.row };
}

/** The keys of a group as one text that differs from that of every other group; engine SQL. */
function groupHash(keys: readonly Value[]): string {
  const texts = keys.map(({ sql }) => `ifNull(concat('=', toString(${sql})), '')`);
  return texts.length === 0 ? `''` : texts.length === 1 ? (texts[0] ?? '') : `toString(tuple(${texts.join(', ')}))`;
}

/** The name of a group's sub-table where the statement does not say. */
function groupName(stream: string, group: string): Value {
  const hash = `lower(hex(sipHash128(${quoteString(`${stream}\0`)}, ${group})))`;
  return computedValue(`concat('t_', ${hash})`, dataType('VARCHAR', 192));
}
