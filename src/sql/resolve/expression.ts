import { Codes } from '../../model/fault.js';
import { dataType } from '../../model/schema.js';
import { call, int64, nullWord, text } from '../engine/build.js';
import { maxEngineChars, tooLongForEngine } from '../engine/length.js';
import type { Expr } from '../engine/nodes.js';
import { printExpr } from '../engine/print.js';
import { expr } from '../engine/template.js';
import { findFunction } from '../functions/registry.js';
import { type AggregateFunction, checkArguments, type ScalarFunction, type SeriesFunction } from '../functions/spec.js';
import type { Expression } from '../syntax/ast.js';
import { expressionsIn } from '../syntax/tree.js';
import { durationTicks } from '../times/timestamp.js';
import { arithmetic, doubleValue, integerValue, negate, ofFixedLength } from '../values/arithmetic.js';
import { between, compare, contains, hull, intersect, isIn, isNull, like, matches } from '../values/compare.js';
import { refuse } from '../values/context.js';
import { castValue, commonType, convertTo, type Environment, ticksOf, truthOf } from '../values/convert.js';
import { typeFromSyntax } from '../values/type-syntax.js';
import {
  bigintType,
  boolType,
  computed,
  condition,
  nullValue,
  type TimeBounds,
  Uses,
  type Value,
} from '../values/value.js';
import { overNotAllowed, overValue } from './over.js';
import { hasRows, holdsForRows, isInQuery, scalarOf } from './subquery-value.js';

/** The kinds of expression that carry what hooks decide on. */
export type ColumnExpression = Extract<Expression, { kind: 'column' }>;
/** The call of a function. */
export type CallExpression = Extract<Expression, { kind: 'call' }>;

/** Resolves names where an expression stands: in WHERE, in a list of grouped rows, inside an aggregate. */
export interface NameResolver {
  /** May resolve a whole expression, before its parts are resolved. */
  intercept(expression: Expression): Value | undefined;
  column(expression: ColumnExpression): Value;
  aggregate(call: CallExpression, spec: AggregateFunction | SeriesFunction): Value;
  /** True where the rows of the result are there, so that calls with OVER can look at them. */
  readonly allowsOver?: boolean;
}

type Binary = Extract<Expression, { kind: 'binary' }>;

/** Translates expressions to the engine; a {@link NameResolver} resolves names. */
export class ExpressionTranslator {
  readonly env: Environment;
  readonly #names: NameResolver;
  /** Characters by which calls are longer than what they were given. */
  #added = 0;

  constructor(env: Environment, names: NameResolver) {
    this.env = env;
    this.#names = names;
  }

  /** The value of an expression; FaultError when it breaks a rule of the dialect. */
  translate(expression: Expression): Value {
    return ofFixedLength(this.operand(expression));
  }

  /** The same for an argument or a term of a sum, where a duration in months or years may stand. */
  operand(expression: Expression): Value {
    if (expression.kind === 'duration') return this.#literal(expression);
    const taken = this.#names.intercept(expression);
    if (taken !== undefined) return taken;
    switch (expression.kind) {
      case 'column':
        return this.#names.column(expression);
      case 'call':
        return this.#call(expression);
      case 'over':
        if (this.#names.allowsOver !== true) throw overNotAllowed();
        return overValue(expression, (part) => this.translate(part), this.env);
      case 'binary':
        return this.#binary(expression);
      case 'case':
        return this.#case(expression);
      case 'not':
        return this.#not(expression.value);
      case 'between':
        return this.#between(expression);
      case 'in':
        return this.#in(expression);
      case 'scalar-query':
        return scalarOf(expression.query, this.env);
      case 'in-query':
        return isInQuery(this.translate(expression.value), expression, this.env);
      case 'quantified':
        return holdsForRows(this.translate(expression.value), expression, this.env);
      case 'exists':
        return hasRows(expression.query, this.env);
      case 'is-null':
        return isNull(this.translate(expression.value), expression.negated);
      case 'negate':
        return this.#negate(expression.value);
      case 'cast':
        return castValue(this.translate(expression.value), typeFromSyntax(expression.type), this.env);
      case 'star':
        throw refuse(
          Codes.invalidColumnName,
          'Invalid column name: *; COUNT, FIRST, LAST, LAST_ROW, INTERP, COLS and HISTOGRAM_QUANTILE take it, ' +
            'and other functions only within HISTOGRAM_QUANTILE: name the columns',
        );
      default:
        return this.#literal(expression);
    }
  }

  /** An expression as a condition. */
  condition(expression: Expression): Value {
    return truthOf(this.translate(expression));
  }

  /** A term of WHERE, which chooses the rows for which it is true: whether it is false or NULL for others does not matter. */
  filter(term: Expression): Value {
    if (term.kind !== 'in-query') return this.condition(term);
    return isInQuery(this.translate(term.value), term, this.env, true);
  }

  #literal(
    expression: Extract<
      Expression,
      { kind: 'integer' | 'number' | 'string' | 'bool' | 'null' | 'duration' | 'timestamp' }
    >,
  ): Value {
    const { precision } = this.env;
    switch (expression.kind) {
      case 'integer':
        return integerValue(expression.value);
      case 'number':
        return doubleValue(Number(expression.text), expression.text);
      case 'string': {
        const type = dataType('VARCHAR', Buffer.byteLength(expression.value));
        const sql = text(expression.value);
        // Written out, as lists may have a hundred thousand of them.
        const start = expression.span.start + 1;
        return { sql, type, precision, nullable: false, uses: Uses.nothing, constant: expression.value, start };
      }
      case 'bool': {
        const sql = expression.value ? expr`true` : expr`false`;
        return { sql, type: boolType, precision, nullable: false, uses: Uses.nothing, constant: expression.value };
      }
      case 'null':
        return nullValue;
      case 'duration': {
        const ticks = durationTicks(expression.value, precision);
        const sql = ticks === undefined ? nullWord : int64(ticks);
        const known = { constant: ticks, duration: expression.value };
        return { sql, type: bigintType, precision, nullable: false, uses: Uses.nothing, ...known };
      }
      case 'timestamp': {
        const written = {
          sql: text(expression.text),
          type: dataType('VARCHAR', 0),
          precision,
          nullable: false,
          uses: Uses.nothing,
        };
        return ticksOf({ ...written, constant: expression.text }, precision, this.env);
      }
    }
  }

  /**
   * Counts what a call adds to its arguments. Of nested calls that name an argument twice, each is twice as long as the one
   * inside. What is given may be long by itself: a list of tables.
   */
  #count(sql: Expr, args: readonly Value[]): void {
    this.#added += Math.max(0, lengthOf(sql) - args.reduce((sum, arg) => sum + lengthOf(arg.sql), 0));
    if (this.#added > maxEngineChars) throw tooLongForEngine();
  }

  #call(call: CallExpression): Value {
    const spec = findFunction(call.name, call.span.start);
    return spec.kind === 'scalar' ? this.#scalar(call, spec) : this.#names.aggregate(call, spec);
  }

  #scalar(call: CallExpression, spec: ScalarFunction): Value {
    const args = checkArguments(
      spec,
      call.args.map((arg) => this.operand(arg)),
      this.env,
    );
    const folded = spec.fold?.(args, this.env);
    if (folded !== undefined) return folded;
    const type = typeof spec.result === 'function' ? spec.result(args, this.env) : spec.result;
    const precision = type.name === 'TIMESTAMP' ? this.env.precision : undefined;
    const sql = spec.translate(args, this.env);
    this.#count(sql, args);
    const value = computed(sql, type, args, precision);
    return spec.random === true ? { ...value, uses: value.uses | Uses.random } : value;
  }

  #negate(operand: Expression): Value {
    // Two signs more change nothing, and each one is checked.
    if (operand.kind === 'negate' && operand.value.kind === 'negate') return this.#negate(operand.value.value);
    const value = this.operand(operand);
    const negated = negate(value);
    this.#count(negated.sql, [value]);
    return negated;
  }

  #binary(expression: Binary): Value {
    const { operator } = expression;
    if (operator === 'AND' || operator === 'OR') return this.#chain(expression, operator);
    const left = this.#side(expression.left, operator);
    const right = this.#side(expression.right, operator);
    switch (operator) {
      case '=':
      case '<>':
      case '<':
      case '<=':
      case '>':
      case '>=':
        return compare(operator, left, right, this.env);
      case 'LIKE':
      case 'NOT LIKE':
        return like(left, right, operator === 'NOT LIKE');
      case 'MATCH':
      case 'REGEXP':
        return matches(left, right, false);
      case 'NMATCH':
      case 'NOT REGEXP':
        return matches(left, right, true);
      case 'CONTAINS':
        return contains(left, right);
      case '->':
        return member(left, right);
      default:
        return arithmetic(operator, left, right, this.env);
    }
  }

  #side(expression: Expression, operator: Binary['operator']): Value {
    return operator === '+' || operator === '-' ? this.operand(expression) : this.translate(expression);
  }

  /** A chain of AND or OR becomes one call: chains may be thousands of terms long. */
  #chain(expression: Binary, operator: 'AND' | 'OR'): Value {
    const terms = chainTerms(expression, operator).map((term) => this.condition(term));
    const bounds =
      operator === 'AND'
        ? terms.reduce<TimeBounds | undefined>((all, term) => intersect(all, term.bounds), undefined)
        : hull(terms.map((term) => term.bounds));
    const name = operator === 'AND' ? 'and' : 'or';
    return condition(call(name, ...terms.map(({ sql }) => sql)), terms, bounds);
  }

  #not(operand: Expression): Value {
    if (operand.kind === 'in-query') return this.condition({ ...operand, negated: !operand.negated });
    const value = this.condition(operand);
    return condition(expr`not(${value.sql})`, [value]);
  }

  #between(expression: Extract<Expression, { kind: 'between' }>): Value {
    const [value, low, high] = [expression.value, expression.low, expression.high].map((part) => this.translate(part));
    return between(value ?? nullValue, low ?? nullValue, high ?? nullValue, expression.negated, this.env);
  }

  #in(expression: Extract<Expression, { kind: 'in' }>): Value {
    const value = this.translate(expression.value);
    return isIn(value, this.#each(expression.list), expression.negated, this.env);
  }

  *#each(list: readonly Expression[]): Generator<Value, void, void> {
    for (const item of list) yield this.translate(item);
  }

  #case(expression: Extract<Expression, { kind: 'case' }>): Value {
    const operand = expression.operand === undefined ? undefined : this.translate(expression.operand);
    const whens = expression.branches.map(({ when }) => this.#when(operand, when));
    const results = expression.branches.map(({ then }) => this.translate(then));
    results.push(expression.otherwise === undefined ? nullValue : this.translate(expression.otherwise));
    const { type, precision } = commonType(results);
    const converted = results.map((result) => convertTo(result, type, precision, this.env).sql);
    const branches = whens.flatMap((when, at) => [expr`ifNull(${when.sql}, 0)`, converted[at] ?? nullWord]);
    const sql = call('multiIf', ...branches, converted.at(-1) ?? nullWord);
    return computed(sql, type, [...(operand === undefined ? [] : [operand]), ...whens, ...results], precision);
  }

  /** `CASE x WHEN y` compares as `=` does, but a number meets numeric text as a number; NULL never matches. */
  #when(operand: Value | undefined, when: Expression): Value {
    if (operand === undefined) return this.condition(when);
    const value = this.translate(when);
    return compare('=', operand, value, this.env);
  }
}

/** The terms of a chain of one operator, in order, without recursion. */
export function chainTerms(expression: Expression, operator: 'AND' | 'OR'): Expression[] {
  const terms: Expression[] = [];
  const open: Expression[] = [expression];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (next.kind === 'binary' && next.operator === operator) open.push(next.right, next.left);
    else terms.push(next);
  }
  return terms;
}

/** `document -> 'key'` */
function member(left: Value, right: Value): Value {
  if (left.type.name !== 'JSON' || left.member !== undefined || typeof right.constant !== 'string') {
    throw refuse(Codes.invalidValueType, 'Invalid value type: -> wants a JSON tag and a text');
  }
  const raw = expr`JSONExtractRaw(${left.sql}, ${text(right.constant)})`;
  const sql = expr`if(in(${raw}, ('', 'null')), NULL, ${raw})`;
  return { ...computed(sql, left.type, [left]), member: { document: left.sql, key: right.constant } };
}

/** True when an expression calls a function of a kind, outside of subqueries. */
export function mentions(expression: Expression, isWanted: (name: string) => boolean): boolean {
  return expressionsIn(expression).some((part) => part.kind === 'call' && isWanted(part.name));
}

/** True when a call with OVER stands in an expression. */
export function hasOver(expression: Expression | undefined): expression is Expression {
  return expression !== undefined && expressionsIn(expression).some(({ kind }) => kind === 'over');
}

/** Characters that an expression takes in a statement. */
function lengthOf(value: Expr): number {
  return printExpr(value).length;
}
