import { Codes, FaultError } from '../../model/fault.js';
import { noSuperTable, refusals } from '../../model/refusals.js';
import { type ColumnDef, type DataType, dataType, type Precision } from '../../model/schema.js';
import { maxColumnNameBytes } from '../../model/sent-name.js';
import { withoutTrailing } from '../../text/ends.js';
import { fromQuery, text } from '../engine/build.js';
import type { Expr } from '../engine/nodes.js';
import { printQuery } from '../engine/print.js';
import { expr } from '../engine/template.js';
import type { Expression } from '../syntax/ast.js';
import { type QueryContext, refuse, type TableTarget } from '../values/context.js';
import { isText, Uses, unsignedType, type Value } from '../values/value.js';
import { blockValue, type InsertSelectPlan, storableRows, type TimeRange, type Wanted } from './insert-select.js';
import { Planner } from './query.js';
import {
  type CreateStream,
  columnNamed,
  invalidStream,
  itemOf,
  keyItems,
  nowhere,
  type StreamQuery,
  streamBlock,
} from './stream-query.js';

/** The tag that distinguishes groups when the statement names none. */
const groupTag = 'group_id';

/** The super table that a stream makes for its results. */
interface StreamTableShape {
  readonly timeColumn: string;
  readonly columns: readonly { readonly name: string; readonly type: DataType }[];
  readonly tags: readonly { readonly name: string; readonly type: DataType }[];
}

/**
 * The super table that a stream makes when there is none: names and types of its columns from the statement or else
 * from the query. Throws a fault when the statement names another number of columns, or tags that PARTITION BY does not
 * give.
 */
export function streamTableShape(
  statement: CreateStream,
  query: StreamQuery,
  typeOf: (tag: NonNullable<CreateStream['tags']>[number]) => DataType | undefined,
): StreamTableShape {
  const names = statement.columns?.map(({ text }) => text) ?? query.columns.map(({ name }) => cutName(name));
  if (names.length !== query.columns.length) throw new FaultError(refusals.illegalColumnCount);
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
  return bytes.length <= maxColumnNameBytes
    ? name
    : withoutTrailing(bytes.toString('utf8', 0, maxColumnNameBytes), '\ufffd');
}

function storableType(type: DataType | undefined): DataType {
  if (type === undefined || type.name === 'JSON') return dataType('VARCHAR', 4095);
  return isText(type) && type.length < 1 ? { ...type, length: 1 } : type;
}

function keyOfTag({ keys }: StreamQuery, tag: string): number {
  const at = keys.findIndex(({ names }) => names.includes(tag));
  if (at < 0) throw invalidStream(`PARTITION BY gives no value for tag ${tag}`);
  return at;
}

/** Which results are wanted. */
export interface StreamPiece {
  /** Conditions on the stored rows to read, by their alias. */
  rows(alias: string): readonly Expr[];
  /**
   * Conditions on results, over the time of a result, the end of its window, which is undefined without
   * windows, and the name of its sub-table.
   */
  results(time: Expr, end: Expr | undefined, subTable: Expr): readonly Expr[];
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
  const { values, group } = givenValues(statement, query, target, value);
  const range = timeRange(database);
  const time = value(0).sql;
  const end = query.windows.kind === 'none' ? undefined : value(query.columns.length + query.keys.length + 1).sql;
  const named = query.subTable === undefined ? groupName(name, group) : value(query.columns.length + query.keys.length);
  // Windows that begin before the oldest retained row are left out: their rows are about to be removed, too.
  const where = [expr`${time} >= ${range.min}`, ...piece.results(time, end, named.sql)];
  const columns = [[{ kind: 'name' }, named] as const, ...values];
  const rows = { target, database, values: columns, from: fromQuery(block.query, 'b'), where };
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
  return printQuery({
    columns: [
      [value(0).sql, 'source'],
      [named.sql, 'target'],
    ],
    from: fromQuery(block.query, 'b'),
  });
}

function targetOf(
  { target: { database, name } }: CreateStream,
  context: QueryContext,
): { readonly database: string; readonly target: TableTarget; readonly precision: Precision } {
  const within = database?.text ?? context.database ?? '';
  const precision = context.precisionOf(within);
  const target = context.resolveTable(within, name.text);
  if (precision === undefined || target?.kind !== 'super') throw new FaultError(noSuperTable(name.text));
  return { database: within, target, precision };
}

function givenValues(
  { columns, tags }: CreateStream,
  query: StreamQuery,
  { table }: TableTarget,
  value: (at: number) => Value,
): { readonly values: (readonly [Wanted, Value])[]; readonly group: Expr } {
  const names = columns?.map(({ text }) => text) ?? [table.timeColumn, ...table.columns.map(({ name }) => name)];
  if (names.length !== query.columns.length) throw new FaultError(refusals.illegalColumnCount);
  const values: (readonly [Wanted, Value])[] = names.map((name, at) => [columnOf(name, table), value(at)]);
  if (!values.some(([{ kind }]) => kind === 'time'))
    throw invalidStream('the columns of its table leave out the timestamp');
  const group = groupHash(query.keys.map((_, at) => value(query.columns.length + at)));
  for (const { name } of tags ?? []) {
    values.push([tagOf(name.text, table.tags), value(query.columns.length + keyOfTag(query, name.text))]);
  }
  const own = tags === undefined ? table.tags.find(({ name }) => name === groupTag) : undefined;
  if (own !== undefined)
    values.push([{ kind: 'tag', column: own }, computedValue(expr`sipHash64(${group})`, unsignedType)]);
  return { values, group };
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

function computedValue(sql: Expr, type: DataType): Value {
  return { sql, type, precision: 'ms', nullable: false, uses: Uses.row };
}

/** The keys of a group as one text that differs from that of every other group; engine SQL. */
function groupHash(keys: readonly Value[]): Expr {
  const texts = keys.map(({ sql }) => expr`ifNull(concat('=', toString(${sql})), '')`);
  const [only, ...others] = texts;
  if (only === undefined) return text('');
  return others.length === 0 ? only : expr`toString(tuple(${texts}))`;
}

/** The name of a group's sub-table where the statement does not say. */
function groupName(stream: string, group: Expr): Value {
  const hash = expr`lower(hex(sipHash128(${text(`${stream}\0`)}, ${group})))`;
  return computedValue(expr`concat('t_', ${hash})`, dataType('VARCHAR', 192));
}
