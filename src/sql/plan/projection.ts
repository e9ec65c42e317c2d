import { Codes } from '../../model/fault.js';
import { sortTerm } from '../engine/build.js';
import type { SelectQuery, SortTerm } from '../engine/nodes.js';
import { idColumn } from '../engine/storage.js';
import { ExpressionTranslator } from '../resolve/expression.js';
import { aggregateNotAllowed, RowNames } from '../resolve/names.js';
import { refuse } from '../values/context.js';
import { Uses, type Value } from '../values/value.js';
import { scanUniqueRows } from './group/unique-rows.js';
import { type BlockTask, type PlannedBlock, resultColumns } from './rows/block.js';
import { keyExpressions } from './rows/keys.js';
import { orderTerms, sliceLimits } from './rows/ordering.js';
import { isSuper, type Scan, scanRows, scanTags, seriesOrder } from './rows/scan.js';

/** A SELECT without aggregates: one row out for one row in; with PARTITION BY, slice by slice. */
export function planProjection(task: BlockTask): PlannedBlock {
  const { select, relation, env, items } = task;
  const translator = new ExpressionTranslator(env, new RowNames(relation, aggregateNotAllowed, 'result'));
  const values = items.map(({ value }) => translator.translate(value));
  const slices = keyExpressions(select.partitionBy, items, relation).map(({ value }) => translator.translate(value));
  const { planned, columns, shown } = resultColumns(items, values);
  const sorted: Value[] = [];
  const orderBy = orderTerms(select.orderBy, items, planned, select.distinct, ({ value }) => {
    const translated = translator.translate(value);
    sorted.push(translated);
    return translated;
  });
  const scan = chooseScan(task, [...values, ...slices, ...sorted]);
  const varying = slices.filter(({ uses }) => uses !== Uses.nothing);
  if (orderBy.length === 0 && !select.distinct) orderBy.push(...defaultOrder(task, varying, scan.tagsOnly));
  const rows: SelectQuery = {
    columns,
    distinct: select.distinct,
    ...scan.scan,
    ...sliceLimits(select, varying),
    orderBy,
  };
  return { query: rows, columns: shown, select: rows };
}

/** SELECT TAGS and DISTINCT over tags only give sub-tables, with or without rows. */
function chooseScan(task: BlockTask, values: readonly Value[]): { scan: Scan; tagsOnly: boolean } {
  const { select, relation, filter } = task;
  const wantsTables = select.tags || select.distinct;
  const hasTags = relation?.source.kind === 'stored' && relation.source.target.kind !== 'normal';
  if (select.tags && !hasTags) {
    throw refuse(Codes.tagsOfNormalTable, 'Tags can only applied to super table and child table');
  }
  const tagsAlone = values.every(({ uses }) => (uses & ~Uses.tags) === 0);
  if (wantsTables && tagsAlone && isSuper(relation)) {
    const scan = scanTags(relation, filter);
    if (scan !== undefined) return { scan, tagsOnly: true };
  }
  const oneSeries = relation?.source.kind === 'stored' && relation.source.target.kind === 'sub';
  if (wantsTables && tagsAlone && oneSeries && filter.time.length === 0 && !filter.looksAtData) {
    return { scan: { from: undefined, where: filter.row }, tagsOnly: true };
  }
  const needsTags = values.some(({ uses }) => (uses & Uses.tags) !== 0);
  const scan = scanUnmerged(task, needsTags) ?? scanRows(relation, filter, needsTags);
  return { scan, tagsOnly: false };
}

/**
 * Reads rows as they are where all are known to have a key each. Those that the query puts in order itself are left to
 * the engine's merging, as rows of one rank come in an order of their own there.
 */
function scanUnmerged({ select, relation, filter, env: { context } }: BlockTask, needsTags: boolean): Scan | undefined {
  if (select.orderBy.length > 0 || context.mayAssume !== true || relation?.source.kind !== 'stored') return undefined;
  const unique = isSuper(relation) ? context.uniqueRows?.(relation.source.target.table) : undefined;
  return unique?.isAll === true ? scanUniqueRows(relation, filter, needsTags, unique) : undefined;
}

/** Slices by their keys, the rows of each in the order of time; without slices a super table comes series by series. */
function defaultOrder({ relation }: BlockTask, slices: readonly Value[], tagsOnly: boolean): SortTerm[] {
  const terms = slices.map(({ sql, nullable }) => sortTerm(sql, nullable));
  if (relation === undefined) return terms;
  if (tagsOnly)
    return relation.tbname === undefined || !isSuper(relation) ? [] : [sortTerm(relation.tbname.sql, false)];
  if (relation.source.kind === 'block') {
    const { order } = relation.source;
    if (order !== undefined) return [...terms, ...order];
    if (terms.length > 0 && relation.time !== undefined) terms.push(sortTerm(relation.time.sql, false));
    return terms;
  }
  const timed = seriesOrder(relation).map((sql) => sortTerm(sql, false));
  if (!isSuper(relation)) return [...terms, ...timed];
  const series = sortTerm(idColumn(relation.rowAlias), false);
  return terms.length > 0 ? [...terms, ...timed, series] : [series, ...timed];
}
