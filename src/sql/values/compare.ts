import { Codes, FaultError } from '../../model/fault.js';
import { invalidParameters } from '../../model/refusals.js';
import type { DataType } from '../../model/schema.js';
import { allOf, call, nullWord, number, text } from '../engine/build.js';
import type { Expr } from '../engine/nodes.js';
import { printExpr } from '../engine/print.js';
import { castToEngine } from '../engine/storage.js';
import { expr } from '../engine/template.js';
import type { ComparisonOperator } from '../syntax/ast.js';
import { patternProblem } from '../syntax/pattern-problem.js';
import { comparable, literalAmong, timeSide } from './comparable.js';
import { refuse } from './context.js';
import { type Environment, wrongType } from './convert.js';
import {
  bigintType,
  boolType,
  computed,
  condition,
  doubleType,
  isNumeric,
  isText,
  nullValue,
  type TimeBounds,
  ticksValue,
  unsignedType,
  type Value,
} from './value.js';

const functions = {
  '=': 'equals',
  '<>': 'notEquals',
  '<': 'less',
  '<=': 'lessOrEquals',
  '>': 'greater',
  '>=': 'greaterOrEquals',
} as const;

const mirrored = { '=': '=', '<>': '<>', '<': '>', '<=': '>=', '>': '<', '>=': '<=' } as const;

const nullCondition: Value = { ...nullValue, sql: castToEngine(nullWord, boolType), type: boolType, role: undefined };

/**
 * Compares two values. Text that meets a timestamp is read as a time, text that meets a number as a number; a JSON
 * member compares only with its own kind.
 */
export function compare(operator: ComparisonOperator, left: Value, right: Value, env: Environment): Value {
  if (left.role === 'null' || right.role === 'null') return nullCondition;
  if (left.member !== undefined) return compareMember(operator, left, right, env);
  if (right.member !== undefined) return compareMember(mirrored[operator], right, left, env);
  if (left.type.name === 'JSON' || right.type.name === 'JSON') throw wrongType(left.type);
  if (left.type.name === 'TIMESTAMP' || right.type.name === 'TIMESTAMP')
    return compareTimes(operator, left, right, env);
  const [a, b] = comparable(left, right, env);
  return condition(call(functions[operator], a.sql, b.sql), [left, right]);
}

function compareTimes(operator: ComparisonOperator, left: Value, right: Value, env: Environment): Value {
  const [a, b] = [timeSide(left, right, env), timeSide(right, left, env)];
  if (a.moved?.sql === a.sql && typeof b.constant === 'bigint')
    return compareTicks(operator, a.moved.from, b.constant - a.moved.by, env);
  if (b.moved?.sql === b.sql && typeof a.constant === 'bigint')
    return compareTicks(mirrored[operator], b.moved.from, a.constant - b.moved.by, env);
  const [first, second] = comparable(a, b, env);
  const sql = call(functions[operator], boundSide(a, first.sql), boundSide(b, second.sql));
  if (a.role === 'time' && typeof b.constant === 'bigint')
    return condition(sql, [a, b], boundsOf(operator, b.constant));
  if (b.role === 'time' && typeof a.constant === 'bigint') {
    return condition(sql, [a, b], boundsOf(mirrored[operator], a.constant));
  }
  return condition(sql, [a, b]);
}

/** A time compared with a number of ticks, which may lie outside of 64 bits. */
function compareTicks(operator: ComparisonOperator, time: Value, ticks: bigint, env: Environment): Value {
  const within = BigInt.asIntN(64, ticks);
  if (within === ticks) return compareTimes(operator, time, ticksValue(ticks, time.precision), env);
  const holds = operator === '<>' || operator.startsWith(ticks > within ? '<' : '>');
  return condition(expr`if(isNull(${time.sql}), NULL, ${holds ? 1 : 0})`, [time]);
}

/**
 * Ticks as a bare literal, which saves the engine a function to fold; one below zero would be an operator with a
 * literal.
 */
function boundSide({ constant, type }: Value, sql: Expr): Expr {
  return type.name === 'TIMESTAMP' && typeof constant === 'bigint' && constant >= 0n ? number(constant) : sql;
}

function boundsOf(operator: ComparisonOperator, ticks: bigint): TimeBounds | undefined {
  switch (operator) {
    case '=':
      return { low: ticks, high: ticks };
    case '>':
      return { low: ticks + 1n, high: undefined };
    case '>=':
      return { low: ticks, high: undefined };
    case '<':
      return { low: undefined, high: ticks - 1n };
    case '<=':
      return { low: undefined, high: ticks };
    case '<>':
      return undefined;
  }
}

/** The bounds that hold when both conditions hold. */
export function intersect(a: TimeBounds | undefined, b: TimeBounds | undefined): TimeBounds | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  const low = a.low === undefined || (b.low !== undefined && b.low > a.low) ? b.low : a.low;
  const high = a.high === undefined || (b.high !== undefined && b.high < a.high) ? b.high : a.high;
  return { low, high };
}

/** The narrowest bounds within which one of several conditions may hold; none as soon as one of them has none. */
export function hull(all: readonly (TimeBounds | undefined)[]): TimeBounds | undefined {
  return all.reduce((one, other) => {
    if (one === undefined || other === undefined) return undefined;
    const low = one.low === undefined || other.low === undefined ? undefined : minOf(one.low, other.low);
    const high = one.high === undefined || other.high === undefined ? undefined : -minOf(-one.high, -other.high);
    return low === undefined && high === undefined ? undefined : { low, high };
  });
}

function minOf(one: bigint, other: bigint): bigint {
  return one < other ? one : other;
}

function compareMember(operator: ComparisonOperator, left: Value, right: Value, env: Environment): Value {
  const { document, key } = left.member ?? { document: nullWord, key: '' };
  const quoted = text(key);
  const kind = expr`JSONType(${document}, ${quoted})`;
  const name = functions[operator];
  let test: Expr;
  if (right.member !== undefined) {
    test = call(name, left.sql, right.sql);
  } else if (isText(right.type)) {
    const member = expr`JSONExtractString(${document}, ${quoted})`;
    test = expr`if(equals(${kind}, 'String'), ${call(name, member, right.sql)}, 0)`;
  } else if (right.type.name === 'BOOL') {
    const member = expr`JSONExtractBool(${document}, ${quoted})`;
    test = expr`if(equals(${kind}, 'Bool'), ${call(name, member, right.sql)}, 0)`;
  } else if (isNumeric(right.type)) {
    const as = (extract: string, type: DataType): Expr =>
      compare(operator, computed(call(extract, document, quoted), type, [left]), right, env).sql;
    const [signed, unsigned] = [as('JSONExtractInt', bigintType), as('JSONExtractUInt', unsignedType)];
    const float = as('JSONExtractFloat', doubleType);
    test = expr`multiIf(${kind} = 'Int64', ${signed}, ${kind} = 'UInt64', ${unsigned}, ${kind} = 'Double', ${float}, 0)`;
  } else throw wrongType(right.type);
  return condition(expr`if(ifNull(equals(${kind}, 'Null'), 1), NULL, ${test})`, [left, right]);
}

/** Text for LIKE and MATCH: a text value, or a JSON member as far as it is text. */
export function textSide(value: Value): Expr {
  if (value.member !== undefined) {
    const { document, key } = value.member;
    const quoted = text(key);
    return expr`if(ifNull(equals(JSONType(${document}, ${quoted}), 'String'), 0), JSONExtractString(${document}, ${quoted}), NULL)`;
  }
  if (!isText(value.type)) throw wrongType(value.type);
  return value.sql;
}

const loneBackslash = text(String.raw`(?:^|[^\\])(?:\\\\)*\\$`);

/** A pattern of rows: one backslash at its end, which the engine refuses, stands for itself. */
export function patternText(sql: Expr): Expr {
  return expr`concat(${sql}, if(match(${sql}, ${loneBackslash}), ${text('\\')}, ''))`;
}

/** LIKE with `%`, `_` and the escapes `\%`, `\_`, `\\`; any other backslash stands for itself. */
export function like(value: Value, pattern: Value, negated: boolean): Value {
  if (value.role === 'null' || pattern.role === 'null') return nullCondition;
  const sought =
    typeof pattern.constant === 'string'
      ? text(pattern.constant.replace(/\\([%_\\])?/g, (whole, escaped) => (escaped === undefined ? '\\\\' : whole)))
      : patternText(textSide(pattern));
  return condition(call(negated ? 'notLike' : 'like', textSide(value), sought), [value, pattern]);
}

/** Refuses a regular expression that the engine would take too long to compile. */
export function checkPattern(pattern: string): void {
  const problem = patternProblem(pattern);
  if (problem !== undefined) throw new FaultError(invalidParameters(`the regular expression ${problem}`));
}

/** Unanchored search for a regular expression. */
export function matches(value: Value, pattern: Value, negated: boolean): Value {
  if (value.role === 'null' || pattern.role === 'null') return nullCondition;
  if (typeof pattern.constant !== 'string') throw wrongType(pattern.type);
  checkPattern(pattern.constant);
  const test = expr`match(${textSide(value)}, ${text(pattern.constant)})`;
  return condition(negated ? expr`not(${test})` : test, [value, pattern]);
}

/** `document CONTAINS 'key'` */
export function contains(value: Value, key: Value): Value {
  if (value.type.name !== 'JSON' || value.member !== undefined || typeof key.constant !== 'string') {
    throw refuse(Codes.invalidValueType, 'Invalid value type: CONTAINS wants a JSON tag and a text');
  }
  return condition(expr`ifNull(JSONHas(${value.sql}, ${text(key.constant)}), 0)`, [value]);
}

/** IS [NOT] NULL; a member that is missing or `null` is NULL. */
export function isNull(value: Value, negated: boolean): Value {
  if (value.member !== undefined) {
    const { document, key } = value.member;
    const missing = expr`ifNull(equals(JSONType(${document}, ${text(key)}), 'Null'), 1)`;
    return condition(negated ? expr`not(${missing})` : missing, [value]);
  }
  return condition(call(negated ? 'isNotNull' : 'isNull', value.sql), [value]);
}

/**
 * IN over a list; what is not in a list with NULL may or may not be one of its values, which is NULL again. Lists may
 * be long: each value is translated once.
 */
export function isIn(value: Value, list: Iterable<Value>, negated: boolean, env: Environment): Value {
  const literals = new Map<string, Literals>();
  const others: Value[] = [];
  let hasNull = false;
  for (const item of list) {
    if (item.role === 'null') hasNull = true;
    else if (value.role === 'null') continue;
    else if (value.member !== undefined || item.constant === undefined) others.push(item);
    else addLiteral(literals, value, item, env);
  }
  const isNot = negated && !hasNull;
  const tests = others.map((item) => compare(isNot ? '<>' : '=', value, item, env).sql);
  for (const { side, terms } of literals.values()) tests.push(inLiterals(side, terms, isNot));
  if (tests.length === 0) return nullCondition;
  const sql = isNot || tests.length === 1 ? allOf(tests) : call('or', ...tests);
  return condition(hasNull ? expr`if(${sql}, ${negated ? 0 : 1}, NULL)` : sql, [value, ...others]);
}

/** Literals that a value is compared with. */
interface Literals {
  readonly side: Expr;
  readonly terms: Expr[];
}

/** Adds a literal to those that are looked for among values of `value`, by what it becomes beside them. */
function addLiteral(literals: Map<string, Literals>, value: Value, item: Value, env: Environment): void {
  if (value.type.name === 'JSON') throw wrongType(value.type);
  const [side, literal] = comparable(value, item, env);
  const key = printExpr(side.sql);
  const known = literals.get(key) ?? { side: side.sql, terms: [] };
  literals.set(key, known);
  const term = literalAmong(side, literal);
  if (term !== undefined) known.terms.push(term);
}

function inLiterals(side: Expr, terms: Literals['terms'], isNot: boolean): Expr {
  if (terms.length === 0) return expr`if(isNull(${side}), NULL, ${isNot ? 1 : 0})`;
  return call(isNot ? 'notIn' : 'in', side, call('tuple', ...terms));
}

/** BETWEEN, both ends included. */
export function between(value: Value, low: Value, high: Value, negated: boolean, env: Environment): Value {
  const above = compare('>=', value, low, env);
  const below = compare('<=', value, high, env);
  const test = expr`and(${above.sql}, ${below.sql})`;
  if (negated) return condition(expr`not(${test})`, [above, below]);
  return condition(test, [above, below], intersect(above.bounds, below.bounds));
}
