import { keyColumn } from '../../../model/schema.js';
import { allOf, equal, fromQuery, inQuery, join } from '../../engine/build.js';
import type { Expr, FromItem } from '../../engine/nodes.js';
import {
  dataColumn,
  idColumn,
  idsWhere,
  keysSource,
  notDroppedSince,
  ofTable,
  rowsSource,
  type TagTable,
  tagsSource,
  timeColumn,
} from '../../engine/storage.js';
import { expr } from '../../engine/template.js';
import type { Relation } from '../../resolve/relation.js';
import type { Filter } from './filter.js';

/** The FROM and WHERE of an engine SELECT. */
export interface Scan {
  readonly from: FromItem | undefined;
  readonly where: readonly Expr[];
}

/**
 * What reads the rows of FROM which pass WHERE; with `needsTags` the tags of a super table stand beside them. `read`
 * says whether overwritten rows are merged before.
 */
export function scanRows(
  relation: Relation | undefined,
  filter: Filter,
  needsTags: boolean,
  read: typeof rowsSource = rowsSource,
): Scan {
  if (relation === undefined) return { from: undefined, where: everything(filter) };
  const { rowAlias, tagAlias, source } = relation;
  if (source.kind === 'block') return { from: fromQuery(source.query, rowAlias), where: everything(filter) };
  const { table } = source.target;
  const rows = read(table.storage, rowAlias);
  if (source.target.kind !== 'super') return { from: rows, where: [...seriesTerms(relation), ...everything(filter)] };
  const where = [
    ...ofTable(table, rowAlias),
    ...liveTerms(relation, filter),
    ...filter.time,
    ...filter.row,
    ...filter.mixed,
  ];
  if (!needsTags && filter.mixed.length === 0) return { from: rows, where };
  return { from: besideTags(rows, table, rowAlias, tagAlias), where };
}

/** Rows with the tags of their series beside them, as a FROM item. */
export function besideTags(rows: FromItem, table: TagTable, rowAlias: string, tagAlias: string): FromItem {
  return join('INNER', rows, tagsSource(table, tagAlias), [equal(idColumn(tagAlias), idColumn(rowAlias))]);
}

/** Reads keys only: enough to know which series have rows in the time range; overwritten keys may show twice. */
export function scanKeys(relation: Relation, filter: Filter): Scan {
  const { rowAlias, source } = relation;
  if (source.kind === 'block') return scanRows(relation, filter, false);
  const { table, kind } = source.target;
  const series =
    kind === 'super' ? [...ofTable(table, rowAlias), ...liveTerms(relation, filter)] : seriesTerms(relation);
  return { from: keysSource(table.storage, rowAlias), where: [...series, ...filter.time] };
}

/** Live sub-tables alone, without their rows. */
export function scanTags(relation: Relation, filter: Filter): Scan | undefined {
  const { source, tagAlias, rowAlias } = relation;
  if (source.kind === 'block' || source.target.kind !== 'super' || filter.mixed.length > 0) return undefined;
  const { table } = source.target;
  const where = [...filter.tags];
  const rowTerms = [...filter.time, ...filter.row];
  if (rowTerms.length > 0) {
    const rows = filter.row.length > 0 ? rowsSource(table.storage, rowAlias) : keysSource(table.storage, rowAlias);
    const terms = [...ofTable(table, rowAlias), ...rowTerms];
    const ids = { columns: [[idColumn(rowAlias), '']], from: rows, where: terms } as const;
    where.push(inQuery(idColumn(tagAlias), ids));
  }
  return { from: tagsSource(table, tagAlias), where };
}

function everything(filter: Filter): Expr[] {
  return [...filter.time, ...filter.row, ...filter.tags, ...filter.mixed];
}

function seriesTerms({ rowAlias, source }: Relation): Expr[] {
  if (source.kind === 'block' || source.target.kind === 'super') return [];
  const { target } = source;
  const id = target.kind === 'sub' ? target.id : target.table.seriesId;
  return [...ofTable(target.table, rowAlias), expr`${idColumn(rowAlias)} = ${id ?? 0n}`];
}

/**
 * Terms on tags become a set of ids, which the primary key of the rows can use. Without them dropped sub-tables are
 * left out whose rows are still there.
 */
function liveTerms({ rowAlias, tagAlias, source }: Relation, filter: Filter): Expr[] {
  if (source.kind === 'block') return [];
  const { target } = source;
  if (filter.tags.length === 0) {
    if (target.kind === 'sub' || target.hiddenSince === undefined) return [];
    return [notDroppedSince(target.table, rowAlias, target.hiddenSince)];
  }
  return [expr`${idColumn(rowAlias)} IN ${idsWhere(target.table, tagAlias, allOf(filter.tags))}`];
}

/** True for the rows of one super table, whose tags stand in another engine table. */
export function isSuper(relation: Relation | undefined): relation is Relation {
  return relation?.source.kind === 'stored' && relation.source.target.kind === 'super';
}

/**
 * The order of time in which the engine keeps the rows of a series: by the rest of the key, too, where the table has
 * such a column.
 */
export function seriesOrder({ rowAlias, source }: Relation): readonly Expr[] {
  if (source.kind === 'block') return [];
  const key = keyColumn(source.target.table);
  return [timeColumn(rowAlias), ...(key === undefined ? [] : [dataColumn(rowAlias, key.physical)])];
}
