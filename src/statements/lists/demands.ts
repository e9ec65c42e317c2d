import { chainTerms } from '../../sql/resolve/expression.js';
import type { Query, Select } from '../../sql/syntax/ast.js';
import { tablesIn } from '../../sql/syntax/tree.js';
import type { Demands } from './system-table.js';

/**
 * Demands of WHERE on the columns of the only table in a query, as far as it is `column = 'text'`. It holds for every
 * row that the query looks at, so a table may leave the others out; WHERE itself is applied as well. Nothing is
 * demanded where a second table is named, because the terms may be about that one.
 */
export function demandsOf(query: Query): Demands {
  const select = innermost(query);
  const demands = new Map<string, string>();
  if (select?.where === undefined || tablesIn(query).length !== 1) return demands;
  for (const term of chainTerms(select.where, 'AND')) {
    if (term.kind !== 'binary' || term.operator !== '=') continue;
    if (term.left.kind === 'column' && term.right.kind === 'string') demands.set(term.left.name.text, term.right.value);
  }
  return demands;
}

function innermost(query: Query): Select | undefined {
  let select = query;
  while (select.kind === 'select' && select.from?.kind === 'subquery') select = select.from.query;
  return select.kind === 'select' ? select : undefined;
}
