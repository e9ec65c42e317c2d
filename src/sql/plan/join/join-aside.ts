import { call, column, fromQuery, join, select, sortTerm } from '../../engine/build.js';
import { type Expr, Over, type SelectQuery } from '../../engine/nodes.js';
import type { ExpressionTranslator } from '../../resolve/expression.js';
import type { JoinMember } from '../../resolve/relation.js';
import { joinCondition, ownColumns, type Side } from './join-side.js';
import { isEquality, type Term } from './join-tree.js';

/** Rows of a SEMI or ANTI join whose columns of the other side are named, too. */
export function withAside(main: Side, partner: Side, mirrored: boolean): Omit<Side, 'query'> {
  const aside = partner.members.map((member): JoinMember => ({ ...member, isAside: true }));
  return {
    columns: [...main.columns, ...partner.columns],
    members: mirrored ? [...aside, ...main.members] : [...main.members, ...aside],
    time: main.time,
    times: main.times,
    order: main.order,
  };
}

/** A SEMI join whose rows keep the first partner, by the order of the partner's rows. */
export function firstPartners(
  { columns }: Omit<Side, 'query'>,
  main: Side,
  partner: Side,
  on: readonly Term[],
  translator: ExpressionTranslator,
): SelectQuery {
  const number = `${main.columns[0]}_m`;
  const sorted = (order: readonly Expr[]) => order.map((by) => sortTerm(by, false));
  const numbered = select({
    columns: [...ownColumns(main.columns), [new Over(call('row_number'), { orderBy: sorted(main.order) }), number]],
    from: fromQuery(main.query, `${number}a`),
  });
  const conditions = (isKey: boolean): Expr[] =>
    on.filter(({ expression }) => isEquality(expression) === isKey).map((term) => joinCondition(term, translator));
  return select({
    columns: ownColumns(columns),
    from: join('INNER', fromQuery(numbered, `${number}s`), fromQuery(partner.query, `${number}p`), conditions(true)),
    where: conditions(false),
    orderBy: sorted([column(undefined, number), ...partner.order]),
    limitBy: { count: 1n, offset: 0n, keys: [column(undefined, number)] },
  });
}
