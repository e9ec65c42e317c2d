import type { Expr, Query, SelectColumn } from '../../engine/nodes.js';
import { castToEngine } from '../../engine/storage.js';
import type { Relation, RelationColumn } from '../../resolve/relation.js';
import type { Select } from '../../syntax/ast.js';
import type { Environment } from '../../values/convert.js';
import type { BlockColumn, PrintedBlock } from '../../values/result.js';
import { isNumeric, type Value } from '../../values/value.js';
import type { Filter } from './filter.js';
import type { Item } from './items.js';
import type { PlannedItem } from './ordering.js';

/** A SELECT whose FROM, items and WHERE are resolved. */
export interface BlockTask {
  readonly select: Select;
  readonly relation: Relation | undefined;
  readonly env: Environment;
  readonly items: readonly Item[];
  readonly filter: Filter;
  /** The windows of EXTERNAL_WINDOW, which the rows stand beside. */
  readonly external?: ExternalWindows;
  /** Makes names of this block unique in the statement. */
  readonly serial: number;
}

/** The windows of a query; their columns stand with those of the rows that are in them. */
export interface ExternalWindows {
  /** The windows with the columns xn, xs, xe, xa1 … of their own, and xk1 … of what they are sliced by. */
  readonly windowQuery: Query;
  /** What the windows are sliced by as a column of them, and the same over the rows. */
  readonly keys: readonly (readonly [window: Expr, row: Value])[];
  /** The further columns of the query, over the rows. */
  readonly attributes: readonly RelationColumn[];
}

/** A query or subquery in the engine's words; times are ticks, nothing is made printable yet. */
export interface PlannedBlock extends PrintedBlock {
  /** True where it has windows and gives every row in them. */
  readonly isRowsOfWindows?: true | undefined;
}

/** Numbers of the first and the last of the windows between two times. */
export type WindowRange = readonly [first: bigint, last: bigint];

/** How many windows a range has. */
export function countOf([first, last]: WindowRange): number {
  return Number(last - first) + 1;
}

/** Result columns r1, r2 ... of a block, and the same as the block's outside sees them. */
export function resultColumns(
  items: readonly Item[],
  values: readonly Value[],
): { planned: PlannedItem[]; columns: SelectColumn[]; shown: BlockColumn[] } {
  const planned: PlannedItem[] = [];
  const columns: SelectColumn[] = [];
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
