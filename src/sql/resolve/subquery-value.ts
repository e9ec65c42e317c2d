import { Codes } from '../../model/fault.js';
import { call, column, fromQuery, one, select, subquery } from '../engine/build.js';
import type { Expr } from '../engine/nodes.js';
import { expr } from '../engine/template.js';
import type { Expression, Query } from '../syntax/ast.js';
import { equalKeys } from '../values/comparable.js';
import { compare } from '../values/compare.js';
import { refuse, refuseUnsupported, type SystemRelation } from '../values/context.js';
import type { Environment } from '../values/convert.js';
import { condition, isText, nullValue, Uses, type Value } from '../values/value.js';

/** The engine resolves each query of an expression twice; `copies` is how often the expression holds it. */
function planned(query: Query, { context }: Environment, copies = 1): SystemRelation {
  return context.subquery?.(query, 2 * copies) ?? unavailable();
}

function unavailable(): never {
  throw refuseUnsupported('a subquery here');
}

/** The one column of a query, as a value over rows that are called `b`. */
function onlyColumn({ columns }: SystemRelation): Value {
  const [only] = columns;
  if (only === undefined || columns.length > 1) {
    throw refuse(Codes.invalidExpression, 'Invalid usage of expr: a subquery with more than one column');
  }
  const { alias, type, precision, nullable, role } = only;
  return { sql: column('b', alias), type, precision, nullable, uses: Uses.nothing, role };
}

/** A column over the rows of a query, which are called `b`, as a value or as a set. */
function rowsOf({ query }: SystemRelation, value: Expr): Expr {
  return subquery({ columns: [[value, '']], from: fromQuery(query, 'b') });
}

/** The value of a query of one column and at most one row; NULL without any. More rows are an error when it is run. */
export function scalarOf(query: Query, env: Environment): Value {
  const block = planned(query, env);
  const only = onlyColumn(block);
  // The engine would take the column for one of texts.
  if (only.role === 'null') return nullValue;
  return { ...only, sql: rowsOf(block, only.sql), nullable: true };
}

/**
 * `value [NOT] IN (query)`; as in a list, whether what was not found is in a query with NULL among its rows is unknown.
 * Nothing, not even NULL, is in a query without rows. As a filter, what is unknown is false.
 */
export function isInQuery(
  value: Value,
  { query, negated }: Extract<Expression, { kind: 'in-query' }>,
  env: Environment,
  isFilter = false,
): Value {
  const holdsOnce = isFilter && !negated;
  const block = planned(query, env, holdsOnce ? 1 : 2);
  const only = onlyColumn(block);
  checkNoMember(value, 'IN');
  const isNull = value.role === 'null' || only.role === 'null';
  const [left, right] = isNull ? [value.sql, only.sql] : equalKeys(value, only, env);
  // In a cluster a query of joins would else be answered by each shard for itself.
  const isMember = expr`${left} GLOBAL IN ${rowsOf(block, right)}`;
  if (!value.nullable && !only.nullable) return condition(negated ? expr`not(${isMember})` : isMember, [value]);
  // A key is NULL also where a value can equal none of the others.
  const isFound = expr`ifNull(${isMember}, 0)`;
  if (holdsOnce) return condition(isFound, [value]);
  const hasNull = only.nullable ? expr`if(countIf(isNull(${only.sql})) > 0, 2, 1)` : one;
  const content = rowsOf(block, expr`if(count() = 0, 0, ${hasNull})`);
  const isUnknown = value.nullable ? expr`${content} > if(isNull(${value.sql}), 0, 1)` : expr`${content} > 1`;
  return condition(expr`if(${isFound}, ${negated ? 0 : 1}, if(${isUnknown}, NULL, ${negated ? 1 : 0}))`, [value]);
}

function checkKinds(value: Value, column: Value, what: string): void {
  const [known, listed] = [value, column].map((side) => side.role === 'null' || isText(side.type));
  checkNoMember(value, what);
  if (known !== listed && column.role !== 'null' && value.role !== 'null') throw otherKind(what);
}

function checkNoMember({ member }: Value, what: string): void {
  if (member !== undefined) throw otherKind(what);
}

function otherKind(what: string): Error {
  return refuseUnsupported(`${what} of a subquery with values of another kind`);
}

/**
 * `value operator ALL (query)`, or ANY: whether the comparison holds for every row of a query, or for one at least. Of
 * the rows with a value only the least and the greatest matter. Without rows ALL holds and ANY does not.
 */
export function holdsForRows(
  value: Value,
  { query, operator, every }: Extract<Expression, { kind: 'quantified' }>,
  env: Environment,
): Value {
  const block = planned(query, env, 8);
  const only = onlyColumn(block);
  checkKinds(value, only, every ? 'ALL' : 'ANY');
  const scalar = (aggregate: Expr): Expr => rowsOf(block, aggregate);
  const bound = (name: 'min' | 'max'): Expr =>
    compare(operator, value, { ...only, sql: scalar(call(name, only.sql)), nullable: true }, env).sql;
  const isBelow = operator === '<' || operator === '<=';
  const isOrder = operator !== '=' && operator !== '<>';
  const both = call(every ? 'and' : 'or', bound('min'), bound('max'));
  const known = isOrder ? bound(isBelow === every ? 'min' : 'max') : both;
  const decided = every ? expr`ifNull(not(${known}), 0)` : expr`ifNull(${known}, 0)`;
  const hasNull = expr`${scalar(expr`countIf(isNull(${only.sql}))`)} > 0`;
  const result = only.nullable ? expr`if(not(${decided}) AND ${hasNull}, NULL, ${known})` : known;
  return condition(expr`if(${scalar(expr`count()`)} = 0, ${every ? 1 : 0}, ${result})`, [value]);
}

/** Whether a query has rows. */
export function hasRows(query: Query, env: Environment): Value {
  const first = select({
    columns: [[one, '']],
    from: fromQuery(planned(query, env).query),
    limit: { count: 1n, offset: 0n },
  });
  const count = subquery({ columns: [[expr`count()`, '']], from: fromQuery(first) });
  return condition(expr`${count} > 0`, []);
}
