import { Codes } from '../../model/fault.js';
import type { Select } from '../ast.js';
import { isAggregate } from '../functions/registry.js';
import type { BlockColumn } from '../print/result.js';
import { type QueryContext, refuse } from '../resolve/context.js';
import type { Environment } from '../resolve/convert.js';
import { ExpressionTranslator, mentions } from '../resolve/expression.js';
import { RowNames } from '../resolve/names.js';
import type { Relation } from '../resolve/relation.js';
import { isNumeric, type Value } from '../resolve/value.js';
import { type Filter, sortFilter } from './filter.js';
import { planGrouped } from './grouped.js';
import { asksForInterp, planInterp } from './interp.js';
import { expandItems, type Item } from './items.js';
import type { PlannedItem } from './ordering.js';
import { planProjection } from './projection.js';
import type { PlannedBlock } from './query.js';
import { asksForSeries, planSeries } from './series.js';
import { castToEngine } from './storage.js';

/** A SELECT whose FROM, items and WHERE are resolved. */
export interface BlockTask {
  readonly select: Select;
  readonly relation: Relation | undefined;
  readonly env: Environment;
  readonly items: readonly Item[];
  readonly filter: Filter;
  /** Makes names of this block unique in the statement. */
  readonly serial: number;
}

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
  const inWhere = new RowNames(relation, () => refuse(Codes.aggregateNotAllowed, "There mustn't be aggregation"));
  const filter = visibleRows(sortFilter(select.where, new ExpressionTranslator(env, inWhere)), relation, context);
  const task = { select, relation, env, items, filter, serial };
  if (asksForInterp(task)) return planInterp(task);
  if (asksForSeries(task)) return planSeries(task);
  return isGrouped(select, items) ? planGrouped(task) : planProjection(task);
}

function visibleRows(filter: Filter, relation: Relation | undefined, { storedRows }: QueryContext): Filter {
  if (storedRows === undefined || relation?.source.kind !== 'stored') return filter;
  return { ...filter, time: [...filter.time, ...storedRows(relation.rowAlias)] };
}

function refuseUnavailable(select: Select): void {
  if (select.window !== undefined && select.groupBy.length > 0) {
    throw refuse(Codes.groupByWithWindow, "GROUP BY and WINDOW-clause can't be used together");
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

/** Result columns r1, r2 ... of a block, and the same as the block's outside sees them. */
export function resultColumns(
  items: readonly Item[],
  values: readonly Value[],
): { planned: PlannedItem[]; columns: [sql: string, alias: string][]; shown: BlockColumn[] } {
  const planned: PlannedItem[] = [];
  const columns: [string, string][] = [];
  const shown: BlockColumn[] = [];
  items.forEach(({ name }, at) => {
    const value = values[at];
    if (value === undefined) return;
    const alias = `r${at + 1}`;
    planned.push({ alias, value });
    const { type, precision, nullable, role } = value;
    const literal = isLiteral(value);
    columns.push([literal ? castToEngine(value.sql, type) : value.sql, alias]);
    const exact = literal || value.exact === true;
    shown.push({ alias, name, type, precision, nullable, exact, role: role === 'null' ? role : undefined });
  });
  return { planned, columns, shown };
}

/** Literals of numbers and NULL, whose type the engine would make as narrow as it can. */
function isLiteral({ constant, type }: Value): boolean {
  return constant === null || (constant !== undefined && (isNumeric(type) || type.name === 'TIMESTAMP'));
}
