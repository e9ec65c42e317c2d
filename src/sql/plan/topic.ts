import type { ColumnMeta } from '../../model/exchange.js';
import { Codes, FaultError } from '../../model/fault.js';
import { noSuperTable } from '../../model/refusals.js';
import { dataType, type Precision, typeLength, typeText } from '../../model/schema.js';
import { text } from '../engine/build.js';
import type { Expr, SelectColumn } from '../engine/nodes.js';
import { printQuery } from '../engine/print.js';
import {
  castToEngine,
  idColumn,
  keysBetween,
  keysSource,
  type RowKey,
  timeColumn,
  type Written,
  writtenAt,
  writtenBetween,
} from '../engine/storage.js';
import { expr } from '../engine/template.js';

import { isAggregate, isSeries } from '../functions/registry.js';
import { ExpressionTranslator, hasOver, mentions } from '../resolve/expression.js';
import { columnsIn, mentionedIn } from '../resolve/mentioned.js';
import { RowNames } from '../resolve/names.js';
import { type Relation, storedRelation } from '../resolve/relation.js';
import type { Expression, ObjectName, Query, Select } from '../syntax/ast.js';
import { hasQuery } from '../syntax/tree.js';
import { findTable, type QueryContext, refuse, systemDatabases, type TableTarget } from '../values/context.js';
import { columnForm, resultPrecision } from '../values/result.js';
import { isBinary, Uses } from '../values/value.js';
import { resultColumns } from './rows/block.js';
import { type Filter, sortFilter } from './rows/filter.js';
import { expandItems, type Item } from './rows/items.js';
import { scanRows } from './rows/scan.js';

/** The requested rows of a topic. */
export interface TopicRange extends Written {
  /** Only series whose id leaves this remainder; undefined is all of them. */
  readonly slice: TopicSlice | undefined;
  /** Only rows of these keys, see `keysBetween`. */
  readonly keys?: { readonly behind: RowKey | undefined; readonly upTo: RowKey | undefined };
}

/** One of `of` parts that the series of a table are dealt out to. */
export interface TopicSlice {
  readonly number: number;
  readonly of: number;
}

/** A condition on stored rows: that their series belongs to a slice. `alias` is empty where the rows have none. */
export function inSlice(alias: string, { number, of }: TopicSlice): Expr {
  return expr`modulo(${idColumn(alias)}, ${of}) = ${number}`;
}

/** Content that a topic delivers of one table: each stored row by itself. */
export interface TopicPlan {
  readonly target: TableTarget;
  readonly database: string;
  /** Columns and tags of the table that rows or conditions need. */
  readonly columns: readonly string[];
  readonly meta: readonly ColumnMeta[];
  /** The precision of its times in the form of columns. */
  readonly precision: Precision;
  /** Engine SELECT of the rows: the name of the sub-table (empty unless `withNames`), then the values. */
  rows(range: TopicRange, withNames: boolean, form?: TopicRowForm): string;
}

/**
 * Form of a topic's rows. `lines`: in the order of writing, times as ticks and binary values hexadecimal. `columns`:
 * every column Nullable, as {@link SqlAnswer} has them; with names the rows of a sub-table stand together, in the order
 * of writing.
 */
export type TopicRowForm = 'lines' | 'columns';

/**
 * Plans the query of a topic. Error 0x2639 unless it gives a row of its own for each row of one stored table: no
 * aggregates, windows, functions over series, joins, subqueries, slices, order or limits.
 */
export function planTopic(query: Query, context: QueryContext): TopicPlan {
  if (query.kind !== 'select' || hasOtherClauses(query) || hasQuery({ ...query, from: undefined }))
    throw invalidTopicQuery();
  if (query.from?.kind !== 'table') throw invalidTopicQuery();
  const { table, alias } = query.from;
  const plan = relationOf(table, alias?.text ?? table.name.text, context);
  const items = expandItems(query.items, plan.relation);
  if (items.some(({ value }) => hasOver(value) || mentions(value, isOverRows))) throw invalidTopicQuery();
  return planRows(plan, items, query.where, columnsOf(plan.relation, query, items), context);
}

/**
 * Plans a topic over a super table: the time and all data columns of rows whose sub-table meets a condition on tags.
 */
export function planTableTopic(table: ObjectName, where: Expression | undefined, context: QueryContext): TopicPlan {
  const plan = relationOf(table, table.name.text, context);
  if (plan.target.kind !== 'super') throw new FaultError(noSuperTable(table.name.text));
  if (where !== undefined && hasQuery(where)) throw invalidTopicQuery();
  const columns = where === undefined ? [] : namesIn(plan.relation, where);
  const planned = planRows(plan, dataItems(plan.relation), where, columns, context);
  if (planned.uses !== Uses.tags && planned.uses !== Uses.nothing) throw invalidTopicQuery();
  return planned;
}

/** Plans what a topic over a database delivers of one of its tables: the time and all data columns. */
export function planWholeTable(database: string, target: TableTarget, context: QueryContext): TopicPlan {
  const precision = context.precisionOf(database) ?? 'ms';
  const relation = storedRelation(target, precision, target.table.name, 1);
  return planRows({ target, database, relation }, dataItems(relation), undefined, [], context);
}

/** Columns of a topic's rows, as `ins_topics` shows them. */
export function topicSchema({ meta }: TopicPlan): string {
  return JSON.stringify(meta.map(({ name, type }) => ({ name, type: typeText(type), length: typeLength(type) })));
}

/** Of the column of names; longer than names are. */
const nameType = dataType('VARCHAR', 256);

interface Source {
  readonly target: TableTarget;
  readonly database: string;
  readonly relation: Relation;
}

function relationOf(table: ObjectName, qualifier: string, context: QueryContext): Source {
  const database = table.database?.text ?? context.database;
  if (database !== undefined && systemDatabases.includes(database)) throw invalidTopicQuery();
  const { target, precision } = findTable(table, context);
  return { target, database: database ?? '', relation: storedRelation(target, precision, qualifier, 1) };
}

function hasOtherClauses(select: Select): boolean {
  const { partitionBy, groupBy, orderBy } = select;
  const clauses = [select.range, select.window, select.having, select.slimit, select.limit];
  const lists = [partitionBy, groupBy, orderBy];
  return (
    select.distinct ||
    select.tags ||
    clauses.some((clause) => clause !== undefined) ||
    lists.some((list) => list.length > 0)
  );
}

function isOverRows(name: string): boolean {
  return isAggregate(name) || isSeries(name) || name === 'INTERP';
}

function invalidTopicQuery(): Error {
  return refuse(Codes.invalidTopicQuery, 'Invalid topic query');
}

function dataItems({ columns }: Relation): Item[] {
  const span = { start: 0, end: 0 };
  return columns
    .filter(({ tag }) => !tag)
    .map(({ name }) => {
      const value = { kind: 'column', table: undefined, name: { text: name, quoted: true, span }, span } as const;
      return { value, name, aliased: false };
    });
}

function columnsOf(relation: Relation, select: Select, items: readonly Item[]): string[] {
  const { names } = mentionedIn(select);
  const shown = new Set(items.flatMap(({ value }) => (value.kind === 'column' ? [value.name.text] : [])));
  return relation.columns.map(({ name }) => name).filter((name) => names.has(name) || shown.has(name));
}

function namesIn({ columns }: Relation, where: Expression): string[] {
  const names = new Set(columnsIn(where).map(({ name }) => name.text));
  return columns.map(({ name }) => name).filter((name) => names.has(name));
}

function planRows(
  { target, database, relation }: Source,
  items: readonly Item[],
  where: Expression | undefined,
  columns: readonly string[],
  context: QueryContext,
): TopicPlan & { readonly uses: number } {
  const env = { context, precision: relation.precision };
  const translator = new ExpressionTranslator(env, new RowNames(relation, invalidTopicQuery));
  const filter = sortFilter(where, translator);
  const values = items.map(({ value }) => translator.translate(value));
  const { columns: selected, shown } = resultColumns(items, values);
  const precision = resultPrecision(shown);
  const printed = (form: TopicRowForm): SelectColumn[] =>
    selected.map(([sql, alias], at) => {
      const own = shown[at];
      if (own === undefined) return [sql, alias];
      if (form === 'columns') return [columnForm(sql, own, precision), `p${at + 1}`];
      return [isBinary(own.type) ? expr`lower(hex(${sql}))` : sql, alias];
    });
  const wantsTags = values.some(({ uses }) => (uses & Uses.tags) !== 0);
  const { rowAlias, tbname } = relation;
  return {
    target,
    database,
    columns,
    meta: shown.map(({ name, type }) => ({ name, type })),
    uses: usesOf(filter),
    precision,
    rows: ({ slice, keys, ...written }, withNames, form = 'lines') => {
      const own = withNames ? (tbname?.sql ?? text('')) : text('');
      const name = form === 'columns' ? castToEngine(own, nameType) : own;
      const scan = scanRows(relation, filter, wantsTags || withNames, keysSource);
      const terms = [
        writtenBetween(rowAlias, written),
        ...(slice === undefined ? [] : [inSlice(rowAlias, slice)]),
        ...(keys === undefined ? [] : keysBetween(rowAlias, keys.behind, keys.upTo)),
      ];
      const [wrote, series] = [writtenAt(rowAlias, written.order), idColumn(rowAlias)];
      const time = timeColumn(rowAlias);
      return printQuery({
        columns: [[name, 'tbname'], ...printed(form)],
        from: scan.from,
        where: [...terms, ...scan.where],
        orderBy: (form === 'columns' && withNames ? [series, wrote, time] : [wrote, series, time]).map((by) => ({
          by,
        })),
      });
    },
  };
}

function usesOf({ time, row, tags, mixed }: Filter): number {
  const looksAtRows = time.length + row.length + mixed.length > 0;
  return looksAtRows ? Uses.row : tags.length > 0 ? Uses.tags : Uses.nothing;
}
