import type { Annotations } from './annotations.js';
import { combined, compacted, divided, equalHistograms, scaled } from './histogram-math.js';
import { trimmed } from './histogram-trim.js';
import {
  type BinaryExpr,
  type BinaryOperator,
  type ComparisonOperator,
  isComparison,
  type Span,
} from './language/tree.js';
import type { NativeHistogram } from './native-histogram.js';
import { floatSample, type Row, setFloat, setHistogram } from './rows.js';

type NumberOperation = (left: number, right: number) => number;

const arithmetic: Readonly<Record<string, NumberOperation>> = {
  '+': (left, right) => left + right,
  '-': (left, right) => left - right,
  '*': (left, right) => left * right,
  '/': (left, right) => left / right,
  '%': (left, right) => left % right,
  '^': power,
  atan2: Math.atan2,
};

const comparison: Readonly<Record<ComparisonOperator, (left: number, right: number) => boolean>> = {
  '==': (left, right) => left === right,
  '!=': (left, right) => left !== right,
  '>': (left, right) => left > right,
  '<': (left, right) => left < right,
  '>=': (left, right) => left >= right,
  '<=': (left, right) => left <= right,
};

/** A power as IEEE 754 defines it: 1 to the power of anything is 1, and so is -1 to an infinite one. */
function power(base: number, exponent: number): number {
  if (base === 1 || (base === -1 && Math.abs(exponent) === Number.POSITIVE_INFINITY)) return 1;
  return base ** exponent;
}

/** The result of an operator between two numbers that are scalars; a comparison gives 0 or 1. */
export function scalarOperation(operator: BinaryOperator): NumberOperation {
  if (!isComparison(operator)) return arithmetic[operator]!;
  const holds = comparison[operator];
  return (left, right) => (holds(left, right) ? 1 : 0);
}

/** An operator between samples. */
export class Operation {
  readonly #operator: BinaryOperator;
  readonly #compute: NumberOperation | undefined;
  readonly #holds: ((left: number, right: number) => boolean) | undefined;
  readonly #returnsBool: boolean;
  readonly #annotations: Annotations;
  readonly #span: Span;

  constructor(expr: BinaryExpr, annotations: Annotations) {
    this.#operator = expr.operator;
    this.#compute = arithmetic[expr.operator];
    this.#holds = isComparison(expr.operator) ? comparison[expr.operator] : undefined;
    this.#returnsBool = expr.returnsBool;
    this.#annotations = annotations;
    this.#span = expr.span;
  }

  /** True when the result is another kind of value, so that it has no name. */
  get dropsName(): boolean {
    return this.#compute !== undefined || this.#returnsBool;
  }

  /**
   * Sets the result of a step; a comparison that does not hold sets none. With `keepsRight` a comparison keeps the
   * right sample.
   */
  apply(left: Row, right: Row, step: number, result: Row, keepsRight = false): void {
    if (left.present[step] !== floatSample || right.present[step] !== floatSample) {
      this.#applyHistograms(left, right, step, result, keepsRight);
      return;
    }
    const [a, b] = [left.values[step]!, right.values[step]!];
    if (this.#compute !== undefined) setFloat(result, step, this.#compute(a, b));
    else if (this.#holds === undefined) this.#refuseTypes('float', 'float');
    else if (this.#returnsBool) setFloat(result, step, this.#holds(a, b) ? 1 : 0);
    else if (this.#holds(a, b)) setFloat(result, step, keepsRight ? b : a);
  }

  #applyHistograms(left: Row, right: Row, step: number, result: Row, keepsRight: boolean): void {
    const a = left.present[step] === floatSample ? left.values[step]! : left.histograms![step]!;
    const b = right.present[step] === floatSample ? right.values[step]! : right.histograms![step]!;
    if (typeof a === 'object' && typeof b === 'object' && this.#holds !== undefined) {
      if (this.#operator !== '==' && this.#operator !== '!=') {
        this.#refuseTypes('histogram', 'histogram');
        return;
      }
      const holds = equalHistograms(a, b) === (this.#operator === '==');
      if (this.#returnsBool) setFloat(result, step, holds ? 1 : 0);
      else if (holds) setHistogram(result, step, keepsRight ? b : a);
      return;
    }
    const histogram = this.#histogram(a, b);
    if (histogram !== undefined) setHistogram(result, step, histogram);
  }

  #histogram(a: number | NativeHistogram, b: number | NativeHistogram): NativeHistogram | undefined {
    const operator = this.#operator;
    if (typeof a === 'object' && typeof b === 'object') {
      return operator === '+' || operator === '-' ? this.#sum(a, b) : this.#refuseTypes('histogram', 'histogram');
    }
    if (typeof a === 'object' && typeof b === 'number') {
      if (operator === '*') return compacted(scaled(a, b));
      if (operator === '/') return compacted(divided(a, b));
      if (operator === '</' || operator === '>/') return trimmed(a, b, operator);
      return this.#refuseTypes('histogram', 'float');
    }
    if (typeof b === 'object' && typeof a === 'number' && operator === '*') return compacted(scaled(b, a));
    return this.#refuseTypes('float', typeof b === 'object' ? 'histogram' : 'float');
  }

  #sum(a: NativeHistogram, b: NativeHistogram): NativeHistogram | undefined {
    const isSum = this.#operator === '+';
    const sum = combined(a, b, isSum ? 1 : -1);
    if (sum === undefined) {
      const text = `incompatible bucket layout encountered for binary operator ${this.#operator}`;
      this.#annotations.warn(text, this.#span);
      return undefined;
    }
    const operation = isSum ? 'addition' : 'subtraction';
    if (sum.hasHintConflict)
      this.#annotations.warn(`conflicting counter resets during histogram ${operation}`, this.#span);
    if (sum.isReconciled)
      this.#annotations.inform(`mismatched custom buckets were reconciled during ${operation}`, this.#span);
    const histogram = compacted(sum.histogram);
    return isSum ? histogram : { ...histogram, resetHint: 'gauge' };
  }

  #refuseTypes(left: 'float' | 'histogram', right: 'float' | 'histogram'): undefined {
    const text = `"${this.#operator}": ${left} ${this.#operator} ${right}`;
    this.#annotations.inform(`incompatible sample types encountered for binary operator ${text}`, this.#span);
  }
}
