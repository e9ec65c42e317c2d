import { Codes } from '../../model/fault.js';
import type { Expression, Query } from '../syntax/ast.js';
import { equalKeys } from '../values/comparable.js';
import { compare } from '../values/compare.js';
import { refuse, refuseUnsupported, type SystemRelation } from '../values/context.js';
import type { Environment } from '../values/convert.js';
import { condition, isText, Uses, type Value } from '../values/value.js';

function planned(query: Query, { context }: Environment): SystemRelation {
  return context.subquery?.(query) ?? unavailable();
}

function unavailable(): never {
  throw refuseUnsupported('a subquery here');
}

/** The one column of a query, as a value over rows that are called `b`. */
function onlyColumn({ columns }: SystemRelation): Value {
  const [column] = columns;
  if (column === undefined || columns.length > 1) {
    throw refuse(Codes.invalidExpression, 'Invalid usage of expr: a subquery with more than one column');
  }
  const { alias, type, precision, nullable, role } = column;
  return { sql: `b.${alias}`, type, precision, nullable, uses: Uses.nothing, role };
}

/** The value of a query of one column and at most one row; NULL without any. More rows are an error when it is run. */
export function scalarOf(query: Query, env: Environment): Value {
  const block = planned(query, env);
  const column = onlyColumn(block);
  return { ...column, sql: `(SELECT ${column.sql} FROM (${block.sql}) AS b)`, nullable: true };
}

/**
 * `value [NOT] IN (query)`; as in a list, whether what was not found is in a query with NULL among its rows is unknown. Nothing,
 * not even NULL, is in a query without rows.
 */
export function isInQuery(
  value: Value,
  { query, negated }: Extract<Expression, { kind: 'in-query' }>,
  env: Environment,
): Value {
  const block = planned(query, env);
  const column = onlyColumn(block);
  checkNoMember(value, 'IN');
  const isNull = value.role === 'null' || column.role === 'null';
  const [left, right] = isNull ? [value.sql, column.sql] : equalKeys(value, column, env);
  const rows = `FROM (${block.sql}) AS b`;
  // In a cluster a query of joins would else be answered by each shard for itself.
  const isMember = `${left} GLOBAL IN (SELECT ${right} ${rows})`;
  // A key is NULL also where a value can equal none of the others.
  const isKnown = left === value.sql ? isMember : `if(isNull(${value.sql}), NULL, ifNull(${isMember}, 0))`;
  const hasNull = `(SELECT countIf(isNull(${column.sql})) ${rows}) > 0`;
  const isFound = column.nullable ? `if(not(ifNull(${isMember}, 0)) AND ${hasNull}, NULL, ${isKnown})` : `(${isKnown})`;
  const test = negated ? `not(${isFound})` : isFound;
  if (!value.nullable) return condition(test, [value]);
  return condition(`if((SELECT count() ${rows}) = 0, ${negated ? 1 : 0}, ${test})`, [value]);
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
 * `value operator ALL (query)`, or ANY: whether the comparison holds for every row of a query, or for one at least. Of the rows
 * with a value only the least and the greatest matter. Without rows ALL holds and ANY does not.
 */
export function holdsForRows(
  value: Value,
  { query, operator, every }: Extract<Expression, { kind: 'quantified' }>,
  env: Environment,
): Value {
  const block = planned(query, env);
  const column = onlyColumn(block);
  checkKinds(value, column, every ? 'ALL' : 'ANY');
  const ask = (figure: string): string => `(SELECT ${figure} FROM (${block.sql}) AS b)`;
  const bound = (name: 'min' | 'max'): string =>
    compare(operator, value, { ...column, sql: ask(`${name}(${column.sql})`), nullable: true }, env).sql;
  const isBelow = operator === '<' || operator === '<=';
  const isOrder = operator !== '=' && operator !== '<>';
  const both = `${every ? 'and' : 'or'}(${bound('min')}, ${bound('max')})`;
  const known = isOrder ? bound(isBelow === every ? 'min' : 'max') : both;
  const decided = every ? `ifNull(not(${known}), 0)` : `ifNull(${known}, 0)`;
  const hasNull = `${ask(`countIf(isNull(${column.sql}))`)} > 0`;
  const result = column.nullable ? `if(not(${decided}) AND ${hasNull}, NULL, ${known})` : known;
  return condition(`if(${ask('count()')} = 0, ${every ? 1 : 0}, ${result})`, [value]);
}

/** Whether a query has rows. */
export function hasRows(query: Query, env: Environment): Value {
  return condition(`((SELECT count() FROM (SELECT 1 FROM (${planned(query, env).sql}) LIMIT 1)) > 0)`, []);
}
