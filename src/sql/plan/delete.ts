import { Codes } from '../../model/fault.js';
import { one, select, subquery, zero } from '../engine/build.js';
import { Binary, type Expr, type SelectQuery } from '../engine/nodes.js';
import { bareTime, idColumn, tagsSource } from '../engine/storage.js';
import { expr } from '../engine/template.js';

import { chainTerms, ExpressionTranslator } from '../resolve/expression.js';
import { aggregateNotAllowed, RowNames } from '../resolve/names.js';
import { type Relation, storedRelation } from '../resolve/relation.js';
import type { Expression, ObjectName } from '../syntax/ast.js';
import { findTable, type QueryContext, refuse, refuseUnsupported, type TableTarget } from '../values/context.js';
import type { Environment } from '../values/convert.js';
import { Uses, type Value } from '../values/value.js';

/** The rows that DELETE removes. */
export interface DeletePlan {
  readonly target: TableTarget;
  /** Conditions on the engine table's bare time column; all must hold. */
  readonly time: readonly Expr[];
  /** Whose rows: of all series of the table, of some, or of those whose ids an engine query lists. */
  readonly series: 'all' | { readonly ids: readonly bigint[] } | { readonly query: SelectQuery };
}

/**
 * Checks a DELETE: limits on the primary timestamp joined by AND, for super tables also any conditions
 * on tags and `tbname`. Everything else is error 0x2655, because it gives no single range of time.
 */
export function planDelete(table: ObjectName, where: Expression | undefined, context: QueryContext): DeletePlan {
  const { target, precision } = findTable(table, context);
  const relation = withBareTime(storedRelation(target, precision, table.name.text, 1));
  const translator = conditionsOn(relation, { context, precision });
  const time: Expr[] = [];
  const tags: Expr[] = [];
  for (const term of where === undefined ? [] : chainTerms(where, 'AND')) {
    const value = translator.condition(term);
    if (value.constant === true) continue;
    if (value.constant === false) time.push(zero);
    else if (value.uses === Uses.tags) tags.push(value.sql);
    else if (isTimeLimit(term, translator)) time.push(value.sql);
    else throw refuse(Codes.deleteTimeRange, 'The DELETE statement must have a definite time window range');
  }
  return { target, time, series: seriesOf(target, relation, tags) };
}

/**
 * A condition of the engine on the tags of a super table without an alias, for the sub-tables that meet a condition on
 * tags and `tbname`.
 */
export function planSubTables(table: ObjectName, where: Expression | undefined, context: QueryContext): Expr {
  const { target, precision } = findTable(table, context);
  if (target.kind !== 'super') throw refuse(Codes.invalidAlterTable, 'Invalid alter table statement');
  if (where === undefined) return one;
  const relation = storedRelation(target, precision, table.name.text, 1);
  const { sql, uses } = conditionsOn(relation, { context, precision }).condition(where);
  if ((uses | Uses.tags) !== Uses.tags) throw refuseUnsupported('SET TAG with a condition on columns');
  const ids = subquery(idsWhere([sql], target, relation, (id) => id));
  return new Binary('GLOBAL IN', idColumn(''), ids);
}

function conditionsOn(relation: Relation, env: Environment): ExpressionTranslator {
  return new ExpressionTranslator(env, new RowNames(relation, aggregateNotAllowed));
}

/** Lists the ids of the sub-tables of a super table whose tags meet conditions, as `printed`. */
function idsWhere(
  where: readonly Expr[],
  { table }: TableTarget,
  { tagAlias }: Relation,
  printed: (id: Expr) => Expr,
): SelectQuery {
  return select({ columns: [[printed(idColumn(tagAlias)), 'id']], from: tagsSource(table, tagAlias), where });
}

function seriesOf(target: TableTarget, relation: Relation, tags: readonly Expr[]): DeletePlan['series'] {
  if (target.kind === 'sub') return { ids: [target.id] };
  if (target.kind === 'normal') return { ids: [target.table.seriesId ?? 0n] };
  if (tags.length === 0 && target.hiddenSince === undefined) return 'all';
  return { query: idsWhere(tags, target, relation, (id) => expr`toString(${id})`) };
}

/** A comparison of the primary timestamp with something that is the same for all rows. */
function isTimeLimit(term: Expression, translator: ExpressionTranslator): boolean {
  const isLimit = (value: Value): boolean => value.uses === Uses.nothing;
  if (term.kind === 'between') {
    const [value, low, high] = [term.value, term.low, term.high].map((part) => translator.translate(part));
    return !term.negated && value?.role === 'time' && [low, high].every((end) => end !== undefined && isLimit(end));
  }
  if (term.kind !== 'binary' || !rangeOperators.has(term.operator)) return false;
  const [left, right] = [translator.translate(term.left), translator.translate(term.right)];
  return (left.role === 'time' && isLimit(right)) || (right.role === 'time' && isLimit(left));
}

const rangeOperators: ReadonlySet<string> = new Set(['=', '<', '<=', '>', '>=']);

/** In a DELETE of the engine the table has no alias. */
function withBareTime(relation: Relation): Relation {
  const columns = relation.columns.map((column) =>
    column.value.role === 'time' ? { ...column, value: { ...column.value, sql: bareTime } } : column,
  );
  const byName = new Map(columns.map((column) => [column.name, column]));
  const time = relation.time === undefined ? undefined : { ...relation.time, sql: bareTime };
  return { ...relation, columns, byName, time };
}
