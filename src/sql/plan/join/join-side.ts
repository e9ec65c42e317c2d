import { printSelect, sortTerm } from '../../engine/select.js';
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
  readonly sql: string;
  readonly columns: readonly string[];
  readonly members: readonly JoinMember[];
  /** The time line of the rows. */
  readonly time: Value;
  /** Names of the columns that hold it: several after a join by equal times, none when it may be NULL. */
  readonly times: ReadonlySet<string>;
  /** Expressions that give the rows their natural order, the time first. */
  readonly order: readonly string[];
  readonly rowKey?: RowKey;
  /** Order of rows, where one time stands for several of them: see {@link Relation.sequence}. */
  readonly sequence?: readonly string[];
}

/** The FROM of a block that is a join. */
export function relationOf(side: Side, serial: number): Relation {
  const members = side.members.map((member) => {
    return mapValues(member, (value) => (side.times.has(value.sql) ? { ...value, role: 'time' } : value));
  });
  const rowAlias = `t${serial}`;
  const time = side.times.size > 0 ? ({ ...side.time, role: 'time' } as const) : undefined;
  const order = side.order.map((name) => sortTerm(name, true));
  return {
    ...namesOf(members),
    time,
    precision: side.time.precision,
    rowAlias,
    tagAlias: rowAlias,
    source: { kind: 'block', sql: side.sql, order },
    ...(side.rowKey === undefined ? {} : { rowKey: side.rowKey }),
    ...(side.sequence === undefined ? {} : { sequence: `tuple(${side.sequence.join(', ')})` }),
  };
}

/** Translates conditions over the columns of several sides. */
export function translatorOf(sides: readonly Side[], context: QueryContext): ExpressionTranslator {
  const precision = sides[0]?.time.precision ?? 'ms';
  const names = namesOf(sides.flatMap(({ members }) => members));
  const source = { kind: 'block', sql: '' } as const;
  const relation = { ...names, time: undefined, precision, rowAlias: '', tagAlias: '', source };
  return new ExpressionTranslator({ context, precision }, new RowNames(relation, aggregateNotAllowed));
}

/** A side whose columns can be NULL, where a row of the other side has no partner. */
export function nullableSide(side: Side, serial: number): Side {
  const columns = side.columns.map((name): [string, string] => [`toNullable(n${serial}.${name})`, name]);
  const nullable = (value: Value): Value => ({ ...value, nullable: true });
  return {
    ...side,
    sql: printSelect({ columns, from: `(${side.sql}) AS n${serial}` }),
    members: side.members.map((member) => mapValues(member, nullable)),
    time: nullable(side.time),
    times: new Set(),
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
  const changed = (column: RelationColumn): RelationColumn => ({ ...column, value: change(column.value) });
  const { time, tbname, byName } = member;
  return {
    ...member,
    columns: member.columns.map(changed),
    byName: new Map([...byName].map(([name, column]) => [name, column === undefined ? undefined : changed(column)])),
    time: time === undefined ? undefined : change(time),
    tbname: tbname === undefined ? undefined : change(tbname),
  };
}

/** A condition of ON: an equality compares values of one type, which the engine needs to join by it. */
export function joinCondition({ expression }: Term, translator: ExpressionTranslator): string {
  if (expression.kind !== 'binary' || expression.operator !== '=') return translator.condition(expression).sql;
  const [left, right] = [translator.translate(expression.left), translator.translate(expression.right)];
  const hasKey = ({ member, role }: Value): boolean => member === undefined && role !== 'null';
  if (!hasKey(left) || !hasKey(right)) return translator.condition(expression).sql;
  return `equals(${equalKeys(left, right, translator.env).join(', ')})`;
}
