import { Codes, FaultError } from '../../../model/fault.js';
import { invalidParameters } from '../../../model/refusals.js';
import { anyOf, call, column, equal, fromQuery, int64, join, one, select, sortTerm } from '../../engine/build.js';
import { Binary, type Expr, Over, type SelectColumn, type SelectQuery } from '../../engine/nodes.js';
import { expr } from '../../engine/template.js';
import type { Expression } from '../../syntax/ast.js';
import { durationTicks } from '../../times/timestamp.js';
import { equalKeys } from '../../values/comparable.js';
import { refuse, refuseUnsupported } from '../../values/context.js';
import { bigintType, type TimeBounds, Uses, type Value } from '../../values/value.js';
import { holdsTime, nullableSide, ownColumns, type Side, translatorOf } from './join-side.js';
import { type JoinNode, leavesOf, ownersOf, type RelationReader, type Term, timeOperand } from './join-tree.js';

/** An ASOF or WINDOW join whose main side is planned. */
interface NearestRequest {
  readonly node: JoinNode;
  readonly on: readonly Term[];
  /** True when the main side is the right one. */
  readonly mirrored: boolean;
  readonly main: Side;
  /** The other side, of which rows outside of the bounds need not be read. */
  planPartner(bounds: TimeBounds | undefined): Side;
  /** Terms of WHERE for the joined rows. */
  readonly rest: readonly Term[];
}

interface NearestJoin extends NearestRequest {
  readonly partner: Side;
}

const mirroredOperators = { '=': '=', '<': '>', '<=': '>=', '>': '<', '>=': '<=' } as const;
type Operator = keyof typeof mirroredOperators;

const maxJlimit = 1024;

/**
 * For each main row the partner rows nearest to it in time, or all within a window around it.
 *
 * The partner's rows are numbered in the order of time, within equal values of the other conditions. Engine ASOF joins
 * find the first and the last number that each main row meets, and a join by number brings the rows: the work is that
 * of sorting and of what comes out, however long the time lines are.
 */
export function joinNearest(request: NearestRequest, bounds: TimeBounds | undefined, reader: RelationReader): Side {
  const { main, mirrored, node, rest } = request;
  const nearest: NearestJoin = { ...request, partner: request.planPartner(undefined) };
  if (main.time.precision !== nearest.partner.time.precision) {
    throw refuseUnsupported('ASOF and WINDOW joins of databases with different precision');
  }
  const isWindow = node.item.join.endsWith('window');
  const serial = reader.nextSerial();
  const keys = keysOf(nearest, reader);
  const range = isWindow ? windowRange(nearest) : asofRange(nearest);
  const read = request.planPartner(partnerBounds(range, bounds));
  const numbered = numberedRows(read, keys);
  const expanded = expandedRows(main, numbered, keys, range);
  const partner = nullableSide(read, reader.nextSerial());
  const rowName = `c${serial}_r`;
  const matches = [expr`m.x = p.number`, ...equalKeysOf(keys)];
  const nullable = nullableRows(numbered, partner.columns, keys);
  const joined = select({
    columns: [[expr`m.number`, rowName], ...ownColumns(main.columns, 'm'), ...ownColumns(partner.columns, 'p')],
    from: join('LEFT', fromQuery(expanded, 'm'), fromQuery(nullable, 'p'), matches),
  });
  const columns = [rowName, ...main.columns, ...partner.columns];
  const members = mirrored ? [...partner.members, ...main.members] : [...main.members, ...partner.members];
  const order = [main.time.sql, column(undefined, rowName), ...partner.order];
  const side: Side = { query: joined, columns, members, time: main.time, times: main.times, order, sequence: order };
  const translator = translatorOf([side], reader.context);
  const where = rest.map(({ expression }) => translator.condition(expression).sql);
  const query =
    where.length === 0 ? joined : select({ columns: ownColumns(columns), from: fromQuery(joined, 'w'), where });
  return isWindow ? withRowKey({ ...side, query }, main, rowName) : { ...side, query };
}

/** The main rows of a window join are distinguished by a column that no statement can name. */
function withRowKey(side: Side, main: Side, rowName: string): Side {
  const qualifiers = main.members.map(({ qualifier }) => qualifier);
  const { precision } = main.time;
  const sql = column(undefined, rowName);
  const value: Value = { sql, type: bigintType, precision, nullable: false, uses: Uses.row };
  const name = `\0${rowName}`;
  const members = side.members.map((member) => {
    if (member.qualifier !== qualifiers[0]) return member;
    return { ...member, byName: new Map(member.byName).set(name, { name, value, tag: false }) };
  });
  const inMain = members.filter((member) => qualifiers.includes(member.qualifier));
  return { ...side, members, rowKey: { qualifier: qualifiers[0] ?? '', name, main: inMain } };
}

/** An equality between the sides, as expressions over each. */
interface Key {
  readonly main: Expr;
  readonly partner: Expr;
}

/** The conditions of ON beside the one on time: nothing but equalities between the sides. */
function keysOf(nearest: NearestJoin, reader: RelationReader): Key[] {
  const ofMain = translatorOf([nearest.main], reader.context);
  const ofPartner = translatorOf([nearest.partner], reader.context);
  return nearest.on.flatMap(({ expression }) => {
    if (timeOperatorOf(expression, nearest) !== undefined) return [];
    const operands = sidesOf(expression, nearest);
    if (operands === undefined) {
      // A name that means nothing is the better complaint.
      translatorOf([nearest.main, nearest.partner], reader.context).condition(expression);
      throw refuseUnsupported('this condition of an ASOF or WINDOW join');
    }
    const main = ofMain.translate(operands.main);
    const partner = ofPartner.translate(operands.partner);
    if (main.member !== undefined || partner.member !== undefined) {
      throw refuseUnsupported('members of JSON in an ASOF or WINDOW join');
    }
    const [mainKey, partnerKey] = equalKeys(main, partner, ofMain.env);
    return [{ main: mainKey, partner: partnerKey }];
  });
}

/** The operands of an equality of which each names columns of one side alone. */
function sidesOf(
  expression: Expression,
  { node, mirrored }: NearestJoin,
): { main: Expression; partner: Expression } | undefined {
  if (expression.kind !== 'binary' || expression.operator !== '=') return undefined;
  const all = leavesOf(node);
  const mains = leavesOf(mirrored ? node.right : node.left);
  const sideOf = (operand: Expression): 'main' | 'partner' | undefined => {
    const owners = [...(ownersOf(operand, all) ?? [])];
    if (owners.length === 0) return undefined;
    if (owners.every((leaf) => mains.includes(leaf))) return 'main';
    return owners.some((leaf) => mains.includes(leaf)) ? undefined : 'partner';
  };
  const { left, right } = expression;
  const sides = [sideOf(left), sideOf(right)].join();
  if (sides === 'main,partner') return { main: left, partner: right };
  return sides === 'partner,main' ? { main: right, partner: left } : undefined;
}

/** How the main side's time compares with the partner's in a condition; undefined when it is about something else. */
function timeOperatorOf(expression: Expression, { node, main, partner }: NearestJoin): Operator | undefined {
  if (expression.kind !== 'binary' || !isOperator(expression.operator)) return undefined;
  const leaves = leavesOf(node);
  const [a, b] = [timeOperand(expression.left, leaves), timeOperand(expression.right, leaves)];
  if (a?.plain !== true || b?.plain !== true) return undefined;
  const [left, right] = [a.leaf.member.time, b.leaf.member.time];
  if (holdsTime(main, left) && holdsTime(partner, right)) return expression.operator;
  if (!holdsTime(main, right) || !holdsTime(partner, left)) return undefined;
  return mirroredOperators[expression.operator];
}

function isOperator(operator: string): operator is Operator {
  return operator in mirroredOperators;
}

/** Which numbers of partner rows a main row meets: expressions over `low` and `high`, and where to look for those. */
interface NumberRange {
  /** A row counts from this time on: `low` is the number of the first one, 0 without any. */
  readonly from: { readonly operator: '<=' | '<'; readonly offset: bigint } | undefined;
  /** Up to this time: `high` is the number of the last one, 0 without any. */
  readonly to: { readonly operator: '>=' | '>'; readonly offset: bigint } | undefined;
  readonly first: Expr;
  readonly last: Expr;
}

function jlimitOf({ node }: NearestJoin): number | undefined {
  const { jlimit } = node.item;
  if (jlimit === undefined) return undefined;
  if (jlimit >= 1 && jlimit <= maxJlimit) return jlimit;
  throw new FaultError(invalidParameters(`JLIMIT must be from 1 to ${maxJlimit}`));
}

function asofRange(nearest: NearestJoin): NumberRange {
  const operators = nearest.on.flatMap(({ expression }) => timeOperatorOf(expression, nearest) ?? []);
  if (operators.length > 1) throw refuseUnsupported('two time conditions in an ASOF join');
  const [operator = '>='] = operators;
  const more = (jlimitOf(nearest) ?? 1) - 1;
  const none = { from: undefined, to: undefined };
  switch (operator) {
    case '>':
    case '>=':
      return {
        ...none,
        to: { operator, offset: 0n },
        first: expr`greatest(high - ${more}, toInt64(high > 0))`,
        last: expr`high`,
      };
    case '<':
    case '<=':
      return { ...none, from: { operator, offset: 0n }, first: expr`low`, last: expr`least(low + ${more}, total)` };
    case '=':
      return between(0n, 0n, more);
  }
}

function windowRange(nearest: NearestJoin): NumberRange {
  const { windowOffset } = nearest.node.item;
  if (windowOffset === undefined)
    throw refuse(Codes.syntaxError, 'syntax error near "WINDOW JOIN" (WINDOW_OFFSET is expected)');
  if (nearest.on.some(({ expression }) => timeOperatorOf(expression, nearest) !== undefined)) {
    throw refuseUnsupported('a time condition in a WINDOW join');
  }
  const [first, second] = windowOffset.map((offset) => durationTicks(offset, nearest.main.time.precision));
  if (first === undefined || second === undefined) throw refuseUnsupported('calendar months in WINDOW_OFFSET');
  const jlimit = jlimitOf(nearest);
  const [from, to] = first <= second ? [first, second] : [second, first];
  return between(from, to, jlimit === undefined ? undefined : jlimit - 1);
}

/** The rows within two times around the main row's, both included. */
function between(from: bigint, to: bigint, more: number | undefined): NumberRange {
  return {
    from: { operator: '<=', offset: from },
    to: { operator: '>=', offset: to },
    first: expr`low`,
    last: more === undefined ? expr`high` : expr`least(low + ${more}, high)`,
  };
}

/** Where partner rows can lie that rows of the main side within the bounds meet. */
function partnerBounds({ from, to }: NumberRange, bounds: TimeBounds | undefined): TimeBounds {
  const low = from === undefined || bounds?.low === undefined ? undefined : bounds.low + from.offset;
  const high = to === undefined || bounds?.high === undefined ? undefined : bounds.high + to.offset;
  return { low, high };
}

/** The partner's rows with their numbers, and for equal times the first and the last of them. */
function numberedRows(partner: Side, keys: readonly Key[]): SelectQuery {
  const { time, order } = partner;
  const slice = keys.map((key) => key.partner);
  return select({
    columns: [
      ...ownColumns(partner.columns),
      ...keys.map((key, at): SelectColumn => [key.partner, `k${at}`]),
      [one, 'one'],
      [expr`assumeNotNull(${time.sql})`, 'at'],
      [counted('rank', slice, [time.sql]), 'low'],
      [counted('count', slice, [time.sql]), 'high'],
      [counted('count', slice, []), 'total'],
      [counted('row_number', slice, order), 'number'],
    ],
    from: fromQuery(partner.query, 'b'),
    where: time.nullable ? [expr`isNotNull(${time.sql})`] : [],
  });
}

/** A number that a function without arguments gives over the rows of a slice, in an order if there is one. */
function counted(name: string, partitionBy: readonly Expr[], order: readonly Expr[]): Expr {
  return expr`toInt64(${new Over(call(name), { partitionBy, orderBy: order.map((by) => sortTerm(by, false)) })})`;
}

/** The names of the keys as columns. */
function keyNames(keys: readonly Key[]): string[] {
  return keys.map((_, at) => `k${at}`);
}

/** The conditions that the keys of main rows `m` equal those of partner rows `p`. */
function equalKeysOf(keys: readonly Key[]): Expr[] {
  return keyNames(keys).map((name) => equal(column('m', name), column('p', name)));
}

/** Makes the partner's columns nullable before the join, because they are NULL in a main row without partner. */
function nullableRows(numbered: SelectQuery, columns: readonly string[], keys: readonly Key[]): SelectQuery {
  return select({
    columns: [
      ...columns.map((name): SelectColumn => [expr`toNullable(${column('n', name)})`, name]),
      ...ownColumns(keyNames(keys), 'n'),
      [expr`n.number`, 'number'],
    ],
    from: fromQuery(numbered, 'n'),
  });
}

/** The main rows, each as often as it meets partner rows, whose number is `x`; 0 when there is none. */
function expandedRows(main: Side, numbered: SelectQuery, keys: readonly Key[], range: NumberRange): SelectQuery {
  const { time, order } = main;
  const carried = [...main.columns, ...keyNames(keys), 'one', 'at', 'number'];
  let rows = select({
    columns: [
      ...ownColumns(main.columns),
      ...keys.map((key, at): SelectColumn => [key.main, `k${at}`]),
      [one, 'one'],
      [expr`assumeNotNull(${time.sql})`, 'at'],
      [counted('row_number', [], order), 'number'],
    ],
    from: fromQuery(main.query, 'a'),
  });
  const lookUp = (operator: Operator, offset: bigint, columns: readonly string[]): void => {
    const within = new Binary(operator, expr`m.at + ${int64(offset)}`, column('p', 'at'));
    const on = [expr`m.one = p.one`, ...equalKeysOf(keys), within];
    rows = select({
      columns: [...ownColumns(carried, 'm'), ...ownColumns(columns, 'p')],
      from: join('ASOF LEFT', fromQuery(rows, 'm'), fromQuery(numbered, 'p'), on),
    });
    carried.push(...columns);
  };
  if (range.from !== undefined)
    lookUp(range.from.operator, range.from.offset, range.to === undefined ? ['low', 'total'] : ['low']);
  if (range.to !== undefined) lookUp(range.to.operator, range.to.offset, ['high']);
  const { first, last } = range;
  const none = [expr`${first} = 0`, expr`${last} < ${first}`, ...(time.nullable ? [expr`isNull(${time.sql})`] : [])];
  const numbers = expr`if(${anyOf(none)}, [toInt64(0)], range(${first}, ${last} + 1))`;
  return select({
    columns: [...ownColumns(carried), [expr`arrayJoin(${numbers})`, 'x']],
    from: fromQuery(rows, 'e'),
  });
}
