import type { DurationOperand } from './language/tree.js';
import { QueryError } from './query-error.js';

/** Milliseconds of a duration that may depend on the query, whose range and step count milliseconds. */
export function durationMs(
  ms: number,
  expr: DurationOperand | undefined,
  rangeMs: number,
  stepMs: number,
  mustBePositive: boolean,
): number {
  if (expr === undefined) return ms;
  const seconds = secondsOf(expr, rangeMs / 1000, stepMs / 1000);
  if (!Number.isFinite(seconds) || Math.abs(seconds) >= 2 ** 63 / 1e9)
    throw new QueryError('bad_data', 'duration is out of range');
  if (mustBePositive && seconds <= 0) throw new QueryError('bad_data', 'duration must be greater than 0');
  return Math.trunc(Math.round(seconds * 1e9) / 1e6);
}

function secondsOf(expr: DurationOperand | undefined, range: number, step: number): number {
  if (expr === undefined) return 0;
  if (expr.kind === 'number') return expr.value;
  const left = secondsOf(expr.left, range, step);
  const right = secondsOf(expr.right, range, step);
  switch (expr.operator) {
    case '+':
      return left + right;
    case '-':
      return left - right;
    case '*':
      return left * right;
    case '/':
      if (right === 0) throw new QueryError('bad_data', 'division by zero');
      return left / right;
    case '%':
      if (right === 0) throw new QueryError('bad_data', 'modulo by zero');
      return left % right;
    case '^':
      return left ** right;
    case 'step':
      return step;
    case 'range':
      return range;
    case 'min_of':
      return Math.min(left, right);
    case 'max_of':
      return Math.max(left, right);
  }
}
