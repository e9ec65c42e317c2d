import { allOf } from '../print/select.js';
import type { Relation } from '../resolve/relation.js';
import type { Filter } from './filter.js';
import { idColumn, keysSource, rowsSource, tagsSource, timeColumn } from './storage.js';

/** The FROM and WHERE of an engine SELECT. */
export interface Scan {
  readonly from: string | undefined;
  readonly where: readonly string[];
}

/**
 * What reads the rows of FROM that pass WHERE; with `needsTags` the tags of a super table stand beside them. `read` says
 * whether overwritten rows are merged before.
 */
export function scanRows(
  relation: Relation | undefined,
  filter: Filter,
  needsTags: boolean,
  read: typeof rowsSource = rowsSource,
): Scan {
  if (relation === undefined) return { from: undefined, where: everything(filter) };
  const { rowAlias, tagAlias, source } = relation;
  if (source.kind === 'block') return { from: `(${source.sql}) AS ${rowAlias}`, where: everything(filter) };
  const { table } = source.target;
  const rows = read(table.storage, rowAlias);
  if (source.target.kind !== 'super') return { from: rows, where: [...seriesTerms(relation), ...everything(filter)] };
  const where = [...liveTerms(relation, filter), ...filter.time, ...filter.row, ...filter.mixed];
  if (!needsTags && filter.mixed.length === 0) return { from: rows, where };
  const join = `INNER JOIN ${tagsSource(table.tagStorage ?? '', tagAlias)} ON ${idColumn(tagAlias)} = ${idColumn(rowAlias)}`;
  return { from: `${rows} ${join}`, where };
}

/** Reads keys only: enough to know which series have rows in the time range; overwritten keys may show twice. */
export function scanKeys(relation: Relation, filter: Filter): Scan {
  const { rowAlias, source } = relation;
  if (source.kind === 'block') return scanRows(relation, filter, false);
  const from = keysSource(source.target.table.storage, rowAlias);
  const series = source.target.kind === 'super' ? liveTerms(relation, filter) : seriesTerms(relation);
  return { from, where: [...series, ...filter.time] };
}

/** Live sub-tables alone, without their rows. */
export function scanTags(relation: Relation, filter: Filter): Scan | undefined {
  const { source, tagAlias, rowAlias } = relation;
  if (source.kind === 'block' || source.target.kind !== 'super' || filter.mixed.length > 0) return undefined;
  const { storage, tagStorage } = source.target.table;
  const where = [...filter.tags];
  const rowTerms = [...filter.time, ...filter.row];
  if (rowTerms.length > 0) {
    const rows = filter.row.length > 0 ? rowsSource(storage, rowAlias) : keysSource(storage, rowAlias);
    where.push(`${idColumn(tagAlias)} IN (SELECT ${idColumn(rowAlias)} FROM ${rows} WHERE ${allOf(rowTerms)})`);
  }
  return { from: tagsSource(tagStorage ?? '', tagAlias), where };
}

function everything(filter: Filter): string[] {
  return [...filter.time, ...filter.row, ...filter.tags, ...filter.mixed];
}

function seriesTerms({ rowAlias, source }: Relation): string[] {
  if (source.kind === 'block' || source.target.kind === 'super') return [];
  const id = source.target.kind === 'sub' ? source.target.id : source.target.table.seriesId;
  return [`${idColumn(rowAlias)} = ${id ?? 0n}`];
}

/** Terms on tags become a set of ids, which the primary key of the rows can use. */
function liveTerms({ rowAlias, tagAlias, source }: Relation, filter: Filter): string[] {
  if (filter.tags.length === 0 || source.kind === 'block') return [];
  const tags = tagsSource(source.target.table.tagStorage ?? '', tagAlias);
  return [`${idColumn(rowAlias)} IN (SELECT ${idColumn(tagAlias)} FROM ${tags} WHERE ${allOf(filter.tags)})`];
}

/** True for the rows of one super table, whose tags stand in another engine table. */
export function isSuper(relation: Relation | undefined): relation is Relation {
  return relation?.source.kind === 'stored' && relation.source.target.kind === 'super';
}

/** The (id, ts) order in which the engine keeps rows; of a single series the time alone. */
export function storedOrder(relation: Relation): readonly string[] {
  if (relation.source.kind === 'block') return [];
  const time = timeColumn(relation.rowAlias);
  return isSuper(relation) ? [idColumn(relation.rowAlias), time] : [time];
}
