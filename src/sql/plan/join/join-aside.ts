import { allOf, printSelect } from '../../engine/select.js';
import type { ExpressionTranslator } from '../../resolve/expression.js';
import type { JoinMember } from '../../resolve/relation.js';
import { joinCondition, type Side } from './join-side.js';
import { isEquality, type Term } from './join-tree.js';

/** Rows of a SEMI or ANTI join whose columns of the other side are named, too. */
export function withAside(main: Side, partner: Side, mirrored: boolean): Omit<Side, 'sql'> {
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
  { columns }: Omit<Side, 'sql'>,
  main: Side,
  partner: Side,
  on: readonly Term[],
  translator: ExpressionTranslator,
): string {
  const [number] = main.columns.map((name) => `${name}_m`);
  const numbered = printSelect({
    columns: [
      ...main.columns.map((name): [string, string] => [name, name]),
      [`row_number() OVER (ORDER BY ${main.order.join(', ')})`, `${number}`],
    ],
    from: `(${main.sql}) AS ${number}a`,
  });
  const conditions = (isKey: boolean): string[] =>
    on.filter(({ expression }) => isEquality(expression) === isKey).map((term) => joinCondition(term, translator));
  return printSelect({
    columns: columns.map((name) => [name, name]),
    from: `(${numbered}) AS ${number}s INNER JOIN (${partner.sql}) AS ${number}p ON ${allOf(conditions(true))}`,
    where: conditions(false),
    orderBy: [`${number}`, ...partner.order],
    limitBy: { count: 1n, offset: 0n, keys: [`${number}`] },
  });
}
