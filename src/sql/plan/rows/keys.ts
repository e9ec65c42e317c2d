import type { Relation } from '../../resolve/relation.js';
import type { Expression, PartitionItem } from '../../syntax/ast.js';
import { withoutAliases } from './aliases.js';
import type { Item } from './items.js';

/** A key of GROUP BY or PARTITION BY and the name it was given there. */
interface KeyExpression {
  readonly value: Expression;
  readonly alias: string | undefined;
}

/** The keys as expressions over rows: positions and aliases of the select list are replaced by what they stand for. */
export function keyExpressions(
  parts: readonly PartitionItem[],
  items: readonly Item[],
  relation: Relation | undefined,
): KeyExpression[] {
  return parts.map(({ value, alias }) => {
    if (value.kind === 'integer') {
      const item = items[Number(value.value) - 1];
      if (item !== undefined) return { value: item.value, alias: alias?.text };
    }
    return { value: withoutAliases(value, items, relation), alias: alias?.text };
  });
}
