import type { Relation } from '../../resolve/relation.js';
import type { Expression } from '../../syntax/ast.js';
import { expressionsIn, mapParts } from '../../syntax/tree.js';
import type { Item } from './items.js';

/**
 * An expression of a key or of ORDER BY: names that are no column but an alias of the select list become what it stands
 * for.
 */
export function withoutAliases(
  expression: Expression,
  items: readonly Item[],
  relation: Relation | undefined,
): Expression {
  const meaning = (part: Expression): Expression | undefined => {
    if (part.kind !== 'column' || part.table !== undefined || relation?.byName.has(part.name.text)) return undefined;
    return items.find(({ aliased, name }) => aliased && name === part.name.text)?.value;
  };
  const replaced = (part: Expression): Expression => meaning(part) ?? mapParts(part, replaced);
  return expressionsIn(expression).some((part) => meaning(part) !== undefined) ? replaced(expression) : expression;
}
