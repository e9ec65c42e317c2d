import { Codes } from '../../../model/fault.js';
import { call, column, sortTerm } from '../../engine/build.js';
import { Over, type RowRange, type SelectQuery, type SortTerm } from '../../engine/nodes.js';
import { isSameExpr } from '../../engine/print.js';
import { expr } from '../../engine/template.js';
import type { Limit, OrderItem, Select } from '../../syntax/ast.js';
import { refuse } from '../../values/context.js';
import { Uses, type Value } from '../../values/value.js';
import type { Item } from './items.js';

/** Where an ORDER BY item sorts by a column of the select list: its position, else undefined. */
function orderedItem(order: OrderItem, items: readonly Item[]): number | undefined {
  const { value } = order;
  if (value.kind === 'integer') {
    if (value.value < 1n || value.value > BigInt(items.length)) {
      throw refuse(Codes.orderByPosition, 'ORDER BY item must be the number of a SELECT-list expression');
    }
    return Number(value.value) - 1;
  }
  if (value.kind === 'string') {
    // A text has no order. One that is an alias, which may be written as a text, means the alias.
    const aliased = items.findIndex((item) => item.aliased && item.name === value.value);
    return aliased < 0 ? undefined : aliased;
  }
  if (value.kind !== 'column' || value.table !== undefined) return undefined;
  const named = items.findIndex((item) => isNamed(item, value.name.text));
  return named < 0 ? undefined : named;
}

/** Whether ORDER BY means an item by a name: its alias, or what COLS calls it although a column has that name, too. */
export function isNamed({ aliased, name, value }: Item, text: string): boolean {
  return name === text && (aliased || (value.kind === 'call' && value.name === 'COLS'));
}

/** An item as planned, for matching ORDER BY with it. */
export interface PlannedItem {
  /** Its name among the columns of the SELECT. */
  readonly alias: string;
  readonly value: Value;
}

/**
 * The ORDER BY of a block. `translate` gives the value of an expression that is not a position or an alias; one equal
 * to an item sorts by that item. With DISTINCT nothing else will do (0x260B).
 */
export function orderTerms(
  orderBy: readonly OrderItem[],
  items: readonly Item[],
  planned: readonly PlannedItem[],
  distinct: boolean,
  translate: (order: OrderItem) => Value,
): SortTerm[] {
  const terms: SortTerm[] = [];
  for (const order of orderBy) {
    const position = orderedItem(order, items);
    const value = position === undefined ? translate(order) : planned[position]?.value;
    if (value === undefined) continue;
    const chosen =
      position === undefined ? planned.find((item) => isSameExpr(item.value.sql, value.sql)) : planned[position];
    if (value.uses === Uses.nothing && chosen === undefined) continue;
    if (chosen === undefined && distinct) throw refuse(Codes.notSelectedExpression, 'Not SELECTed expression');
    const by = chosen === undefined ? value.sql : column(undefined, chosen.alias);
    terms.push(sortTerm(by, value.nullable, order));
  }
  return terms;
}

/** LIMIT as written; error 0x2637 when negative. */
export function rowRange(limit: Limit | undefined): RowRange | undefined {
  if (limit === undefined) return undefined;
  if (limit.offset < 0n || limit.count < 0n) {
    throw refuse(Codes.negativeOffset, 'soffset/offset can not be less than 0');
  }
  return { count: limit.count, offset: limit.offset };
}

/**
 * LIMIT holds for every slice of a PARTITION BY without ORDER BY, and for all rows together else. SLIMIT chooses
 * slices, of a PARTITION BY or GROUP BY, by the order of their keys; beside ORDER BY it chooses nothing.
 */
export function sliceLimits(
  { partitionBy, orderBy, slimit, limit }: Pick<Select, 'partitionBy' | 'orderBy' | 'slimit' | 'limit'>,
  slices: readonly Value[],
): Pick<SelectQuery, 'qualify' | 'limitBy' | 'limit'> {
  const ordered = orderBy.length > 0;
  const [chosen, range] = [rowRange(slimit), rowRange(limit)];
  const keys = slices.map(({ sql }) => sql);
  const byKeys = slices.map(({ sql, nullable }) => sortTerm(sql, nullable));
  const rank = new Over(call('dense_rank'), { orderBy: byKeys });
  const qualify =
    chosen === undefined || ordered || keys.length === 0
      ? undefined
      : expr`and(${rank} > ${chosen.offset}, ${rank} <= ${chosen.offset + chosen.count})`;
  const isPerSlice = partitionBy.length > 0 && !ordered && keys.length > 0;
  if (!isPerSlice || range === undefined || range.count === 0n) return { qualify, limit: range };
  return { qualify, limitBy: { ...range, keys } };
}
