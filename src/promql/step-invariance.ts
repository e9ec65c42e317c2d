import type { Expr } from './language/tree.js';

/** Functions whose result depends on the time of the step, whatever their arguments are. */
const bySteps: ReadonlySet<string> = new Set([
  'days_in_month',
  'day_of_month',
  'day_of_week',
  'day_of_year',
  'hour',
  'minute',
  'month',
  'year',
  'predict_linear',
  'time',
  'timestamp',
  'info',
]);

/** True when an expression has the same value at every step, because `@` pins all its selectors. */
export function isStepInvariant(expr: Expr): boolean {
  switch (expr.kind) {
    case 'number':
    case 'string':
      return true;
    case 'vector':
    case 'subquery':
      return expr.at !== undefined;
    case 'matrix':
      return expr.selector.at !== undefined;
    case 'paren':
    case 'unary':
    case 'aggregate':
      return isStepInvariant(expr.expr);
    case 'binary':
      return isStepInvariant(expr.left) && isStepInvariant(expr.right);
    case 'call': {
      const { name } = expr.signature;
      const [first] = expr.args;
      if (name === 'timestamp') return first?.kind === 'vector' && first.at !== undefined;
      return !bySteps.has(name) && expr.args.every(isStepInvariant);
    }
  }
}
