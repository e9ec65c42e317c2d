import type { Expr } from '../../engine/nodes.js';
import { chainTerms, type ExpressionTranslator } from '../../resolve/expression.js';
import { columnsIn } from '../../resolve/mentioned.js';
import type { Expression } from '../../syntax/ast.js';
import { intersect } from '../../values/compare.js';
import { type TimeBounds, Uses } from '../../values/value.js';

/** The terms of a WHERE, sorted by what has to be read to decide them. */
export interface Filter {
  /** Limits on the primary timestamp. */
  readonly time: readonly Expr[];
  /** Other terms on the row, and terms that are the same for all rows. */
  readonly row: readonly Expr[];
  /** Terms on tags and tbname only: they choose sub-tables. */
  readonly tags: readonly Expr[];
  /** Terms that need a row and its tags side by side. */
  readonly mixed: readonly Expr[];
  readonly bounds: TimeBounds | undefined;
  /** True when a term looks at data, so that a sub-table with rows in the time range may lose them all. */
  readonly looksAtData: boolean;
}

/** Sorts the terms of a WHERE; the terms must all hold. */
export function sortFilter(where: Expression | undefined, translator: ExpressionTranslator): Filter {
  const time: Expr[] = [];
  const row: Expr[] = [];
  const tags: Expr[] = [];
  const mixed: Expr[] = [];
  let bounds: TimeBounds | undefined;
  let looksAtData = false;
  for (const term of where === undefined ? [] : chainTerms(where, 'AND')) {
    const { sql, uses, bounds: own, constant } = translator.filter(term);
    if (constant === true) continue;
    bounds = intersect(bounds, own);
    // A choice between ranges may have other terms than the time in each.
    const isTimeLimit =
      own !== undefined && columnsIn(term).every((column) => translator.translate(column).role === 'time');
    if (uses === Uses.tags) tags.push(sql);
    else if ((uses & Uses.tags) !== 0) mixed.push(sql);
    else if (isTimeLimit) time.push(sql);
    else row.push(sql);
    if ((uses & Uses.row) !== 0 && !isTimeLimit) looksAtData = true;
  }
  return { time, row, tags, mixed, bounds, looksAtData };
}
