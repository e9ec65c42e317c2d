import type { Slice } from '../async/slice.js';
import type { Annotations } from './annotations.js';
import type { QueryBudget } from './budget.js';
import { noLabels } from './label-set.js';
import type { Expr } from './language/tree.js';
import { emptyRow, floatSample, type Row } from './rows.js';
import type { SeriesSource, Steps } from './source.js';
import { stepTime } from './steps.js';

/** What all parts of a query have in common. */
export interface EvaluationContext {
  readonly source: SeriesSource;
  readonly budget: QueryBudget;
  readonly annotations: Annotations;
  /** The range of the query in Unix milliseconds, and its step, 0 for one moment. */
  readonly startMs: number;
  readonly endMs: number;
  readonly stepMs: number;
  /** How old the last sample of a series may be, in milliseconds. */
  readonly lookbackMs: number;
  /** Step of subqueries that name none, in milliseconds. */
  readonly subqueryStepMs: number;
}

/** Evaluates parts of an expression for what is computed from them. */
export interface Evaluator {
  readonly context: EvaluationContext;
  readonly slice: Slice;
  /**
   * The value of a vector or a scalar at all steps: a scalar is one row without labels. Throws a QueryError where
   * samples do not fit together or a limit is reached.
   */
  rows(expr: Expr, steps: Steps): Promise<Row[]>;
  /** The numbers of a scalar by step. */
  scalar(expr: Expr, steps: Steps): Promise<Float64Array>;
}

/** The text of an argument that is one. */
export function textOf(expr: Expr | undefined): string {
  return expr?.kind === 'string' ? expr.value : '';
}

/** A row without labels that has a number at every step. */
export function scalarRow(steps: Steps, numberAt: (ms: number) => number): Row {
  const row = constantRow(0, steps.count);
  for (let step = 0; step < steps.count; step++) row.values[step] = numberAt(stepTime(steps, step));
  return row;
}

/** A row without labels that has the same number at every step. */
export function constantRow(value: number, steps: number): Row {
  const row = emptyRow(noLabels, steps);
  row.values.fill(value);
  row.present.fill(floatSample);
  return row;
}
