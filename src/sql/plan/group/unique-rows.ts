import type { StoredPart, UniqueRows } from '../../../model/unique-rows.js';
import { column, fromQuery, int64, select, subquery } from '../../engine/build.js';
import type { Expr } from '../../engine/nodes.js';
import { isSameExpr } from '../../engine/print.js';
import {
  bareTime,
  keysSource,
  nameColumn,
  nothingAfter,
  partInserts,
  rowsSource,
  timeColumn,
} from '../../engine/storage.js';
import { expr } from '../../engine/template.js';
import type { Relation } from '../../resolve/relation.js';
import type { TimeBounds } from '../../values/value.js';
import type { Filter } from '../rows/filter.js';
import { besideTags, type Scan, scanRows } from '../rows/scan.js';

/** Merging so many rows takes less time than separating two kinds of rows. */
const fewToMerge = 100_000;
/** Share of the series that a tag of one value, or of one of several, leaves; of names it is next to nothing. */
const shareOfTag = 1 / 16;
const lastTime = 2n ** 63n - 1n;

/** About how many rows between two times the engine has to merge when it reads them with FINAL. */
export function mergedRows(parts: readonly StoredPart[], { low, high }: TimeBounds): number {
  const partitions = new Map<string, { parts: number; rows: number; isUnique: boolean }>();
  for (const { partition, first, last, rows, isUnique } of parts) {
    const [from, until] = [
      low === undefined || low < first ? first : low,
      high === undefined || high > last ? last : high,
    ];
    if (from > until) continue;
    const counts = partitions.get(partition) ?? { parts: 0, rows: 0, isUnique };
    counts.parts++;
    counts.rows += (rows * Number(until - from + 1n)) / Number(last - first + 1n);
    partitions.set(partition, counts);
  }
  const merged = [...partitions.values()].filter((counts) => counts.parts > 1 || !counts.isUnique);
  return merged.reduce((sum, { rows }) => sum + rows, 0);
}

/**
 * Reads rows of a super table that pass a filter: those that are known to be unique as they are, and all others with
 * their versions merged. Undefined where that is no quicker than merging all. Where all rows were unique the statement
 * assumes that, and fails when some were stored since then. Otherwise these are found in the state of the table that
 * the statement reads: their times end what is unique. The engine reads one state of a table everywhere in a statement
 * (`enable_shared_storage_snapshot_in_query`).
 */
export function scanUniqueRows(
  relation: Relation,
  filter: Filter,
  needsTags: boolean,
  unique: UniqueRows,
): Scan | undefined {
  const { rowAlias, tagAlias, source } = relation;
  if (source.kind !== 'stored' || source.target.kind !== 'super') return undefined;
  if (mergedRows(unique.parts, filter.bounds ?? noBounds) * shareOfSeries(filter, tagAlias) < fewToMerge)
    return undefined;
  const { table } = source.target;
  const joins = needsTags || filter.mixed.length > 0;
  const scans = unique.isAll
    ? [scanUnique(table.storage, relation, filter, unique)]
    : uniqueAndMerged(table.storage, rowAlias, filter, relation, unique);
  const [only, ...others] = scans;
  if (only !== undefined && others.length === 0 && !joins) return only;
  const branches = scans.map(({ from, where }) => select({ columns: [], star: '*', from, where }));
  const rows = fromQuery({ union: branches }, rowAlias);
  if (!joins) return { from: rows, where: [] };
  return { from: besideTags(rows, table, rowAlias, tagAlias), where: filter.mixed };
}

/**
 * Count of the rows of a super table between times: engine SQL over a scan. Parts of unique rows between them are
 * counted without being read. Undefined where more than times chooses the rows.
 */
export function countUniqueRows(
  relation: Relation,
  filter: Filter,
  unique: UniqueRows,
): { readonly count: Expr; readonly scan: Scan } | undefined {
  const { rowAlias, source } = relation;
  if (source.kind !== 'stored' || source.target.kind !== 'super') return undefined;
  if ([filter.row, filter.tags, filter.mixed].some((terms) => terms.length > 0)) return undefined;
  const { storage } = source.target.table;
  if (unique.isAll) return { count: expr`count()`, scan: scanUnique(storage, relation, filter, unique) };
  const counts = uniqueAndMerged(storage, rowAlias, filter, relation, unique).map(({ from, where }) =>
    select({ columns: [[expr`count()`, 'n']], from, where }),
  );
  const from = fromQuery({ union: counts }, rowAlias);
  return { count: expr`sum(${column(rowAlias, 'n')})`, scan: { from, where: [] } };
}

/** Share of the series that the terms on tags leave, by their form. */
function shareOfSeries({ tags }: Filter, tagAlias: string): number {
  const chosen = tags.filter((term) => term.kind === 'call' && (term.name === 'equals' || term.name === 'in'));
  const name = nameColumn(tagAlias);
  const isNamed = chosen.some(
    (term) => term.kind === 'call' && term.args[0] !== undefined && isSameExpr(term.args[0], name),
  );
  return isNamed ? 0 : shareOfTag ** chosen.length;
}

/** The rows that pass a filter, without its terms on rows with tags, as they are. It assumes that none is newer. */
function scanUnique(storage: string, relation: Relation, filter: Filter, { insert }: UniqueRows): Scan {
  const { from, where } = scanRows(relation, { ...filter, mixed: [] }, false, keysSource);
  return { from, where: [...where, nothingAfter(insert, storage, relation.rowAlias)] };
}

/**
 * The rows that pass a filter, without its terms on rows with tags, in two scans: of unique rows, and of all others.
 */
function uniqueAndMerged(
  storage: string,
  rowAlias: string,
  filter: Filter,
  relation: Relation,
  unique: UniqueRows,
): readonly Scan[] {
  const { insert, from, until = lastTime } = unique;
  const time = timeColumn(rowAlias);
  const newer = expr`${partInserts('').last} > ${insert}`;
  const least = expr`least(min(${bareTime}), ${int64(until)})`;
  const end = subquery({
    columns: [[expr`if(count() = 0, ${int64(until)}, ${least})`, '']],
    from: { kind: 'table', table: storage },
    where: [newer],
  });
  const { where } = scanRows(relation, { ...filter, mixed: [] }, false);
  const within = [...(from === undefined ? [] : [expr`${time} >= ${int64(from)}`]), expr`${time} < ${end}`];
  const beside = [...(from === undefined ? [] : [expr`${time} < ${int64(from)}`]), expr`${time} >= ${end}`];
  return [
    { from: keysSource(storage, rowAlias), where: [...where, ...within] },
    {
      from: rowsSource(storage, rowAlias),
      where: [...where, beside.length === 1 ? beside[0]! : expr`or(${beside})`],
    },
  ];
}

const noBounds: TimeBounds = { low: undefined, high: undefined };
