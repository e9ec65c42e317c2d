import { Codes } from '../../model/fault.js';
import type { Expression, Query } from '../syntax/ast.js';
import { refuse, refuseUnsupported, type SystemRelation } from '../values/context.js';
import { commonType, convertTo, type Environment } from '../values/convert.js';
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
 * `value [NOT] IN (query)`; as in a list, nothing is surely not in a query with NULL among its rows. Nothing, not even NULL,
 * is in a query without rows.
 */
export function isInQuery(
  value: Value,
  { query, negated }: Extract<Expression, { kind: 'in-query' }>,
  env: Environment,
): Value {
  const block = planned(query, env);
  const column = onlyColumn(block);
  const [known, listed] = [value, column].map((side) => side.role === 'null' || isText(side.type));
  if (value.member !== undefined || (known !== listed && column.role !== 'null' && value.role !== 'null')) {
    throw refuseUnsupported('IN of a subquery with values of another kind');
  }
  const { type, precision } = commonType([value, column]);
  const [left, right] = [value, column].map((side) => convertTo(side, type, precision, env));
  const rows = `FROM (${block.sql}) AS b`;
  // In a cluster a query of joins would else be answered by each shard for itself.
  const found = `${left?.sql} GLOBAL IN (SELECT ${right?.sql} ${rows})`;
  if (!negated) return condition(`(${found})`, [value]);
  const hasNull = `(SELECT countIf(isNull(${right?.sql})) ${rows}) > 0`;
  const missing = column.nullable ? `if(${found}, 0, if(${hasNull}, NULL, not(${found})))` : `not(${found})`;
  if (!value.nullable) return condition(missing, [value]);
  return condition(`if((SELECT count() ${rows}) = 0, 1, ${missing})`, [value]);
}

/** Whether a query has rows. */
export function hasRows(query: Query, env: Environment): Value {
  return condition(`((SELECT count() FROM (SELECT 1 FROM (${planned(query, env).sql}) LIMIT 1)) > 0)`, []);
}
