import { allOf, column, fromQuery, nullWord, one, select } from '../../engine/build.js';
import type { Expr, SelectColumn, SelectQuery } from '../../engine/nodes.js';
import { printExpr } from '../../engine/print.js';
import { castToEngine } from '../../engine/storage.js';
import { expr } from '../../engine/template.js';
import type { AggregateFunction, SeriesFunction } from '../../functions/spec.js';
import {
  type CallExpression,
  type ColumnExpression,
  ExpressionTranslator,
  type NameResolver,
} from '../../resolve/expression.js';
import type { Expression, Fill } from '../../syntax/ast.js';
import { fillingValue } from '../../values/filling.js';
import { cellNumber, startOfCell } from '../../values/grid.js';
import { doubleType, nullValue, Uses, type Value } from '../../values/value.js';
import type { BlockTask, WindowRange } from '../rows/block.js';
import { existingWindow, fillLiterals, fillRange, hasWindow, withMissingSteps } from './fill.js';
import type { IntervalWindows } from './window.js';

/** The rows of windows of INTERVAL, which a FILL adds rows to. */
interface RowsTask {
  readonly task: BlockTask;
  readonly fill: Fill;
  readonly intervals: IntervalWindows;
  /** Undefined without two limits of time. */
  readonly range: WindowRange | undefined;
  /** Expressions over the rows: the start of the window of each, and what numbers them inside of it. */
  readonly start: Expr;
  readonly number: Expr;
  /** Values over the rows by which they are cut into slices. */
  readonly slices: readonly Value[];
  /** Names as they stand for the rows, except functions over them. */
  readonly plain: ExpressionTranslator;
  windowColumn(name: string, start: Expr): Value;
}

/**
 * The rows of windows, and one for each window that has none, as a SELECT without columns. A value of them is {@link
 * value}: in the row of an empty window what does not differ from row to row is there, and all else is NULL, or of
 * FILL(VALUE, …) the literal that stands for it.
 */
export class FilledRows implements NameResolver {
  readonly source: string;
  readonly #task: RowsTask;
  readonly #translator: ExpressionTranslator;
  readonly #literals: (at: number) => Value;
  /** What stays the same in a slice: an expression over the rows, by its text, and its column. */
  readonly #sliceColumns: Map<string, SelectColumn>;
  readonly #columns: SelectColumn[] = [];
  #differs = false;
  #filled = 0;

  /** Error 0x263B without two limits of time, or when they are too far apart. */
  constructor(rows: RowsTask) {
    const { task, fill, slices } = rows;
    fillRange(rows);
    this.source = `g${task.serial}`;
    this.#task = rows;
    this.#translator = new ExpressionTranslator(task.env, this);
    this.#literals = fillLiterals(fill, this.#translator);
    this.#sliceColumns = new Map(slices.map(({ sql }, at) => [printExpr(sql), [sql, `k${at + 1}`]]));
  }

  /**
   * A value over the rows as one over the filled rows; `takesLiteral` for items of the select list, which FILL(VALUE,
   * …) has literals for.
   */
  value(expression: Expression, value: Value, takesLiteral: boolean): Value {
    this.#differs = false;
    const gap = this.#translator.translate(expression);
    if (value.uses === Uses.nothing) return value;
    const literal = this.#differs && takesLiteral ? this.#literals(this.#filled++) : undefined;
    const env = { ...this.#task.task.env, precision: value.precision };
    const filling =
      literal === undefined || literal.role === 'null' ? undefined : fillingValue(literal, value.type, env);
    const missing = filling?.sql ?? (this.#differs && takesLiteral ? nullWord : gap.sql);
    const alias = `f${this.#columns.push([value.sql, `f${this.#columns.length + 1}`])}`;
    const sql = expr`if(${column(this.source, 'p')} = 1, ${column(this.source, alias)}, ${castToEngine(missing, value.type)})`;
    return { ...value, sql, nullable: true, exact: false };
  }

  /** A condition over the rows as one over the filled rows. */
  condition(expression: Expression, [sql = one]: readonly Expr[]): Expr {
    const gap = this.#translator.condition(expression).sql;
    const alias = `f${this.#columns.push([sql, `f${this.#columns.length + 1}`])}`;
    return expr`if(${column(this.source, 'p')} = 1, ${column(this.source, alias)}, ${gap})`;
  }

  /** The slices over the filled rows. */
  get slices(): readonly Value[] {
    return this.#task.slices.map((value, at) => ({ ...value, sql: column(this.source, `k${at + 1}`) }));
  }

  /** What orders the rows of a slice. */
  get order(): readonly Expr[] {
    return [column(this.source, 'n'), column(this.source, 'o')];
  }

  /**
   * FROM and QUALIFY, once everything was translated; `scanned` are the rows, and `terms` further conditions on the
   * filled ones.
   */
  rows(scanned: Pick<SelectQuery, 'from' | 'where'>, terms: readonly Expr[]): Pick<SelectQuery, 'from' | 'qualify'> {
    const { fill, intervals, start, number } = this.#task;
    const keys = [...this.#sliceColumns.values()];
    const n = cellNumber(intervals.grid, start);
    const columns: readonly SelectColumn[] = [...keys, [n, 'n'], [number, 'o'], [one, 'p'], ...this.#columns];
    const complete = withMissingSteps(select({ ...scanned, columns }), {
      keys: keys.map(([, alias]) => alias),
      number: 'n',
      range: fillRange(this.#task),
    });
    const forced = fill.mode.endsWith('_F') && keys.length === 0;
    const exists = existingWindow(intervals.grid, this.source);
    if (exists !== undefined) terms = [...terms, exists];
    const shown = forced ? terms : [hasWindow(column(this.source, 'p')), ...terms];
    const qualify = shown.length === 0 ? undefined : allOf(shown);
    return { from: fromQuery(complete, this.source), qualify };
  }

  intercept(): undefined {
    return undefined;
  }

  column(expression: ColumnExpression): Value {
    const { plain, intervals, slices } = this.#task;
    const { table, name } = expression;
    const isWindows = table === undefined && windowNames.has(name.text);
    if (isWindows) return this.#task.windowColumn(name.text, startOfCell(intervals.grid, column(this.source, 'n')));
    const value = plain.translate(expression);
    // Tags of a sub-table that is a slice are the same in all of its rows.
    const isOfSlice = (value.uses & Uses.tags) !== 0 && slices.some(({ role }) => role === 'tbname');
    const key = printExpr(value.sql);
    if (isOfSlice && !this.#sliceColumns.has(key))
      this.#sliceColumns.set(key, [value.sql, `k${this.#sliceColumns.size + 1}`]);
    const sliceColumn = this.#sliceColumns.get(key);
    if (sliceColumn !== undefined) return { ...value, sql: column(this.source, sliceColumn[1]) };
    if (value.uses === Uses.nothing) return value;
    return this.#missing(value);
  }

  aggregate(_: CallExpression, spec: AggregateFunction | SeriesFunction): Value {
    return this.#missing({ ...nullValue, type: typeof spec.result === 'function' ? doubleType : spec.result });
  }

  #missing(value: Value): Value {
    this.#differs = true;
    return { ...value, sql: castToEngine(nullWord, value.type), nullable: true, exact: false };
  }
}

/** Columns of a window that it has without rows, too. */
const windowNames: ReadonlySet<string> = new Set(['_wstart', '_wend', '_wduration', '_qstart', '_qend', '_qduration']);
