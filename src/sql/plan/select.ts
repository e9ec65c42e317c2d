import { Codes, FaultError } from '../../model/fault.js';
import { isAggregate } from '../functions/registry.js';
import { ExpressionTranslator, mentions } from '../resolve/expression.js';
import { aggregateNotAllowed, RowNames } from '../resolve/names.js';
import type { Relation } from '../resolve/relation.js';
import type { Expression, Select } from '../syntax/ast.js';
import { type QueryContext, refuse } from '../values/context.js';
import { planGrouped } from './grouped.js';
import { planProjection } from './projection.js';
import { withoutAliases } from './rows/aliases.js';
import type { BlockTask, PlannedBlock } from './rows/block.js';
import { type Filter, sortFilter } from './rows/filter.js';
import { expandItems, type Item, withBuckets } from './rows/items.js';
import { planSeries, usesSeriesFunctions } from './series.js';
import { inExternalWindows } from './window/external.js';
import { planInterp, usesInterp } from './window/interp.js';

/** Plans one SELECT block; `relation` is its FROM. */
export function planSelect(
  select: Select,
  relation: Relation | undefined,
  context: QueryContext,
  serial: number,
): PlannedBlock {
  refuseUnavailable(select);
  const env = { context, precision: relation?.precision ?? 'ms' } as const;
  const items = expandItems(select.items, relation);
  const inWhere = new RowNames(relation, aggregateNotAllowed);
  const filter = visibleRows(sortFilter(select.where, new ExpressionTranslator(env, inWhere)), relation, context);
  const meaning = (written: Expression): Expression => withoutAliases(withBuckets(written, relation), items, relation);
  const orderBy = select.orderBy.map((order) => {
    // A bare name is looked up among the aliases first.
    const { value } = order;
    return value.kind === 'column' ? order : { ...order, value: meaning(value) };
  });
  const having = select.having && meaning(select.having);
  const task = { select: { ...select, orderBy, having }, relation, env, items, filter, serial };
  if (select.window?.kind === 'external') return planExternal(inExternalWindows(task, select.window));
  if (usesInterp(task)) return planInterp(task);
  if (usesSeriesFunctions(task)) return planSeries(task);
  if (select.window !== undefined) return planWindows(task, planSeries);
  return isGrouped(task.select, items) ? planGrouped(task) : planProjection(task);
}

function planExternal(task: BlockTask): PlannedBlock {
  if (usesInterp(task) || usesSeriesFunctions(task)) {
    throw refuse(Codes.invalidExpression, 'Functions that give several rows are not for EXTERNAL_WINDOW');
  }
  return planWindows(task, planProjection);
}

/** A row for each window; every row of each window when plain columns are selected and nothing picks their row. */
function planWindows(task: BlockTask, planRows: (task: BlockTask) => PlannedBlock): PlannedBlock {
  const { select, items } = task;
  const havingGroups = select.having !== undefined && mentions(select.having, isAggregate);
  const mayBeRows = !havingGroups && !isGrouped({ ...select, window: undefined, having: undefined }, items);
  try {
    if (!mayBeRows || select.scalar !== true) return planGrouped(task);
  } catch (error) {
    const wantsRows = error instanceof FaultError && plainColumnCodes.has(error.fault.code);
    if (!wantsRows || !mayBeRows) throw error;
  }
  return { ...planRows(task), isRowsOfWindows: true };
}

/** Columns that differ from row to row. */
const plainColumnCodes: ReadonlySet<number> = new Set([Codes.notSingleGroup, Codes.notGroupByExpression]);

function visibleRows(filter: Filter, relation: Relation | undefined, { storedRows }: QueryContext): Filter {
  if (storedRows === undefined || relation?.source.kind !== 'stored') return filter;
  return { ...filter, time: [...filter.time, ...storedRows(relation.rowAlias)] };
}

function refuseUnavailable(select: Select): void {
  const [key] = select.groupBy;
  if (select.window !== undefined && key !== undefined) {
    const text = "GROUP BY and WINDOW-clause can't be used together (write PARTITION BY in front of the window)";
    throw refuse(Codes.groupByWithWindow, text, { start: key.value.span.start, word: key.text });
  }
  const sliced = select.partitionBy.length > 0 || select.groupBy.length > 0;
  if (select.slimit !== undefined && !sliced) {
    throw refuse(Codes.slimitNotAllowed, 'slimit/soffset only available for PARTITION/GROUP BY query');
  }
}

function isGrouped(select: Select, items: readonly Item[]): boolean {
  if (select.window !== undefined || select.groupBy.length > 0 || select.having !== undefined) return true;
  return (
    items.some(({ value }) => mentions(value, isAggregate)) ||
    select.orderBy.some(({ value }) => mentions(value, isAggregate))
  );
}
