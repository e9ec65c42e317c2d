import type { Precision } from '../../model/schema.js';
import { dataType, keyColumn } from '../../model/schema.js';
import { column as engineColumn, text } from '../engine/build.js';
import type { Expr, Query, SortTerm } from '../engine/nodes.js';
import { dataColumn, nameColumn, tagOfSeries, timeColumn } from '../engine/storage.js';
import { expr } from '../engine/template.js';
import type { Expression, OrderItem } from '../syntax/ast.js';
import type { TableTarget } from '../values/context.js';
import type { BlockColumn } from '../values/result.js';
import { timestampType, Uses, type Value } from '../values/value.js';

/** Length of TBNAME: the longest table name. */
const tbnameType = dataType('VARCHAR', 192);

/** A column as an expression may name it. */
export interface RelationColumn {
  readonly name: string;
  readonly value: Value;
  readonly tag: boolean;
}

/** Columns that one name may stand before: those of a table or subquery. */
export interface Member {
  /** The name that may stand before a column; undefined when there is none. */
  readonly qualifier: string | undefined;
  readonly columns: readonly RelationColumn[];
  /** By name; undefined where the name is ambiguous. */
  readonly byName: ReadonlyMap<string, RelationColumn | undefined>;
  readonly time: Value | undefined;
  readonly tbname: Value | undefined;
  /** Of rows that stand beside the window that they are in: engine SQL of its limits. */
  readonly windowEnds?: { readonly start: Expr; readonly end: Expr };
}

/** The FROM of a block. `aliases` are the engine's names for it: of its rows, and of its tags when it has any. */
export interface Relation extends Member {
  readonly precision: Precision;
  /** The tables of a join in the order written, each with a qualifier; undefined when there is no join. */
  readonly members?: readonly JoinMember[];
  /** Of a window join: the column that identifies its main rows, each of which is a group. */
  readonly rowKey?: RowKey;
  /**
   * Engine SQL by which rows come one behind the other, where their time alone does not order them: in an ASOF or WINDOW join a main
   * row meets several partner rows, and a stored table may have a key beside the time.
   */
  readonly sequence?: Expr;
  /** Of rows of a super table in a subquery: engine SQL that tells its sub-tables apart. */
  readonly series?: readonly Expr[];
  /**
   * Of a subquery with ORDER BY: engine SQL that is smaller in rows that come before others. None where its rows come in
   * no order of time.
   */
  readonly rowOrder?: readonly Expr[] | undefined;
  readonly rowAlias: string;
  readonly tagAlias: string;
  readonly source:
    | { readonly kind: 'stored'; readonly target: TableTarget }
    /** `order`: sort terms of the rows' natural order, where the statement must sort. */
    | { readonly kind: 'block'; readonly query: Query; readonly order?: readonly SortTerm[] };
}

/** A table or subquery in a join. */
export interface JoinMember extends Member {
  readonly qualifier: string;
  /** True when `t.*` shows its tags. */
  readonly showsTags: boolean;
  /** True for the other side of a SEMI or ANTI join: its columns can be named, but `*` leaves them out. */
  readonly isAside?: boolean;
}

/** See {@link Relation.rowKey}: a column of one of the main members. */
export interface RowKey {
  readonly qualifier: string;
  readonly name: string;
  readonly main: readonly JoinMember[];
}

/** Table or side of a join that a name before a column stands for; undefined when FROM has nothing of that name. */
export function memberNamed(relation: Relation | undefined, qualifier: string): Member | undefined {
  if (relation?.members === undefined) return relation?.qualifier === qualifier ? relation : undefined;
  return relation.members.find((member) => member.qualifier === qualifier);
}

/** The relation of a stored table. `serial` makes its aliases unique in the statement. */
export function storedRelation(target: TableTarget, precision: Precision, qualifier: string, serial: number): Relation {
  const { table } = target;
  const rowAlias = `t${serial}`;
  const tagAlias = `g${serial}`;
  const time: Value = {
    sql: timeColumn(rowAlias),
    type: timestampType,
    precision,
    nullable: false,
    uses: Uses.row,
    role: 'time',
  };
  const columns: RelationColumn[] = [{ name: table.timeColumn, value: time, tag: false }];
  for (const { name, type, physical } of table.columns) {
    const sql = dataColumn(rowAlias, physical);
    columns.push({ name, value: { sql, type, precision, nullable: true, uses: Uses.row, exact: true }, tag: false });
  }
  for (const { name, type, physical } of table.tags) {
    const shared = target.kind === 'sub';
    const sql = shared ? tagOfSeries(table, physical, target.id) : dataColumn(tagAlias, physical);
    const uses = shared ? Uses.nothing : Uses.tags;
    columns.push({ name, value: { sql, type, precision, nullable: true, uses, exact: !shared }, tag: true });
  }
  const source = { kind: 'stored', target } as const;
  const tbname = tbnameValue(target, precision, tagAlias);
  const key = keyColumn(table);
  const sequence =
    key === undefined ? {} : { sequence: expr`tuple(${time.sql}, ${dataColumn(rowAlias, key.physical)})` };
  const names = { qualifier, columns, byName: indexColumns(columns), time, tbname, ...sequence };
  return { ...names, precision, rowAlias, tagAlias, source };
}

function tbnameValue(target: TableTarget, precision: Precision, tagAlias: string): Value {
  if (target.kind !== 'super') return namedTable(target.kind === 'sub' ? target.name : target.table.name, precision);
  const base = { type: tbnameType, precision, nullable: false, role: 'tbname' } as const;
  return { ...base, sql: nameColumn(tagAlias), uses: Uses.tags };
}

/** TBNAME of a table that is no super table. */
export function namedTable(name: string, precision: Precision): Value {
  const base = { type: tbnameType, precision, nullable: false, role: 'tbname' } as const;
  return { ...base, sql: text(name), uses: Uses.nothing, constant: name };
}

/** The relation of a subquery: its result columns; the first timestamp among them is its time. */
export function blockRelation(
  query: Query,
  columns: readonly BlockColumn[],
  qualifier: string | undefined,
  serial: number,
): Relation {
  const rowAlias = `t${serial}`;
  let time: Value | undefined;
  const list = columns.map((column): RelationColumn => {
    const { type, precision, nullable, exact } = column;
    const isTime = time === undefined && type.name === 'TIMESTAMP';
    const role = isTime ? 'time' : undefined;
    const value: Value = {
      sql: engineColumn(rowAlias, column.alias),
      type,
      precision,
      nullable,
      uses: Uses.row,
      role,
      exact,
    };
    if (isTime) time = value;
    return { name: column.name, value, tag: false };
  });
  return {
    qualifier,
    columns: list,
    byName: indexColumns(list),
    time,
    tbname: undefined,
    precision: columns.find((column) => column.type.name === 'TIMESTAMP')?.precision ?? columns[0]?.precision ?? 'ms',
    rowAlias,
    tagAlias: rowAlias,
    source: { kind: 'block', query },
  };
}

/**
 * See {@link Relation.rowOrder}, by the ORDER BY of a subquery: its first time among the columns of the result. Undefined
 * where it sorts by something that is not in the result.
 */
export function rowOrderOf(orderBy: readonly OrderItem[], { columns, byName }: Member): readonly Expr[] | undefined {
  if (orderBy.length === 0) return undefined;
  const sorted = orderBy.map(({ value, descending }) => {
    const column = value.kind === 'integer' ? columns[Number(value.value) - 1] : byName.get(columnName(value));
    return column && { ...column.value, descending };
  });
  const time = sorted.find((column) => column?.type.name === 'TIMESTAMP');
  if (time !== undefined) return [time.descending ? expr`negate(${time.sql})` : time.sql];
  return sorted.includes(undefined) ? undefined : [];
}

function columnName(expression: Expression): string {
  return expression.kind === 'column' ? expression.name.text : '';
}

/** Columns by name; undefined where a name stands for several. */
export function indexColumns(columns: readonly RelationColumn[]): Map<string, RelationColumn | undefined> {
  const byName = new Map<string, RelationColumn | undefined>();
  for (const column of columns) byName.set(column.name, byName.has(column.name) ? undefined : column);
  return byName;
}
