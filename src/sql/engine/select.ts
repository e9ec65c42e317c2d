import type { OrderItem } from '../syntax/ast.js';

/** One SELECT of the engine, clause by clause; every text in it is engine SQL already. */
export interface EngineSelect {
  /** Expressions with the names they get. */
  readonly columns: readonly (readonly [sql: string, alias: string])[];
  /** Puts all columns of the FROM item of this name before them. */
  readonly star?: string;
  readonly distinct?: boolean;
  readonly from: string | undefined;
  readonly where?: readonly string[];
  /** How many of the leading columns are grouping keys, or the keys themselves. */
  readonly groupBy?: number | readonly string[];
  readonly having?: readonly string[];
  /** How many rows it gives at most, where the statement itself says so. */
  readonly mostRows?: number | undefined;
  /** True for aggregates without keys. */
  readonly isOneGroup?: boolean;
  /** Of a SELECT of aggregates without keys: over no rows it gives none either. */
  readonly hidesEmpty?: boolean;
  readonly qualify?: string | undefined;
  readonly orderBy?: readonly string[];
  readonly limitBy?: LimitBy | undefined;
  readonly limit?: RowRange | undefined;
}

/** Rows kept: `count` after leaving out `offset`. */
export interface RowRange {
  readonly count: bigint;
  readonly offset: bigint;
}

/** {@link RowRange} applied to every distinct value of `keys`. */
interface LimitBy extends RowRange {
  readonly keys: readonly string[];
}

/** The text of a SELECT without settings and format. */
export function printSelect(select: EngineSelect): string {
  const columns = select.columns.map(([sql, alias]) => `${sql} AS ${alias}`);
  if (select.star !== undefined) columns.unshift(`${select.star}.*`);
  let text = `SELECT ${select.distinct === true ? 'DISTINCT ' : ''}${columns.join(', ')}`;
  if (select.from !== undefined) text += ` FROM ${select.from}`;
  text += conditions(' WHERE ', select.where);
  const keys = groupingKeys(select.groupBy);
  if (keys.length > 0) text += ` GROUP BY ${keys.join(', ')}`;
  const having = select.having ?? [];
  text += conditions(' HAVING ', select.hidesEmpty === true ? ['count() > 0', ...having] : having);
  if (select.qualify !== undefined) text += ` QUALIFY ${select.qualify}`;
  if (select.orderBy !== undefined && select.orderBy.length > 0) text += ` ORDER BY ${select.orderBy.join(', ')}`;
  if (select.limitBy !== undefined) {
    const { offset, count, keys } = select.limitBy;
    text += ` LIMIT ${offset}, ${count} BY ${keys.join(', ')}`;
  }
  if (select.limit !== undefined) text += printRange(select.limit);
  return text;
}

function groupingKeys(groupBy: EngineSelect['groupBy'] = 0): readonly (string | number)[] {
  return typeof groupBy === 'number' ? Array.from({ length: groupBy }, (_, at) => at + 1) : groupBy;
}

/** ` LIMIT n OFFSET m` */
function printRange(range: RowRange): string {
  return ` LIMIT ${range.count}${range.offset === 0n ? '' : ` OFFSET ${range.offset}`}`;
}

/** A conjunction; `and` of the engine wants two operands at least. */
export function allOf(terms: readonly string[]): string {
  return terms.length === 1 ? (terms[0] ?? '1') : `and(${terms.join(', ')})`;
}

function conditions(keyword: string, terms: readonly string[] | undefined): string {
  return terms === undefined || terms.length === 0 ? '' : `${keyword}${allOf(terms)}`;
}

/** A sort term: NULL counts as the smallest value unless NULLS FIRST or LAST is written. */
export function sortTerm(sql: string, nullable: boolean, order?: Pick<OrderItem, 'descending' | 'nulls'>): string {
  const descending = order?.descending === true;
  const direction = descending ? 'DESC' : 'ASC';
  if (!nullable) return `${sql} ${direction}`;
  const nulls = order?.nulls ?? (descending ? 'last' : 'first');
  return `${sql} ${direction} NULLS ${nulls.toUpperCase()}`;
}
