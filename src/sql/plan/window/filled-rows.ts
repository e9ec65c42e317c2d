import { type EngineSelect, printSelect } from '../../engine/select.js';
import { castToEngine } from '../../engine/storage.js';
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
import { existingWindow, fillLiterals, fillRange, withMissingSteps } from './fill.js';
import type { IntervalWindows } from './window.js';

/** The rows of windows of INTERVAL, which a FILL adds rows to. */
interface RowsTask {
  readonly task: BlockTask;
  readonly fill: Fill;
  readonly intervals: IntervalWindows;
  /** Undefined without two limits of time. */
  readonly range: WindowRange | undefined;
  /** Engine SQL over the rows: the start of the window of each, and what numbers them inside of it. */
  readonly start: string;
  readonly number: string;
  /** Values over the rows by which they are cut into slices. */
  readonly slices: readonly Value[];
  /** Names as they stand for the rows, but for functions over them. */
  readonly plain: ExpressionTranslator;
  windowColumn(name: string, start: string): Value;
}

/**
 * The rows of windows, and one for each window that has none, as a SELECT without columns. A value of them is {@link value}: in the row of an empty
 * window what does not differ from row to row is there, and all else is NULL, or of FILL(VALUE, …) the literal that stands for it.
 */
export class FilledRows implements NameResolver {
  readonly source: string;
  readonly #task: RowsTask;
  readonly #translator: ExpressionTranslator;
  readonly #literals: (at: number) => Value;
  /** What stays the same in a slice: engine SQL over the rows, and its column. */
  readonly #kept: Map<string, string>;
  readonly #columns: [sql: string, alias: string][] = [];
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
    this.#kept = new Map(slices.map(({ sql }, at) => [sql, `k${at + 1}`]));
  }

  /** A value over the rows as one over the filled rows; `takesLiteral` for items of the select list, which FILL(VALUE, …) has literals for. */
  value(expression: Expression, value: Value, takesLiteral: boolean): Value {
    this.#differs = false;
    const gap = this.#translator.translate(expression);
    if (value.uses === Uses.nothing) return value;
    const literal = this.#differs && takesLiteral ? this.#literals(this.#filled++) : undefined;
    const env = { ...this.#task.task.env, precision: value.precision };
    const filling =
      literal === undefined || literal.role === 'null' ? undefined : fillingValue(literal, value.type, env);
    const missing = filling?.sql ?? (this.#differs && takesLiteral ? 'NULL' : gap.sql);
    const alias = `f${this.#columns.push([value.sql, `f${this.#columns.length + 1}`])}`;
    const sql = `if(${this.source}.p = 1, ${this.source}.${alias}, ${castToEngine(missing, value.type)})`;
    return { ...value, sql, nullable: true, exact: false };
  }

  /** A condition over the rows as one over the filled rows. */
  condition(expression: Expression, [sql = '1']: readonly string[]): string {
    const gap = this.#translator.condition(expression).sql;
    const alias = `f${this.#columns.push([sql, `f${this.#columns.length + 1}`])}`;
    return `if(${this.source}.p = 1, ${this.source}.${alias}, ${gap})`;
  }

  /** The slices over the filled rows. */
  get slices(): readonly Value[] {
    return this.#task.slices.map((value, at) => ({ ...value, sql: `${this.source}.k${at + 1}` }));
  }

  /** What orders the rows of a slice. */
  get order(): readonly string[] {
    return [`${this.source}.n`, `${this.source}.o`];
  }

  /** FROM and QUALIFY, once everything was translated; `scanned` are the rows, and `terms` further conditions on the filled ones. */
  rows(
    scanned: Pick<EngineSelect, 'from' | 'where'>,
    terms: readonly string[],
  ): Pick<EngineSelect, 'from' | 'qualify'> {
    const { fill, intervals, start, number } = this.#task;
    const keys = [...this.#kept].map(([sql, alias]): [string, string] => [sql, alias]);
    const n = cellNumber(intervals.grid, start);
    const columns = [...keys, [n, 'n'], [number, 'o'], ['1', 'p'], ...this.#columns] as const;
    const complete = withMissingSteps(printSelect({ ...scanned, columns }), {
      keys: keys.map(([, alias]) => alias),
      number: 'n',
      range: fillRange(this.#task),
    });
    const forced = fill.mode.endsWith('_F') && keys.length === 0;
    const exists = existingWindow(intervals.grid, this.source);
    if (exists !== undefined) terms = [...terms, exists];
    const shown = forced ? terms : [`max(${this.source}.p) OVER () = 1`, ...terms];
    const qualify = shown.length > 1 ? `and(${shown.join(', ')})` : shown[0];
    return { from: `(${complete}) AS ${this.source}`, qualify };
  }

  intercept(): undefined {
    return undefined;
  }

  column(expression: ColumnExpression): Value {
    const { plain, intervals, slices } = this.#task;
    const { table, name } = expression;
    const isWindows = table === undefined && windowNames.has(name.text);
    if (isWindows) return this.#task.windowColumn(name.text, startOfCell(intervals.grid, `${this.source}.n`));
    const value = plain.translate(expression);
    // Tags of a sub-table that is a slice are the same in all of its rows.
    const isOfSlice = (value.uses & Uses.tags) !== 0 && slices.some(({ role }) => role === 'tbname');
    if (isOfSlice && !this.#kept.has(value.sql)) this.#kept.set(value.sql, `k${this.#kept.size + 1}`);
    const kept = this.#kept.get(value.sql);
    if (kept !== undefined) return { ...value, sql: `${this.source}.${kept}` };
    if (value.uses === Uses.nothing) return value;
    return this.#missing(value);
  }

  aggregate(_: CallExpression, spec: AggregateFunction | SeriesFunction): Value {
    return this.#missing({ ...nullValue, type: typeof spec.result === 'function' ? doubleType : spec.result });
  }

  #missing(value: Value): Value {
    this.#differs = true;
    return { ...value, sql: castToEngine('NULL', value.type), nullable: true, exact: false };
  }
}

/** Columns of a window that it has without rows, too. */
const windowNames: ReadonlySet<string> = new Set(['_wstart', '_wend', '_wduration', '_qstart', '_qend', '_qduration']);
