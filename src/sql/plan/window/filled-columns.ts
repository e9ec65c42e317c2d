import { column } from '../../engine/build.js';
import { isSameExpr, printExpr } from '../../engine/print.js';
import type { AggregateFunction, SeriesFunction } from '../../functions/spec.js';
import type { CallExpression, ColumnExpression, NameResolver } from '../../resolve/expression.js';
import type { Expression } from '../../syntax/ast.js';
import { Uses, type Value } from '../../values/value.js';

/** Names as they stand once missing windows were filled: values of functions are columns f1, f2 ... of `source`. */
export class FilledColumns implements NameResolver {
  /** The values to fill, each once. */
  readonly functions: readonly Value[];
  readonly allowsOver = true;
  readonly #source: string;
  readonly #names: NameResolver;

  /** `names` are those of the windows before; `values` all that is wanted of them. */
  constructor(source: string, names: NameResolver, values: readonly Value[]) {
    const functions = new Map<string, Value>();
    for (const value of values) {
      if ((value.uses & Uses.aggregate) === 0) continue;
      const key = printExpr(value.sql);
      if (!functions.has(key)) functions.set(key, value);
    }
    this.functions = [...functions.values()];
    this.#source = source;
    this.#names = names;
  }

  /** The value that stands for another one afterwards. */
  replaced(value: Value): Value {
    const at = this.functions.findIndex(({ sql }) => isSameExpr(sql, value.sql));
    return at < 0 ? value : { ...value, sql: column(this.#source, `f${at + 1}`), nullable: true, exact: false };
  }

  intercept(expression: Expression): Value | undefined {
    return this.#names.intercept(expression);
  }

  column(expression: ColumnExpression): Value {
    return this.replaced(this.#names.column(expression));
  }

  aggregate(call: CallExpression, spec: AggregateFunction | SeriesFunction): Value {
    return this.replaced(this.#names.aggregate(call, spec));
  }
}
