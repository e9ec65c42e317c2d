import { column, fromQuery, select, sortTerm } from '../../engine/build.js';
import type { Expr, SelectColumn, SelectQuery } from '../../engine/nodes.js';
import { isSameExpr } from '../../engine/print.js';
import { expr } from '../../engine/template.js';
import { ExpressionTranslator } from '../../resolve/expression.js';
import { aggregateNotAllowed, RowNames } from '../../resolve/names.js';
import {
  indexColumns,
  type JoinMember,
  type Relation,
  type RelationColumn,
  type RowKey,
} from '../../resolve/relation.js';
import { equalKeys } from '../../values/comparable.js';
import type { QueryContext } from '../../values/context.js';
import type { Value } from '../../values/value.js';
import type { Term } from './join-tree.js';

/** Rows to be joined, or joined already: a SELECT of the engine whose columns have names that nothing else has. */
export interface Side {
  readonly query: SelectQuery;
  readonly columns: readonly string[];
  readonly members: readonly JoinMember[];
  /** The time line of the rows. */
  readonly time: Value;
  /** The columns that hold it: several after a join by equal times, none when it may be NULL. */
  readonly times: readonly Expr[];
  /** Expressions that give the rows their natural order, the time first. */
  readonly order: readonly Expr[];
  readonly rowKey?: RowKey;
  /** Order of rows, where one time stands for several of them: see {@link Relation.sequence}. */
  readonly sequence?: readonly Expr[];
}

/** True for a column that holds the time line of a side. */
export function holdsTime({ times }: Pick<Side, 'times'>, { sql }: Value): boolean {
  return times.some((time) => isSameExpr(time, sql));
}

/** Columns of a FROM item, known under `table` where it has an alias, by the names that they have there. */
export function ownColumns(names: readonly string[], table?: string): SelectColumn[] {
  return names.map((name) => [column(table, name), name]);
}

/** The FROM of a block that is a join. */
export function relationOf(side: Side, serial: number): Relation {
  const members = side.members.map((member) => {
    return mapValues(member, (value) => (holdsTime(side, value) ? { ...value, role: 'time' } : value));
  });
  const rowAlias = `t${serial}`;
  const time = side.times.length > 0 ? ({ ...side.time, role: 'time' } as const) : undefined;
  const order = side.order.map((by) => sortTerm(by, true));
  return {
    ...namesOf(members),
    time,
    precision: side.time.precision,
    rowAlias,
    tagAlias: rowAlias,
    source: { kind: 'block', query: side.query, order },
    ...(side.rowKey === undefined ? {} : { rowKey: side.rowKey }),
    ...(side.sequence === undefined ? {} : { sequence: expr`tuple(${side.sequence})` }),
  };
}

/** Translates conditions over the columns of several sides. */
export function translatorOf(sides: readonly Side[], context: QueryContext): ExpressionTranslator {
  const precision = sides[0]?.time.precision ?? 'ms';
  const names = namesOf(sides.flatMap(({ members }) => members));
  const source = { kind: 'block', query: { columns: [], from: undefined } } as const;
  const relation = { ...names, time: undefined, precision, rowAlias: '', tagAlias: '', source };
  return new ExpressionTranslator({ context, precision }, new RowNames(relation, aggregateNotAllowed));
}

/** A side whose columns can be NULL, where a row of the other side has no partner. */
export function nullableSide(side: Side, serial: number): Side {
  const alias = `n${serial}`;
  const columns = side.columns.map((name): SelectColumn => [expr`toNullable(${column(alias, name)})`, name]);
  const nullable = (value: Value): Value => ({ ...value, nullable: true });
  return {
    ...side,
    query: select({ columns, from: fromQuery(side.query, alias) }),
    members: side.members.map((member) => mapValues(member, nullable)),
    time: nullable(side.time),
    times: [],
  };
}

function namesOf(members: readonly JoinMember[]) {
  const [aside, shown] = [true, false].map((isAside) =>
    members.filter((member) => (member.isAside === true) === isAside).flatMap((member) => member.columns),
  );
  // A name without a table is that of a column of the main side, where both have it.
  const byName = new Map([...indexColumns(aside ?? []), ...indexColumns(shown ?? [])]);
  return { qualifier: undefined, columns: [...(shown ?? []), ...(aside ?? [])], byName, tbname: undefined, members };
}

function mapValues(member: JoinMember, change: (value: Value) => Value): JoinMember {
  const changed = (each: RelationColumn): RelationColumn => ({ ...each, value: change(each.value) });
  const { time, tbname, byName } = member;
  return {
    ...member,
    columns: member.columns.map(changed),
    byName: new Map([...byName].map(([name, each]) => [name, each === undefined ? undefined : changed(each)])),
    time: time === undefined ? undefined : change(time),
    tbname: tbname === undefined ? undefined : change(tbname),
  };
}

/** A condition of ON: an equality compares values of one type, which the engine needs to join by it. */
export function joinCondition({ expression }: Term, translator: ExpressionTranslator): Expr {
  if (expression.kind !== 'binary' || expression.operator !== '=') return translator.condition(expression).sql;
  const [left, right] = [translator.translate(expression.left), translator.translate(expression.right)];
  const hasKey = ({ member, role }: Value): boolean => member === undefined && role !== 'null';
  if (!hasKey(left) || !hasKey(right)) return translator.condition(expression).sql;
  return expr`equals(${equalKeys(left, right, translator.env)})`;
}
