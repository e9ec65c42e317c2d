import { Codes, type FaultError } from '../../model/fault.js';
import { type DataType, dataType, type Precision } from '../../model/schema.js';
import { findFunction, isAggregate, isRandom, isSeries } from '../functions/registry.js';
import { hasOver, mentions } from '../resolve/expression.js';
import { columnsIn } from '../resolve/mentioned.js';
import type {
  Expression,
  FromItem,
  Name,
  PartitionItem,
  Select,
  SelectItem,
  Span,
  WindowClause,
} from '../syntax/ast.js';
import type { StatementOf } from '../syntax/ast-statement.js';
import { expressionsIn, hasQuery, mapParts } from '../syntax/tree.js';
import { findTable, type QueryContext, refuse, type TableTarget } from '../values/context.js';
import { cellNumberAt, startOfCellAt } from '../values/grid.js';
import type { BlockColumn } from '../values/result.js';
import { Planner } from './query.js';
import type { PlannedBlock } from './rows/block.js';
import { type IntervalWindows, intervalWindows } from './window/window.js';

/** CREATE STREAM as parsed. */
export type CreateStream = StatementOf<'create-stream'>;

/** How the results of a stream's query belong to its rows. */
type StreamWindows =
  /** Windows of time, the same whatever the rows are. */
  | { readonly kind: 'interval'; readonly intervals: IntervalWindows; readonly length: WindowReach }
  /** Windows that the rows of a series make; a row is in `overlap` of them at most. */
  | { readonly kind: 'rows'; readonly overlap: number }
  /** One result a row. */
  | { readonly kind: 'none' };

/** Ticks that decide which windows an instant belongs to. */
interface WindowReach {
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
  /** The keys of PARTITION BY. */
  readonly keys: readonly { readonly names: readonly string[]; readonly type: DataType }[];
  /** Text that names the sub-table of a group; undefined where the statement leaves it to the service. */
  readonly subTable: Expression | undefined;
}

/** The refusal of what no stream can run (0x2645); `reason` says why. */
export function invalidStream(reason: string): FaultError {
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
  if (block.isRowsOfWindows === true)
    throw invalidStream('its windows give a row each: aggregates, not plain columns or functions over rows');
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

/** The plain form that a stream can run: one SELECT over one table, whose results depend on rows alone. */
function plainSelect({ query, subTable }: CreateStream): StreamSelect {
  if (query.kind !== 'select') throw invalidStream('UNION is not supported');
  const { from } = query;
  if (from?.kind !== 'table') throw invalidStream('it reads one table, without joins and subqueries');
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
    'a STATE_WINDOW that is extended': window?.kind === 'state' && isExtended(window.extend),
    EXTERNAL_WINDOW: window?.kind === 'external',
    'an AUTO offset': window?.kind === 'interval' && window.offset === 'AUTO',
    'a query in an expression': hasQuery([{ ...query, from: undefined }, subTable]),
  };
  for (const [what, isThere] of Object.entries(unsupported)) {
    if (isThere) throw invalidStream(`${what} is not supported`);
  }
  checkExpressions(query);
  if (subTable !== undefined && mentions(subTable, isAggregate))
    throw invalidStream('SUBTABLE names columns of PARTITION BY only');
  return { ...query, from };
}

/** True unless a state window ends with its own rows. */
function isExtended(extend: Expression | undefined): boolean {
  return extend !== undefined && !(extend.kind === 'integer' && extend.value === 0n);
}

/** Functions whose results are not one a window, or differ from one evaluation to the next. */
function checkExpressions({ items, where, partitionBy, window }: Select): void {
  const everything = [...items, ...partitionBy].map(({ value }) => value);
  if (where !== undefined) everything.push(where);
  if (window?.kind === 'state') everything.push(...window.values);
  if (window?.kind === 'event') everything.push(window.start, window.end);
  for (const expression of everything) {
    for (const part of expressionsIn(expression)) if (part.kind === 'call') checkCall(part.name, window);
    if (hasOver(expression)) throw invalidStream('OVER is not supported');
    if (namesColumn(expression, queryLimitColumns))
      throw invalidStream('_qstart, _qend and _qduration are not supported');
  }
}

function checkCall(name: string, window: WindowClause | undefined): void {
  if (name === 'NOW' || name === 'TODAY' || isRandom(name)) throw invalidStream(`${name} is not supported`);
  if (isSeries(name) || name === 'INTERP' || givesManyRows(name)) {
    throw invalidStream(`function ${name.toLowerCase()} is not supported`);
  }
  // A new row would change windows at any distance, which do not hold it.
  if (looksBeyondWindow(name, window)) {
    const which = window?.kind === 'interval' ? ' of INTERVAL' : '';
    throw invalidStream(`function ${name.toLowerCase()} looks at rows outside of its window${which}`);
  }
}

function looksBeyondWindow(name: string, window: WindowClause | undefined): boolean {
  if (!isAggregate(name) || window === undefined) return false;
  const spec = findFunction(name);
  if (spec.kind === 'series' || spec.kind === 'scalar') return false;
  return spec.beyondWindow === 'every' || (spec.beyondWindow === 'of-time' && window.kind === 'interval');
}

const queryLimitColumns: ReadonlySet<string> = new Set(['_qstart', '_qend', '_qduration']);

function givesManyRows(name: string): boolean {
  if (!isAggregate(name)) return false;
  const spec = findFunction(name);
  return spec.kind === 'aggregate' && spec.manyRows === true;
}

function namesColumn(expression: Expression, names: ReadonlySet<string>): boolean {
  return columnsIn(expression).some(({ name }) => names.has(name.text));
}

/** Windows begin their rows with `_wstart`, whether the statement says so or not. */
function withTime(select: StreamSelect, source: TableTarget): StreamSelect {
  const first = select.items[0]?.value;
  const named = first?.kind === 'column' ? first.name.text : undefined;
  if (select.window !== undefined) {
    if (named === '_wstart') return select;
    return { ...select, items: [itemOf(columnNamed('_wstart', select.span), '_wstart'), ...select.items] };
  }
  const isTime = named === source.table.timeColumn || named === '_rowts' || named === '_c0' || first?.kind === 'star';
  if (!isTime) throw invalidStream('without windows its first column is the timestamp of the rows');
  if (select.items.some(({ value }) => mentions(value, isAggregate))) throw invalidStream('aggregates need a window');
  return select;
}

/** Rows of several series have one place each only when the series are separate. */
function checkSeries({ window, partitionBy }: Select, source: TableTarget): void {
  if (source.kind !== 'super' || window?.kind === 'interval') return;
  if (partitionBy.some(({ value }) => value.kind === 'column' && value.name.text === 'tbname')) return;
  throw invalidStream('over a super table it needs PARTITION BY tbname, or INTERVAL windows');
}

/** Windows that rows make are brought up to date series by series, so a group is all rows of its series. */
function checkKeys({ window, partitionBy }: Select, { table }: TableTarget): void {
  if (window === undefined || window.kind === 'interval') return;
  const columns = new Set([table.timeColumn, '_c0', '_rowts', ...table.columns.map(({ name }) => name)]);
  if (!partitionBy.some(({ value }) => namesColumn(value, columns))) return;
  throw invalidStream('its windows can be divided by tbname and tags only');
}

function checkColumns(columns: readonly BlockColumn[], { window }: Select): void {
  if (columns[0]?.type.name !== 'TIMESTAMP') throw invalidStream('its first column is not a timestamp');
  if (columns.length < 2) throw invalidStream(window === undefined ? 'it selects no column' : 'it computes nothing');
}

/**
 * True when a new row may take a result away: where rows make the windows, or an overwritten row may fall out of WHERE or go
 * over to another group. `tags` names those of the source; without them, every key may be a column.
 */
export function resultsVanish({ query }: CreateStream, tags: readonly { readonly name: string }[] = []): boolean {
  if (query.kind !== 'select') return false;
  const { where, window, partitionBy } = query;
  const steady = new Set(['tbname', ...tags.map(({ name }) => name)]);
  const mayMove = partitionBy.some(({ value }) => value.kind !== 'column' || !steady.has(value.name.text));
  return where !== undefined || mayMove || (window !== undefined && window.kind !== 'interval');
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

/** Names under which TAGS may name a key: its alias, or the column that it is. */
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

/** Of expressions that no statement holds. */
export const nowhere: Span = { start: 0, end: 0 };

/** A bare name as an expression. */
export function columnNamed(text: string, span: Span): Expression {
  const name: Name = { text, quoted: false, span };
  return { kind: 'column', table: undefined, name, span };
}

/** An item of a select list; `text` is its name in the result. */
export function itemOf(value: Expression, text: string): SelectItem {
  return { value, alias: undefined, text };
}

/** The keys of PARTITION BY as items of a select list. */
export function keyItems(keys: readonly PartitionItem[]): SelectItem[] {
  return keys.map(({ value }, at) => itemOf(value, `key ${at}`));
}

/** The query with its keys, the name of the group's sub-table and the ends of windows behind the columns of the result. */
export function streamBlock(
  { select, subTable }: Pick<StreamQuery, 'select' | 'subTable'>,
  context: QueryContext,
): PlannedBlock {
  const items = [...select.items, ...keyItems(select.partitionBy)];
  const nothing: Expression = { kind: 'string', value: '', span: nowhere };
  items.push(itemOf(subTable ?? nothing, 'name'));
  if (select.window !== undefined) items.push(itemOf(columnNamed('_wend', nowhere), 'end'));
  return new Planner(context).plan({ ...select, items });
}
