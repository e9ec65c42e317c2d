import { Slice } from '../async/slice.js';
import { aggregate, countValues } from './aggregate.js';
import { setOperation, vectorWithScalar, vectorWithVector } from './binary.js';
import { evaluateCall } from './calls.js';
import { constantRow, type EvaluationContext, type Evaluator, textOf } from './evaluator.js';
import { gridRows } from './grids.js';
import { scaled } from './histogram-math.js';
import { isLabelName } from './label-functions.js';
import { quotedText } from './language/literals.js';
import {
  type AggregateExpr,
  type BinaryExpr,
  bare,
  type Expr,
  isSetOperator,
  type MatrixSelector,
  type SubqueryExpr,
  typeOf,
  type UnaryExpr,
  type VectorSelector,
} from './language/tree.js';
import { mappedRow } from './number-functions.js';
import { scalarOperation } from './operation.js';
import { QueryError } from './query-error.js';
import { lookTimes, selectInstant, selectRange } from './ranges.js';
import { hasSamples, merged, type Row } from './rows.js';
import type { SeriesData } from './samples.js';
import { selectSeries } from './select-series.js';
import type { Steps } from './source.js';
import { isStepInvariant } from './step-invariance.js';
import { oneStep } from './steps.js';

/** Evaluates the expressions of one query. */
export class Evaluation implements Evaluator {
  readonly context: EvaluationContext;
  readonly slice = new Slice();

  constructor(context: EvaluationContext) {
    this.context = context;
  }

  async rows(expr: Expr, steps: Steps): Promise<Row[]> {
    const { budget } = this.context;
    budget.signal.throwIfAborted();
    const before = budget.held;
    const isConstant = steps.count > 1 && expr.kind !== 'number' && isStepInvariant(expr);
    const rows = isConstant
      ? repeated(await this.rows(expr, oneStep(steps.startMs)), steps.count)
      : await this.#evaluate(expr, steps);
    budget.keep(before + rows.length * steps.count);
    return rows;
  }

  async scalar(expr: Expr, steps: Steps): Promise<Float64Array> {
    const [row] = await this.rows(expr, steps);
    return row?.values ?? new Float64Array(steps.count).fill(Number.NaN);
  }

  /** The samples of a range vector that ends at a moment, by series. */
  async series(expr: MatrixSelector | SubqueryExpr, ms: number): Promise<SeriesData[]> {
    const all: SeriesData[] = [];
    for await (const piece of selectRange(expr, oneStep(ms), this).pieces) {
      for (const series of piece) {
        if (this.slice.isOver()) await this.slice.next();
        if (series.times.length + series.histograms.length > 0) all.push(series);
      }
    }
    return all;
  }

  async #evaluate(expr: Expr, steps: Steps): Promise<Row[]> {
    switch (expr.kind) {
      case 'number':
        return [constantRow(expr.value, steps.count)];
      case 'paren':
        return this.rows(expr.expr, steps);
      case 'unary':
        return this.#unary(expr, steps);
      case 'vector':
        return this.#instant(expr, steps);
      case 'aggregate':
        return this.#aggregate(expr, steps);
      case 'binary':
        return this.#binary(expr, steps);
      case 'call':
        return evaluateCall(expr, steps, this);
      default:
        throw new QueryError('execution', `an expression of type ${typeOf(expr)} has no value at a step`);
    }
  }

  async #instant(selector: VectorSelector, steps: Steps): Promise<Row[]> {
    const rows = await gridRows('last', selector, this.context.lookbackMs, steps, this);
    if (rows !== undefined) return rows;
    return selectInstant(selector.matchers, lookTimes(selector, steps, this.context), 'value', this);
  }

  async #unary({ operator, expr }: UnaryExpr, steps: Steps): Promise<Row[]> {
    const rows = await this.rows(expr, steps);
    if (operator === '+') return rows;
    const negated = rows.map((row): Row => {
      const result = mappedRow(row, (value) => -value);
      if (row.histograms === undefined) return result;
      const histograms = row.histograms.map((each) => (each === undefined ? undefined : scaled(each, -1)));
      return { ...result, present: row.present, histograms };
    });
    return merged(negated, steps.count);
  }

  async #aggregate(expr: AggregateExpr, steps: Steps): Promise<Row[]> {
    const { annotations, budget } = this.context;
    const { operator, parameter } = expr;
    if (operator === 'count_values') {
      const label = textOf(parameter === undefined ? undefined : bare(parameter));
      if (!isLabelName(label)) throw new QueryError('execution', `invalid label name ${quotedText(label)}`);
      const rows = await this.rows(bare(expr.expr), steps);
      return countValues(expr, label, rows, steps.count, () => budget.hold(steps.count), this.slice);
    }
    const numbers = parameter === undefined ? undefined : await this.scalar(parameter, steps);
    const rows = await this.rows(bare(expr.expr), steps);
    if (operator === 'topk' || operator === 'bottomk' || operator === 'limitk' || operator === 'limit_ratio')
      return selectSeries(expr, rows, steps.count, numbers!, annotations, this.slice);
    return aggregate(expr, rows, steps.count, numbers, annotations, this.slice);
  }

  async #binary(expr: BinaryExpr, steps: Steps): Promise<Row[]> {
    const { annotations } = this.context;
    const isLeftScalar = typeOf(expr.left) === 'scalar';
    const isRightScalar = typeOf(expr.right) === 'scalar';
    const left = await this.rows(expr.left, steps);
    const right = await this.rows(expr.right, steps);
    if (isLeftScalar && isRightScalar) {
      const compute = scalarOperation(expr.operator);
      const other = right[0]!.values;
      return left.map((row) => mappedRow(row, (value, step) => compute(value, other[step]!)));
    }
    if (isLeftScalar || isRightScalar) {
      const [rows, scalar] = isLeftScalar ? [right, left[0]!.values] : [left, right[0]!.values];
      const results = await vectorWithScalar(expr, rows, scalar, isLeftScalar, annotations, this.slice);
      return merged(results.filter(hasSamples), steps.count);
    }
    if (isSetOperator(expr.operator)) return setOperation(expr, left, right, steps.count, this.slice);
    return vectorWithVector(expr, left, right, steps.count, annotations, this.slice);
  }
}

/** Rows of one step at many. */
function repeated(rows: readonly Row[], steps: number): Row[] {
  return rows.map(({ labels, values, present, histograms }) => ({
    labels,
    values: new Float64Array(steps).fill(values[0]!),
    present: new Uint8Array(steps).fill(present[0]!),
    histograms: histograms === undefined ? undefined : new Array(steps).fill(histograms[0]),
  }));
}
