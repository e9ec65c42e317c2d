import { Codes, FaultError } from '../../../model/fault.js';
import { call, column, one } from '../../engine/build.js';
import type { Expr } from '../../engine/nodes.js';
import { isSameExpr, printExpr } from '../../engine/print.js';
import { expr } from '../../engine/template.js';
import { nullable } from '../../functions/arguments.js';
import { findFunction, isAggregate } from '../../functions/registry.js';
import {
  type AggregateFunction,
  checkArguments,
  type FunctionSpec,
  type RowWindows,
  type SeriesFunction,
} from '../../functions/spec.js';
import {
  type CallExpression,
  type ColumnExpression,
  type ExpressionTranslator,
  mentions,
  type NameResolver,
} from '../../resolve/expression.js';
import { windowColumns } from '../../resolve/names.js';
import { memberNamed, type Relation } from '../../resolve/relation.js';
import type { Expression, Name } from '../../syntax/ast.js';
import { refuse } from '../../values/context.js';
import type { Environment } from '../../values/convert.js';
import { bigintType, type TimeBounds, Uses, type Value } from '../../values/value.js';
import { AggregateList } from './aggregates.js';
import { type WindowEnds, windowColumn } from './window-columns.js';

/** A grouping key: what it is over rows, and the column that holds it once grouped. */
export interface GroupKey {
  readonly value: Value;
  readonly column: string;
  readonly alias: string | undefined;
}

/** A value over rows that a key decides, and the column that holds it once grouped. */
export interface Dependent {
  readonly value: Expr;
  readonly column: string;
}

/** The limits of a window over the grouped rows. */
export interface WindowLimits extends WindowEnds {
  /** The same inside aggregates; only of windows that do not depend on rows. */
  readonly span?: WindowEnds;
  /** Further values that are the same for all rows of a window. */
  readonly shared?: readonly GroupKey[];
}

/** Names that the select list of a grouped block may use. */
export interface GroupScope {
  readonly env: Environment;
  readonly relation: Relation | undefined;
  /** Name of the grouped rows. */
  readonly source: string;
  readonly keys: readonly GroupKey[];
  readonly window: WindowLimits | undefined;
  readonly bounds: TimeBounds | undefined;
  /** Translates what stands inside an aggregate or equals a key. */
  readonly rows: ExpressionTranslator;
  /** True when the rows are those of a super table. */
  readonly manyTables: boolean;
  /** True when plain columns take the values of the row that a selection picks. */
  readonly picksRow: boolean;
  /** The rows in their order, when an aggregate wants to see them so. */
  readonly ordered: RowWindows | undefined;
}

/** Names as they stand for a group of rows: keys, window limits, aggregates, columns of a picked row. */
export class GroupNames implements NameResolver {
  readonly aggregates: AggregateList;
  readonly allowsOver = true;
  readonly #scope: GroupScope;
  /** The keys, which are the same for all rows of a group. */
  readonly #keys: readonly GroupKey[];
  readonly #byTable: boolean;
  readonly #plainKeys: boolean;
  readonly #companions: Value[] = [];
  /** Columns that a key decides, by the texts of their values over rows: tags beside tbname. */
  readonly #dependents = new Map<string, Dependent>();
  #picked: Expr | undefined;
  #pick: (() => readonly [name: string, ...args: Expr[]]) | undefined;

  constructor(scope: GroupScope) {
    this.#scope = scope;
    const { relation, window, ordered } = scope;
    const time = relation?.time;
    const sequence = relation?.sequence ?? time?.sql;
    this.aggregates = new AggregateList(scope.source, {
      time,
      sequence,
      rows: ordered,
      span: window?.span,
    });
    this.#keys = [...scope.keys, ...(window?.shared ?? [])];
    this.#byTable = scope.keys.some(({ value }) => value.role === 'tbname');
    this.#plainKeys = this.#keys.every(({ value }) => value.sql.kind === 'column' && value.sql.table !== undefined);
  }

  /** Tags to be taken along with the groups. */
  get dependents(): readonly Dependent[] {
    return [...this.#dependents.values()];
  }

  intercept(expression: Expression): Value | undefined {
    if (this.#plainKeys || partless.has(expression.kind) || mentions(expression, isAggregate)) return undefined;
    try {
      return this.#key(this.#scope.rows.translate(expression).sql);
    } catch (error) {
      if (error instanceof FaultError) return undefined;
      throw error;
    }
  }

  column(expression: ColumnExpression): Value {
    const { name, table } = expression;
    const { window, bounds, env } = this.#scope;
    // Tables that streams write have columns called so; in a query over windows the bare name is that of its own windows.
    const isWindow = window !== undefined && !name.quoted && windowColumns.has(name.text);
    const inner = this.#scope.relation?.byName.has(name.text) === true;
    if (table === undefined && (isWindow || !inner)) {
      const pseudo = windowColumns.has(name.text) ? windowColumn(name.text, window, bounds, env) : undefined;
      const aliased = this.#scope.keys.find(({ alias }) => alias === name.text);
      const outside = pseudo ?? (aliased === undefined ? undefined : this.#keyValue(aliased));
      if (outside !== undefined) return outside;
    }
    const value = this.#scope.rows.translate(expression);
    if (value.uses === Uses.nothing) return value;
    return this.#key(value.sql) ?? this.#dependent(value) ?? this.#companion(value);
  }

  aggregate(call: CallExpression, spec: AggregateFunction | SeriesFunction): Value {
    if (spec.kind === 'series')
      throw refuse(Codes.invalidExpression, `Invalid usage of expr: ${spec.name.toLowerCase()}`);
    if (spec.name === 'COLS') return this.#columnOfRow(call);
    const { rows, env } = this.#scope;
    if (spec.singleTable === true && this.#scope.manyTables) {
      throw refuse(Codes.onlySingleTable, 'Only support single table');
    }
    const [star] = call.args;
    const args =
      call.args.length === 1 && star?.kind === 'star' && spec.name === 'COUNT'
        ? [countedRow(star.table, this.#scope)]
        : checkArguments(
            spec,
            call.args.map((arg) => rows.operand(arg)),
            env,
          );
    const type = typeof spec.result === 'function' ? spec.result(args, env) : spec.result;
    const sql = spec.translate(args, this.aggregates, env);
    if (this.#scope.picksRow && spec.pick !== undefined) {
      const pick = spec.pick;
      this.#pick ??= () => pick(args, this.aggregates);
    }
    const precision = args[0]?.precision ?? env.precision;
    const exact = spec.exact?.(args) === true;
    return { sql, type, precision, nullable: spec.countLike !== true, uses: Uses.aggregate, exact };
  }

  /** COLS: an expression over the row that a selection picks. */
  #columnOfRow({ args: [picker, shown, ...more] }: CallExpression): Value {
    const { rows, env } = this.#scope;
    const spec = picker?.kind === 'call' ? findFunction(picker.name) : undefined;
    if (picker?.kind !== 'call' || shown === undefined || more.length > 0 || !isSteady(spec)) {
      throw refuse(Codes.invalidExpression, 'Invalid usage of expr: cols');
    }
    const args = picker.args.map((arg) => rows.operand(arg));
    const [name = 'any', ...order] = spec.pick?.(checkArguments(spec, args, env), this.aggregates) ?? [];
    const value = rows.translate(shown);
    const row = this.aggregates.aggregate(name, expr`tuple(${nullable(value)})`, ...order);
    const sql = expr`tupleElement(${row}, 1)`;
    return {
      ...value,
      sql,
      nullable: true,
      uses: Uses.aggregate,
      role: undefined,
      member: undefined,
      constant: undefined,
    };
  }

  #key(sql: Expr): Value | undefined {
    const key = this.#keys.find(({ value }) => isSameExpr(value.sql, sql));
    return key === undefined ? undefined : this.#keyValue(key);
  }

  #keyValue({ value, column: key }: GroupKey): Value {
    return { ...value, sql: column(this.#scope.source, key), uses: Uses.key, role: undefined, member: undefined };
  }

  #dependent(value: Value): Value | undefined {
    if (!this.#byTable || (value.uses & Uses.tags) === 0) return undefined;
    const key = printExpr(value.sql);
    const dependent = this.#dependents.get(key) ?? { value: value.sql, column: `d${this.#dependents.size + 1}` };
    this.#dependents.set(key, dependent);
    return { ...value, sql: column(this.#scope.source, dependent.column), uses: Uses.key };
  }

  #companion(value: Value): Value {
    const { picksRow, keys } = this.#scope;
    if (!picksRow) {
      throw keys.length > 0
        ? refuse(Codes.notGroupByExpression, 'Not a GROUP BY expression')
        : refuse(Codes.notSingleGroup, notSingleGroup);
    }
    this.#picked ??= this.#pickedRow();
    let at = this.#companions.findIndex(({ sql }) => isSameExpr(sql, value.sql));
    if (at < 0) at = this.#companions.push(value) - 1;
    const sql = expr`tupleElement(${this.#picked}, ${at + 1})`;
    return { ...value, sql, nullable: true, uses: Uses.aggregate, role: undefined, member: undefined };
  }

  /** The picked row as a tuple of all columns wanted from it; which ones is known only at the end. */
  #pickedRow(): Expr {
    return this.aggregates.deferred(() => {
      const [name, ...order] = this.#pick?.() ?? ['any'];
      return [name, [call('tuple', ...this.#companions.map(nullable)), ...order]];
    });
  }
}

/** A plain column beside an aggregate, without anything that says which of its values is meant. */
const notSingleGroup =
  'Not a single-group group function: put the plain column into GROUP BY or PARTITION BY, or take LAST of it; the time of a window is _wstart';

/** The rows that COUNT takes for a star: every row, in a join those that have a row of the table before the star. */
function countedRow(table: Name | undefined, { relation, env }: GroupScope): Value {
  const member = table === undefined ? undefined : memberNamed(relation, table.text);
  if (table !== undefined && member === undefined) {
    throw refuse(Codes.tableNotExist, `Table does not exist: ${table.text}`);
  }
  const time = relation?.members === undefined ? undefined : member?.time;
  return time ?? { sql: one, type: bigintType, precision: env.precision, nullable: false, uses: Uses.nothing };
}

/** True for functions that pick one row of a group without seeing its rows in their order. */
function isSteady(spec: FunctionSpec | undefined): spec is AggregateFunction {
  return spec?.kind === 'selection' && spec.pick !== undefined && spec.ordered === undefined && spec.manyRows !== true;
}

/** Kinds of expression that cannot equal a composed key. */
const partless: ReadonlySet<Expression['kind']> = new Set([
  'integer',
  'number',
  'string',
  'bool',
  'null',
  'duration',
  'timestamp',
  'column',
  'star',
]);
