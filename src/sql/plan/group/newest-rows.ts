import type { UniqueRows } from '../../../model/unique-rows.js';
import { fromQuery, inQuery, one, select, subquery } from '../../engine/build.js';
import type { Expr, FromItem } from '../../engine/nodes.js';
import { isSameExpr, printExpr } from '../../engine/print.js';
import {
  bareTime,
  idColumn,
  keysSource,
  nothingAfter,
  rowsSource,
  tagsSource,
  timeColumn,
} from '../../engine/storage.js';
import { expr } from '../../engine/template.js';
import type { Relation } from '../../resolve/relation.js';
import type { Filter } from '../rows/filter.js';
import { isSuper, type Scan, scanRows } from '../rows/scan.js';
import type { EngineAggregate } from './aggregates.js';

/** Rows of each series, on the average, that are read first. */
const rowsFirst = 16;
/** With more columns it costs more to analyse the statement than is gained. */
const maxColumns = 64;

/**
 * Condition by which an aggregate picks the newest row: engine SQL over rows, `1` for any row. Undefined where
 * other rows than the newest of a series count.
 */
export function newestNeeds(aggregates: readonly EngineAggregate[], alias: string): readonly Expr[] | undefined {
  const time = timeColumn(alias);
  const needs = new Map<string, Expr>();
  for (const { call } of aggregates) {
    const [name, [value, by, condition = one]] = call();
    const isTime = name === 'max' && value !== undefined && isSameExpr(value, expr`toNullable(${time})`);
    const picksNewest = (name === 'argMaxIf' || name === 'argMax') && by !== undefined && isSameExpr(by, time);
    if (!isTime && !picksNewest) return undefined;
    const need = isTime ? one : condition;
    needs.set(printExpr(need), need);
  }
  return needs.size === 0 ? undefined : [...needs.values()];
}

function havingAll(needs: readonly Expr[]): Expr[] {
  return needs.filter((need) => !isSameExpr(need, one)).map((need) => expr`countIf(${need}) > 0`);
}

/** All rows that pass a filter; they need not be merged while nothing is newer than what is known to be unique. */
function rowsOf(relation: Relation, filter: Filter, unique: UniqueRows | undefined): Scan {
  const isUnique = unique?.isAll === true && relation.source.kind === 'stored';
  const { from, where } = scanRows(relation, filter, false, isUnique ? keysSource : rowsSource);
  if (!isUnique) return { from, where };
  const { storage } = relation.source.target.table;
  return { from, where: [...where, nothingAfter(unique.insert, storage, relation.rowAlias)] };
}

/**
 * FROM of rows among which are the newest that meet each of the needs, of every series. Few rows of each series are
 * read first, those behind a time that the sizes of tables suggest, and all rows of the series that lack something
 * there: whatever the time is, nothing is missing. Parts that are older are left out by the range of their times. The
 * engine reads one state of the table everywhere in a statement (`enable_shared_storage_snapshot_in_query`).
 */
export function newestRows(
  relation: Relation,
  filter: Filter,
  needs: readonly Expr[],
  unique: UniqueRows | undefined,
): FromItem | undefined {
  if (!isSuper(relation) || relation.source.kind !== 'stored') return undefined;
  const { table } = relation.source.target;
  if (table.columns.length > maxColumns) return undefined;
  const { rowAlias, tagAlias } = relation;
  const [id, time] = [idColumn(rowAlias), timeColumn(rowAlias)];
  const { from, where } = rowsOf(relation, filter, unique);
  const series = subquery({ columns: [[expr`count()`, '']], from: { kind: 'table', table: table.tagStorage ?? '' } });
  const part = expr`least(1., ${rowsFirst} * ${series} / greatest(1, count()))`;
  const [oldest, newest] = [expr`min(${bareTime})`, expr`max(${bareTime})`];
  const since = subquery({
    columns: [[expr`toInt64(${newest} - (${newest} - ${oldest}) * ${part})`, '']],
    from: { kind: 'table', table: table.storage },
  });
  const whole = select({
    columns: [[id, 'id']],
    from,
    where: [...where, expr`${time} >= ${since}`],
    groupBy: 1,
    having: havingAll(needs),
  });
  const tagId = idColumn(tagAlias);
  const late = select({
    columns: [[tagId, '']],
    from: tagsSource(table, tagAlias),
    where: [...filter.tags, inQuery(tagId, whole, true)],
  });
  const branches = [[expr`${time} >= ${since}`], [expr`${time} < ${since}`, inQuery(id, late)]].map((terms) =>
    select({ columns: [], star: '*', from, where: [...where, ...terms] }),
  );
  return fromQuery({ union: branches }, rowAlias);
}
