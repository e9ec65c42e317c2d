import type { UniqueRows } from '../../../model/unique-rows.js';
import { call, column, fromQuery, inQuery, join, one, select, subquery } from '../../engine/build.js';
import type { Expr, SelectColumn, SelectQuery } from '../../engine/nodes.js';
import { isSameExpr } from '../../engine/print.js';
import { idColumn, keysSource, tagsSource, timeColumn } from '../../engine/storage.js';
import { expr } from '../../engine/template.js';
import { hasNode } from '../../engine/transform.js';
import type { Relation } from '../../resolve/relation.js';
import { Uses } from '../../values/value.js';
import type { Filter } from '../rows/filter.js';
import { isSuper, scanKeys, scanRows } from '../rows/scan.js';
import { asState, direct, type EngineAggregate, merged } from './aggregates.js';
import type { Dependent, GroupKey } from './group-names.js';
import { newestNeeds, newestRows } from './newest-rows.js';
import { countUniqueRows, scanUniqueRows } from './unique-rows.js';

type Column = SelectColumn;

/** How rows are grouped into windows; engine SQL over rows. */
export interface WindowKey {
  readonly key: Column;
  /** Aggregates that every window has. */
  readonly limits: readonly Column[];
  readonly having: readonly Expr[];
  /** True for windows of a minute at most, each of which has few rows of a series. */
  readonly isMinuteAtMost?: boolean;
}

/** Parts of a grouped SELECT of the engine. */
interface Grouping {
  readonly relation: Relation | undefined;
  readonly filter: Filter;
  readonly keys: readonly GroupKey[];
  /** Key of a window, over rows; undefined without windows. */
  readonly window: WindowKey | undefined;
  readonly aggregates: readonly EngineAggregate[];
  /** Tags that a key decides. */
  readonly dependents: readonly Dependent[];
  /** The SELECT has a count: groups of sub-tables show even when they are empty. */
  readonly countLike: boolean;
  /** LAST_ROW is the only aggregate. */
  readonly newestOnly: boolean;
  /** The table has so many rows that it pays to look for the newest ones first. */
  readonly isLarge: boolean;
  /** Rows of the table that need no merging; undefined where none are known. */
  readonly unique: UniqueRows | undefined;
}

/** An engine SELECT of grouped rows. */
export interface GroupedRows extends SelectQuery {
  /** False where it reads groups that a subquery of it has made. */
  readonly groups: boolean;
}

/**
 * The engine SELECT that yields one row per group: keys, window, aggregates and dependents under their column names.
 */
export function groupRows(grouping: Grouping): GroupedRows {
  const { relation, keys, window, countLike } = grouping;
  const bySeries = keysAreTags(grouping);
  if (bySeries && isSuper(relation) && keys.some(({ value }) => value.uses !== Uses.nothing)) {
    const readsTags = grouping.aggregates.some((aggregate) => namesTable(direct(aggregate), relation.tagAlias));
    const isFine = window?.isMinuteAtMost === true && keys.every(({ value }) => value.role !== 'tbname');
    return readsTags || isFine ? groupDirectly(grouping) : groupBySeries(grouping, relation);
  }
  if (window === undefined && countLike && keys.length > 0 && bySeries) return constantGroup(grouping);
  return groupDirectly(grouping);
}

function groupDirectly(grouping: Grouping): GroupedRows {
  const { relation, keys, window, aggregates, dependents, countLike } = grouping;
  const groupColumns = keyColumns(grouping);
  const counted = countedRows(grouping);
  if (counted !== undefined) return counted;
  const values = aggregates.map((aggregate): Column => [ofAllRows(aggregate, grouping), aggregate.alias]);
  const tags = dependents.map(({ value, column: alias }): Column => [expr`any(${value})`, alias]);
  const columns = [...groupColumns, ...(window?.limits ?? []), ...values, ...tags];
  const scan = narrowed(grouping, relation, needsTags(columns, relation));
  const isOneGroup = keys.length === 0 && window === undefined;
  const having = window?.having ?? [];
  const hidesEmpty = isOneGroup && !countLike;
  return { columns, ...scan, groupBy: groupColumns.length, having, isOneGroup, hidesEmpty, groups: true };
}

/** The SELECT of a row count alone, for which most rows need not be read. */
function countedRows({ relation, filter, keys, window, aggregates, unique }: Grouping): GroupedRows | undefined {
  const [only, ...others] = aggregates;
  const isCount = only !== undefined && isSameExpr(direct(only), expr`count()`) && others.length + keys.length === 0;
  if (!isCount || window !== undefined || relation === undefined || unique === undefined) return undefined;
  const counted = countUniqueRows(relation, filter, unique);
  if (counted === undefined) return undefined;
  return { columns: [[counted.count, only.alias]], ...counted.scan, isOneGroup: true, groups: true };
}

/** An aggregate of all rows. The engine knows first and last times of its parts, but not of times that may be NULL. */
function ofAllRows(aggregate: EngineAggregate, { relation, keys, window, countLike }: Grouping): Expr {
  const sql = direct(aggregate);
  if (relation === undefined || keys.length > 0 || window !== undefined || countLike) return sql;
  const time = timeColumn(relation.rowAlias);
  const bound = ['min', 'max'].find((name) => isSameExpr(sql, call(name, expr`toNullable(${time})`)));
  // Over no rows there is no group, so nothing has to be NULL.
  return bound === undefined ? sql : expr`toNullable(${call(bound, time)})`;
}

function keyColumns({ keys, window }: Grouping): Column[] {
  const columns = keys.map(({ value, column: alias }): Column => [value.sql, alias]);
  if (window !== undefined) columns.push(window.key);
  return columns;
}

function needsTags(columns: readonly Column[], relation: Relation | undefined): boolean {
  return isSuper(relation) && columns.some(([value]) => namesTable(value, relation.tagAlias));
}

/**
 * The keys are the same for all rows, and the SELECT has a count: one group, also without rows; but none when rows of
 * the time range exist and other conditions hide them all.
 */
function constantGroup(grouping: Grouping): GroupedRows {
  const { relation, filter, keys, aggregates } = grouping;
  const columns = [
    ...keys.map(({ value, column: alias }): Column => [value.sql, alias]),
    ...aggregates.map((aggregate): Column => [direct(aggregate), aggregate.alias]),
  ];
  const scan = narrowed(grouping, relation, needsTags(columns, relation));
  if (!filter.looksAtData || relation === undefined) return { columns, ...scan, groups: true };
  const any = select({
    columns: [[one, 'found']],
    ...scanKeys(relation, filter),
    limit: { count: 1n, offset: 0n },
  });
  const anyRow = subquery({ columns: [[expr`count()`, '']], from: fromQuery(any) });
  return { columns, ...scan, having: [expr`or(count() > 0, ${anyRow} = 0)`], groups: true };
}

/**
 * Keys of tags alone: rows are grouped by series first and meet their tags afterwards, so that the join sees one row
 * per series (and window) instead of all rows. Where that is not much less, it takes longer than the join.
 */
function groupBySeries(grouping: Grouping, relation: Relation): GroupedRows {
  const { keys, window, aggregates, dependents } = grouping;
  const perSeries = keys.some(({ value }) => value.role === 'tbname');
  const inner = seriesRows(grouping, relation, perSeries);
  const source = relation.source.kind === 'stored' ? relation.source.target.table : undefined;
  const { tagAlias } = relation;
  const keepsEmpty = grouping.countLike && window === undefined;
  const met: WindowKey | undefined = window === undefined ? undefined : { ...window, key: [column('i', 'w'), 'w'] };
  const groupColumns = keyColumns({ ...grouping, window: met });
  const columns = [
    ...groupColumns,
    ...aggregates.map((aggregate): Column => {
      const own = column('i', aggregate.alias);
      return [perSeries ? own : merged(aggregate, own), aggregate.alias];
    }),
    ...dependents.map(({ value, column: alias }): Column => [perSeries ? value : expr`any(${value})`, alias]),
  ];
  return {
    columns,
    from: join(
      keepsEmpty ? 'LEFT' : 'INNER',
      tagsSource(source ?? { tagStorage: '' }, tagAlias),
      fromQuery(inner, 'i'),
      [expr`${column('i', 'id')} = ${idColumn(tagAlias)}`],
    ),
    where: keepsEmpty ? emptySeriesTerms(grouping.filter, relation) : [],
    groupBy: perSeries ? 0 : groupColumns.length,
    groups: !perSeries,
  };
}

/** True where the newest rows of a large table are looked for before all others. */
function looksForNewest(grouping: Grouping): boolean {
  const { filter, window } = grouping;
  const isUnfiltered = filter.row.length + filter.mixed.length + filter.time.length === 0 && window === undefined;
  return isUnfiltered && grouping.isLarge && keysAreTags(grouping);
}

function seriesRows(grouping: Grouping, relation: Relation, perSeries: boolean): SelectQuery {
  const id = idColumn(relation.rowAlias);
  const columns: Column[] = [[id, 'id']];
  if (grouping.window !== undefined) columns.push(grouping.window.key);
  const groupBy = columns.length;
  for (const aggregate of grouping.aggregates) {
    columns.push([perSeries ? direct(aggregate) : asState(aggregate), aggregate.alias]);
  }
  const { from, where } = narrowed(grouping, relation, false);
  return select({ columns, from, where, groupBy });
}

/** Which sub-tables without a group of rows show: those chosen by tags and without rows in the time range. */
function emptySeriesTerms(filter: Filter, relation: Relation): Expr[] {
  const terms = [...filter.tags];
  if (!filter.looksAtData) return terms;
  const id = idColumn(relation.tagAlias);
  const keys = select({ columns: [[idColumn(relation.rowAlias), 'id']], ...scanKeys(relation, filter) });
  terms.push(expr`or(${column('i', 'id')} = ${id}, ${inQuery(id, keys, true)})`);
  return terms;
}

/** The rows to group; when only the newest of each series counts, the rest is left out by a look at the keys alone. */
function narrowed(grouping: Grouping, relation: Relation | undefined, withTags: boolean): ReturnType<typeof scanRows> {
  const { filter } = grouping;
  const all = scanRows(relation, filter, withTags);
  const { unique } = grouping;
  const scan = (relation && unique && scanUniqueRows(relation, filter, withTags, unique)) ?? all;
  const plain = filter.row.length === 0 && filter.mixed.length === 0 && grouping.window === undefined;
  if (!plain || relation?.source.kind !== 'stored') return scan;
  if (!withTags && readsTimesOnly(grouping, relation)) {
    return { from: keysSource(relation.source.target.table.storage, relation.rowAlias), where: all.where };
  }
  if (!withTags && looksForNewest(grouping)) {
    const needs = newestNeeds(grouping.aggregates, relation.rowAlias);
    const from = needs && newestRows(relation, filter, needs, unique);
    if (from !== undefined) return { from, where: [] };
  }
  if (!grouping.newestOnly) return scan;
  const [id, time] = [idColumn(relation.rowAlias), timeColumn(relation.rowAlias)];
  const keys = scanKeys(relation, filter);
  const newest = isSuper(relation)
    ? select({
        columns: [
          [id, 'id'],
          [expr`max(${time})`, 'ts'],
        ],
        ...keys,
        groupBy: 1,
      })
    : select({ columns: [[expr`max(${time})`, 'ts']], ...keys });
  const term = isSuper(relation) ? inQuery(expr`(${id}, ${time})`, newest) : expr`${time} = ${subquery(newest)}`;
  return { from: scan.from, where: [...scan.where, term] };
}

/** True where an expression names columns of a FROM item. */
function namesTable(value: Expr, alias: string): boolean {
  return hasNode(value, (node) => node.kind === 'column' && node.table === alias);
}

function keysAreTags({ keys }: Grouping): boolean {
  return keys.every(({ value }) => (value.uses & ~Uses.tags) === 0);
}

/**
 * True when oldest and newest times are all there is: a row that was overwritten has the time of the one in its place.
 */
function readsTimesOnly(grouping: Grouping, relation: Relation): boolean {
  const { aggregates } = grouping;
  if (aggregates.length === 0 || !keysAreTags(grouping)) return false;
  const time = expr`toNullable(${timeColumn(relation.rowAlias)})`;
  const bounds = [call('min', time), call('max', time)];
  return aggregates.every((aggregate) => bounds.some((bound) => isSameExpr(direct(aggregate), bound)));
}
