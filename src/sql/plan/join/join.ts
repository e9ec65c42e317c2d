import { Codes } from '../../../model/fault.js';
import { fromQuery, int64, join, select } from '../../engine/build.js';
import type { Expr, SelectQuery } from '../../engine/nodes.js';
import { expr } from '../../engine/template.js';
import { hasNode } from '../../engine/transform.js';
import { ExpressionTranslator } from '../../resolve/expression.js';
import { namesOwn } from '../../resolve/mentioned.js';
import { aggregateNotAllowed, RowNames } from '../../resolve/names.js';
import type { Relation } from '../../resolve/relation.js';
import type { Expression, JoinKind, Select } from '../../syntax/ast.js';
import { intersect } from '../../values/compare.js';
import { refuse } from '../../values/context.js';
import type { TimeBounds } from '../../values/value.js';
import { sortFilter } from '../rows/filter.js';
import { scanRows } from '../rows/scan.js';
import { firstPartners, withAside } from './join-aside.js';
import { joinNearest } from './join-nearest.js';
import { joinCondition, nullableSide, ownColumns, relationOf, type Side, translatorOf } from './join-side.js';
import {
  isEquality,
  isWithin,
  type JoinItem,
  type JoinLeaf,
  type JoinNode,
  type JoinTree,
  joinTree,
  leavesOf,
  onTerms,
  type RelationReader,
  type Term,
  timeOperand,
  whereTerms,
} from './join-tree.js';

const mainOnTheRight: ReadonlySet<JoinKind> = new Set([
  'right',
  'right-semi',
  'right-anti',
  'right-asof',
  'right-window',
]);

/**
 * The relation of a join. Tables are read with the terms of WHERE that choose their rows, which the SELECT above checks
 * again; the engine joins what is left. Without equal primary timestamps: 0x2701, without any condition between the
 * sides: 0x2702.
 */
export function joinRelation(item: JoinItem, select: Select, reader: RelationReader): Relation {
  const tree = joinTree(item, select, reader);
  const terms = whereTerms(select.where, leavesOf(tree));
  const side = new JoinPlanner(reader, select).plan(tree, terms, undefined);
  return relationOf(side, reader.nextSerial());
}

/** How the time lines of two sides meet. */
interface TimeMatch {
  /** Equal as they are, so that limits of one hold for the other. */
  readonly plain: boolean;
}

class JoinPlanner {
  readonly #reader: RelationReader;
  readonly #select: Select;

  constructor(reader: RelationReader, select: Select) {
    this.#reader = reader;
    this.#select = select;
  }

  /** The rows of a tree that satisfy the terms, all of which name its columns only, and lie within the bounds. */
  plan(tree: JoinTree, terms: readonly Term[], bounds: TimeBounds | undefined): Side {
    if (tree.kind === 'leaf') return this.#read(tree, terms, bounds);
    switch (tree.item.join) {
      case 'inner':
      case 'comma':
        return this.#inner(tree, terms, bounds);
      case 'full':
        return this.#full(tree, terms);
      default:
        return this.#sided(tree, terms, bounds);
    }
  }

  #read(leaf: JoinLeaf, terms: readonly Term[], bounds: TimeBounds | undefined): Side {
    const { relation, member, columns, order } = leaf;
    const filter = this.#filter(leaf, terms);
    const time = relation.time === undefined ? filter.time : [...filter.time, ...limits(relation.time.sql, bounds)];
    const needsTags = columns.some(([sql]) => {
      return hasNode(sql, (node) => node.kind === 'column' && node.table === relation.tagAlias);
    });
    const query = select({ columns, ...scanRows(relation, { ...filter, time }, needsTags) });
    const names = columns.map(([, alias]) => alias);
    return { query, columns: names, members: [member], time: member.time, times: [member.time.sql], order };
  }

  #filter({ relation }: JoinLeaf, terms: readonly Term[]) {
    const env = { context: this.#reader.context, precision: relation.precision };
    return sortFilter(conjunction(terms), new ExpressionTranslator(env, new RowNames(relation, aggregateNotAllowed)));
  }

  /** Only the pairs that all conditions hold for; those on one side choose the rows to be joined. */
  #inner(node: JoinNode, terms: readonly Term[], bounds: TimeBounds | undefined): Side {
    const { left, right } = node;
    const all = [...onTerms(node.item.on, leavesOf(node)), ...terms];
    const { own, other, crossing } = sorted(all, left, right);
    const { plain } = matchOf(node, crossing);
    const [inLeft, inRight] = [this.#implied(left, own), this.#implied(right, other)];
    const shared = plain ? intersect(bounds, intersect(inLeft, inRight)) : undefined;
    const a = this.plan(left, own, plain ? shared : bounds);
    const b = this.plan(right, other, shared);
    const translator = translatorOf([a, b], this.#reader.context);
    const keys = crossing.filter(({ expression }) => isEquality(expression));
    const rest = crossing.filter((term) => !keys.includes(term));
    const times = plain ? [...a.times, ...b.times] : a.times;
    const joined = { ...pairOf(a, b), times };
    return { ...joined, query: joinedRows(joined, [a, b], 'INNER', keys, rest, translator) };
  }

  #full(node: JoinNode, terms: readonly Term[]): Side {
    const on = onTerms(node.item.on, leavesOf(node));
    const { crossing } = sorted(on, node.left, node.right);
    matchOf(node, crossing);
    const a = nullableSide(this.plan(node.left, [], undefined), this.#reader.nextSerial());
    const b = nullableSide(this.plan(node.right, [], undefined), this.#reader.nextSerial());
    const translator = translatorOf([a, b], this.#reader.context);
    const order = [expr`coalesce(${a.time.sql}, ${b.time.sql})`, ...a.order, ...b.order];
    const joined = { ...pairOf(a, b), times: [], order };
    return { ...joined, query: joinedRows(joined, [a, b], 'FULL', on, terms, translator) };
  }

  /** LEFT and RIGHT joins: every row of the main side stays, or with SEMI and ANTI those with and without partner. */
  #sided(node: JoinNode, terms: readonly Term[], bounds: TimeBounds | undefined): Side {
    const { join: joinKind, on: condition } = node.item;
    const mirrored = mainOnTheRight.has(joinKind);
    const [main, partner] = mirrored ? [node.right, node.left] : [node.left, node.right];
    const on = onTerms(condition, leavesOf(node));
    const { own, rest } = withinMain(terms, main);
    const mainSide = this.plan(main, own, bounds);
    if (joinKind.endsWith('asof') || joinKind.endsWith('window')) {
      const known = intersect(bounds, this.#implied(main, own));
      const planPartner = (within: TimeBounds | undefined): Side => this.plan(partner, [], within);
      return joinNearest({ node, on, mirrored, main: mainSide, planPartner, rest }, known, this.#reader);
    }
    const { other, crossing } = sorted(on, main, partner);
    const { plain } = matchOf(node, crossing);
    const shared = plain ? intersect(bounds, this.#implied(main, own)) : undefined;
    const block = this.plan(partner, other, shared);
    const isOuter = joinKind === 'left' || joinKind === 'right';
    const isSemi = joinKind.endsWith('semi');
    const partnerSide = isSemi ? block : nullableSide(block, this.#reader.nextSerial());
    const translator = translatorOf(mirrored ? [partnerSide, mainSide] : [mainSide, partnerSide], this.#reader.context);
    const remaining = on.filter((term) => !other.includes(term));
    const pair = mirrored ? pairOf(partnerSide, mainSide) : pairOf(mainSide, partnerSide);
    const outer = { ...pair, time: mainSide.time, order: [...mainSide.order, ...partnerSide.order] };
    if (isOuter) {
      const joined = { ...outer, times: mainSide.times };
      return { ...joined, query: joinedRows(joined, [mainSide, partnerSide], 'LEFT', remaining, rest, translator) };
    }
    if (!this.#isNamed(partner, main)) {
      const kind = isSemi ? 'LEFT SEMI' : 'LEFT ANTI';
      return { ...mainSide, query: joinedRows(mainSide, [mainSide, partnerSide], kind, remaining, rest, translator) };
    }
    const aside = withAside(mainSide, partnerSide, mirrored);
    if (isSemi) return { ...aside, query: firstPartners(aside, mainSide, partnerSide, remaining, translator) };
    // The engine puts defaults where a row has no partner, which of columns that can be NULL is NULL.
    return { ...aside, query: joinedRows(aside, [mainSide, partnerSide], 'LEFT ANTI', remaining, [], translator) };
  }

  /** True when the SELECT names columns of the tables of `partner`, of which `main` has none of the same name. */
  #isNamed(partner: JoinTree, main: JoinTree): boolean {
    const [own, others] = [leavesOf(partner), leavesOf(main)];
    return namesOwn(this.#select, (table, name) => {
      if (table !== undefined) return own.some(({ member }) => member.qualifier === table);
      const has = ({ member }: JoinLeaf): boolean => name !== undefined && member.byName.has(name);
      return own.some(has) && !others.some(has);
    });
  }

  /** Limits of the time line of a tree that terms imply. */
  #implied(tree: JoinTree, terms: readonly Term[]): TimeBounds | undefined {
    if (tree.kind === 'leaf') return this.#filter(tree, terms).bounds;
    const { join: joinKind } = tree.item;
    if (joinKind === 'full') return undefined;
    const main = mainOnTheRight.has(joinKind) ? tree.right : tree.left;
    return this.#implied(main, withinMain(terms, main).own);
  }
}

function conjunction(terms: readonly Term[]): Expression | undefined {
  let all: Expression | undefined;
  for (const { expression } of terms) {
    all =
      all === undefined
        ? expression
        : { kind: 'binary', operator: 'AND', left: all, right: expression, span: all.span };
  }
  return all;
}

function limits(time: Expr, bounds: TimeBounds | undefined): Expr[] {
  const low = bounds?.low === undefined ? [] : [expr`greaterOrEquals(${time}, ${int64(bounds.low)})`];
  const high = bounds?.high === undefined ? [] : [expr`lessOrEquals(${time}, ${int64(bounds.high)})`];
  return [...low, ...high];
}

function withinMain(terms: readonly Term[], main: JoinTree): { own: Term[]; rest: Term[] } {
  const own = terms.filter((term) => isWithin(term, main));
  return { own, rest: terms.filter((term) => !own.includes(term)) };
}

function sorted(terms: readonly Term[], main: JoinTree, partner: JoinTree) {
  const { own, rest } = withinMain(terms, main);
  const other = rest.filter((term) => isWithin(term, partner));
  return { own, other, crossing: rest.filter((term) => !other.includes(term)) };
}

/** How terms that name both sides make the times of a join equal; refuses joins where they do not. */
function matchOf(node: JoinNode, crossing: readonly Term[]): TimeMatch {
  const { left, right, item } = node;
  const leaves = leavesOf(node);
  let match: TimeMatch | undefined;
  for (const { expression } of crossing) {
    if (expression.kind !== 'binary' || expression.operator !== '=') continue;
    const [a, b] = [timeOperand(expression.left, leaves), timeOperand(expression.right, leaves)];
    if (a === undefined || b === undefined || leavesOf(left).includes(a.leaf) === leavesOf(left).includes(b.leaf))
      continue;
    const [first, second] = leavesOf(left).includes(a.leaf) ? [a, b] : [b, a];
    const onLines = timeLine(left).has(first.leaf) && timeLine(right).has(second.leaf);
    const alike = first.leaf.relation.precision === second.leaf.relation.precision;
    if (onLines && alike && a.plain && b.plain) return { plain: true };
    match = { plain: false };
  }
  if (match !== undefined) return match;
  if (item.on === undefined && crossing.length === 0) throw refuse(Codes.crossJoin, 'Cross join not support');
  throw refuse(Codes.expectTimeEqual, 'Expect ts equal');
}

/** The tables whose time is surely that of the joined rows. */
function timeLine(tree: JoinTree): ReadonlySet<JoinLeaf> {
  if (tree.kind === 'leaf') return new Set([tree]);
  if (tree.item.join === 'full') return new Set();
  return timeLine(mainOnTheRight.has(tree.item.join) ? tree.right : tree.left);
}

function pairOf(a: Side, b: Side): Omit<Side, 'query'> {
  return {
    columns: [...a.columns, ...b.columns],
    members: [...a.members, ...b.members],
    time: a.time,
    times: a.times,
    order: [...a.order, ...b.order],
  };
}

function joinedRows(
  { columns }: Omit<Side, 'query'>,
  [main, partner]: readonly [Side, Side],
  kind: string,
  on: readonly Term[],
  where: readonly Term[],
  translator: ExpressionTranslator,
): SelectQuery {
  const rowsOf = ({ query, columns: [first] }: Side) => fromQuery(query, `${first}_s`);
  const conditions = on.map((term) => joinCondition(term, translator));
  return select({
    columns: ownColumns(columns),
    from: join(kind, rowsOf(main), rowsOf(partner), conditions),
    where: where.map(({ expression }) => translator.condition(expression).sql),
  });
}
