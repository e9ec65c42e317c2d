import { Codes, FaultError } from '../../../model/fault.js';
import { invalidParameters } from '../../../model/refusals.js';
import { int64 } from '../../engine/quote.js';
import { allOf, printSelect } from '../../engine/select.js';
import type { Expression } from '../../syntax/ast.js';
import { durationTicks } from '../../times/timestamp.js';
import { equalKeys } from '../../values/comparable.js';
import { refuse, refuseUnsupported } from '../../values/context.js';
import { bigintType, type TimeBounds, Uses, type Value } from '../../values/value.js';
import { nullableSide, type Side, translatorOf } from './join-side.js';
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
 * The partner's rows are numbered in the order of time, within equal values of the other conditions. Engine ASOF joins find
 * the first and the last number that each main row meets, and a join by number brings the rows: the work is that of sorting
 * and of what comes out, however long the time lines are.
 */
export function joinNearest(request: NearestRequest, bounds: TimeBounds | undefined, reader: RelationReader): Side {
  const { main, mirrored, node, rest } = request;
  const join: NearestJoin = { ...request, partner: request.planPartner(undefined) };
  if (main.time.precision !== join.partner.time.precision) {
    throw refuseUnsupported('ASOF and WINDOW joins of databases with different precision');
  }
  const isWindow = node.item.join.endsWith('window');
  const serial = reader.nextSerial();
  const keys = keysOf(join, reader);
  const range = isWindow ? windowRange(join) : asofRange(join);
  const read = request.planPartner(partnerBounds(range, bounds));
  const numbered = numberedRows(read, keys);
  const expanded = expandedRows(main, numbered, keys, range);
  const partner = nullableSide(read, reader.nextSerial());
  const rowName = `c${serial}_r`;
  const matches = ['m.x = p.number', ...keys.map((_, at) => `m.k${at} = p.k${at}`)];
  const nullable = nullableRows(numbered, partner.columns, keys);
  const joined = printSelect({
    columns: [
      ['m.number', rowName],
      ...main.columns.map((name): [string, string] => [`m.${name}`, name]),
      ...partner.columns.map((name): [string, string] => [`p.${name}`, name]),
    ],
    from: `(${expanded}) AS m LEFT JOIN (${nullable}) AS p ON ${allOf(matches)}`,
  });
  const columns = [rowName, ...main.columns, ...partner.columns];
  const members = mirrored ? [...partner.members, ...main.members] : [...main.members, ...partner.members];
  const order = [main.time.sql, rowName, ...partner.order];
  const side: Side = { sql: joined, columns, members, time: main.time, times: main.times, order, sequence: order };
  const translator = translatorOf([side], reader.context);
  const where = rest.map(({ expression }) => translator.condition(expression).sql);
  const chosen = columns.map((name): [string, string] => [name, name]);
  const sql = where.length === 0 ? joined : printSelect({ columns: chosen, from: `(${joined}) AS w`, where });
  return isWindow ? withRowKey({ ...side, sql }, main, rowName) : { ...side, sql };
}

/** The main rows of a window join can be told apart by a column that no statement can name. */
function withRowKey(side: Side, main: Side, rowName: string): Side {
  const qualifiers = main.members.map(({ qualifier }) => qualifier);
  const { precision } = main.time;
  const value: Value = { sql: rowName, type: bigintType, precision, nullable: false, uses: Uses.row };
  const name = `\0${rowName}`;
  const members = side.members.map((member) => {
    if (member.qualifier !== qualifiers[0]) return member;
    return { ...member, byName: new Map(member.byName).set(name, { name, value, tag: false }) };
  });
  const inMain = members.filter((member) => qualifiers.includes(member.qualifier));
  return { ...side, members, rowKey: { qualifier: qualifiers[0] ?? '', name, main: inMain } };
}

/** An equality between the sides, as engine SQL over each. */
interface Key {
  readonly main: string;
  readonly partner: string;
}

/** The conditions of ON beside the one on time: nothing but equalities between the sides. */
function keysOf(join: NearestJoin, reader: RelationReader): Key[] {
  const ofMain = translatorOf([join.main], reader.context);
  const ofPartner = translatorOf([join.partner], reader.context);
  return join.on.flatMap(({ expression }) => {
    if (timeOperatorOf(expression, join) !== undefined) return [];
    const operands = sidesOf(expression, join);
    if (operands === undefined) {
      // A name that means nothing is the better complaint.
      translatorOf([join.main, join.partner], reader.context).condition(expression);
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
  const [left, right] = [a.leaf.member.time.sql, b.leaf.member.time.sql];
  if (main.times.has(left) && partner.times.has(right)) return expression.operator;
  return main.times.has(right) && partner.times.has(left) ? mirroredOperators[expression.operator] : undefined;
}

function isOperator(operator: string): operator is Operator {
  return operator in mirroredOperators;
}

/** Which numbers of partner rows a main row meets: engine SQL over `low` and `high`, and where to look for those. */
interface NumberRange {
  /** A row counts from this time on: `low` is the number of the first one, 0 without any. */
  readonly from: { readonly operator: '<=' | '<'; readonly offset: bigint } | undefined;
  /** Up to this time: `high` is the number of the last one, 0 without any. */
  readonly to: { readonly operator: '>=' | '>'; readonly offset: bigint } | undefined;
  readonly first: string;
  readonly last: string;
}

function jlimitOf({ node }: NearestJoin): number | undefined {
  const { jlimit } = node.item;
  if (jlimit === undefined) return undefined;
  if (jlimit >= 1 && jlimit <= maxJlimit) return jlimit;
  throw new FaultError(invalidParameters(`JLIMIT must be from 1 to ${maxJlimit}`));
}

function asofRange(join: NearestJoin): NumberRange {
  const operators = join.on.flatMap(({ expression }) => timeOperatorOf(expression, join) ?? []);
  if (operators.length > 1) throw refuseUnsupported('two time conditions in an ASOF join');
  const [operator = '>='] = operators;
  const more = (jlimitOf(join) ?? 1) - 1;
  const none = { from: undefined, to: undefined };
  switch (operator) {
    case '>':
    case '>=':
      return {
        ...none,
        to: { operator, offset: 0n },
        first: `greatest(high - ${more}, toInt64(high > 0))`,
        last: 'high',
      };
    case '<':
    case '<=':
      return { ...none, from: { operator, offset: 0n }, first: 'low', last: `least(low + ${more}, total)` };
    case '=':
      return between(0n, 0n, more);
  }
}

function windowRange(join: NearestJoin): NumberRange {
  const { windowOffset } = join.node.item;
  if (windowOffset === undefined)
    throw refuse(Codes.syntaxError, 'syntax error near "WINDOW JOIN" (WINDOW_OFFSET is expected)');
  if (join.on.some(({ expression }) => timeOperatorOf(expression, join) !== undefined)) {
    throw refuseUnsupported('a time condition in a WINDOW join');
  }
  const [one, other] = windowOffset.map((offset) => durationTicks(offset, join.main.time.precision));
  if (one === undefined || other === undefined) throw refuseUnsupported('calendar months in WINDOW_OFFSET');
  const jlimit = jlimitOf(join);
  const [from, to] = one <= other ? [one, other] : [other, one];
  return between(from, to, jlimit === undefined ? undefined : jlimit - 1);
}

/** The rows within two times around the main row's, both included. */
function between(from: bigint, to: bigint, more: number | undefined): NumberRange {
  return {
    from: { operator: '<=', offset: from },
    to: { operator: '>=', offset: to },
    first: 'low',
    last: more === undefined ? 'high' : `least(low + ${more}, high)`,
  };
}

/** Where partner rows can lie that rows of the main side within the bounds meet. */
function partnerBounds({ from, to }: NumberRange, bounds: TimeBounds | undefined): TimeBounds {
  const low = from === undefined || bounds?.low === undefined ? undefined : bounds.low + from.offset;
  const high = to === undefined || bounds?.high === undefined ? undefined : bounds.high + to.offset;
  return { low, high };
}

/** The partner's rows with their numbers, and for equal times the first and the last of them. */
function numberedRows(partner: Side, keys: readonly Key[]): string {
  const { time, order } = partner;
  const slice = keys.length === 0 ? '' : `PARTITION BY ${keys.map((key) => key.partner).join(', ')} `;
  const byTime = `OVER (${slice}ORDER BY ${time.sql})`;
  return printSelect({
    columns: [
      ...partner.columns.map((name): [string, string] => [name, name]),
      ...keys.map((key, at): [string, string] => [key.partner, `k${at}`]),
      ['1', 'one'],
      [`assumeNotNull(${time.sql})`, 'at'],
      [`toInt64(rank() ${byTime})`, 'low'],
      [`toInt64(count() ${byTime})`, 'high'],
      [`toInt64(count() OVER (${slice.trim()}))`, 'total'],
      [`toInt64(row_number() OVER (${slice}ORDER BY ${order.join(', ')}))`, 'number'],
    ],
    from: `(${partner.sql}) AS b`,
    where: time.nullable ? [`isNotNull(${time.sql})`] : [],
  });
}

/** Makes the partner's columns nullable before the join, because they are NULL in a main row without partner. */
function nullableRows(numbered: string, columns: readonly string[], keys: readonly Key[]): string {
  return printSelect({
    columns: [
      ...columns.map((name): [string, string] => [`toNullable(n.${name})`, name]),
      ...keys.map((_, at): [string, string] => [`n.k${at}`, `k${at}`]),
      ['n.number', 'number'],
    ],
    from: `(${numbered}) AS n`,
  });
}

/** The main rows, each as often as it meets partner rows, whose number is `x`; 0 when there is none. */
function expandedRows(main: Side, numbered: string, keys: readonly Key[], range: NumberRange): string {
  const { time, order } = main;
  const own = main.columns.map((name): [string, string] => [name, name]);
  const carried = [...main.columns, ...keys.map((_, at) => `k${at}`), 'one', 'at', 'number'];
  let rows = printSelect({
    columns: [
      ...own,
      ...keys.map((key, at): [string, string] => [key.main, `k${at}`]),
      ['1', 'one'],
      [`assumeNotNull(${time.sql})`, 'at'],
      [`toInt64(row_number() OVER (ORDER BY ${order.join(', ')}))`, 'number'],
    ],
    from: `(${main.sql}) AS a`,
  });
  const lookUp = (operator: string, offset: bigint, columns: readonly string[]): void => {
    const on = [
      'm.one = p.one',
      ...keys.map((_, at) => `m.k${at} = p.k${at}`),
      `m.at + ${int64(offset)} ${operator} p.at`,
    ];
    rows = printSelect({
      columns: [
        ...carried.map((name): [string, string] => [`m.${name}`, name]),
        ...columns.map((name): [string, string] => [`p.${name}`, name]),
      ],
      from: `(${rows}) AS m ASOF LEFT JOIN (${numbered}) AS p ON ${on.join(' AND ')}`,
    });
    carried.push(...columns);
  };
  if (range.from !== undefined)
    lookUp(range.from.operator, range.from.offset, range.to === undefined ? ['low', 'total'] : ['low']);
  if (range.to !== undefined) lookUp(range.to.operator, range.to.offset, ['high']);
  const { first, last } = range;
  const isNone = [`${first} = 0`, `${last} < ${first}`, ...(time.nullable ? [`isNull(${time.sql})`] : [])].join(' OR ');
  const numbers = `if(${isNone}, [toInt64(0)], range(${first}, ${last} + 1))`;
  return printSelect({
    columns: [...carried.map((name): [string, string] => [name, name]), [`arrayJoin(${numbers})`, 'x']],
    from: `(${rows}) AS e`,
  });
}
