import { Codes } from '../../../model/fault.js';
import { column as engineColumn } from '../../engine/build.js';
import type { Expr, SelectColumn } from '../../engine/nodes.js';
import { idColumn } from '../../engine/storage.js';
import { isRandom } from '../../functions/registry.js';
import { type ColumnExpression, chainTerms, mentions } from '../../resolve/expression.js';
import { columnsIn, type Mentioned, mentionedIn } from '../../resolve/mentioned.js';
import { indexColumns, type JoinMember, type Relation, type RelationColumn } from '../../resolve/relation.js';
import type { Expression, FromItem, Select } from '../../syntax/ast.js';
import { type QueryContext, refuse } from '../../values/context.js';
import { Uses, type Value } from '../../values/value.js';
import { isSuper, seriesOrder } from '../rows/scan.js';

/** A table or subquery in a join. Its columns keep the names that it gives them through all joins above it. */
export interface JoinLeaf {
  readonly kind: 'leaf';
  /** As the table is read, before any join. */
  readonly relation: Relation;
  /** As it is known above: values are `columns` by their names. */
  readonly member: JoinMember & { readonly time: Value };
  /** Columns that are read: expressions over `relation`, and the name of each. */
  readonly columns: readonly SelectColumn[];
  /** The columns, by their names, that give the rows their natural order, the time first. */
  readonly order: readonly Expr[];
}

/** A join as written. */
export type JoinItem = Extract<FromItem, { kind: 'join' }>;

/** Two relations and how they are joined. */
export interface JoinNode {
  readonly kind: 'node';
  readonly item: JoinItem;
  readonly left: JoinTree;
  readonly right: JoinTree;
}

/** A FROM with joins, whose leaves are tables and subqueries. */
export type JoinTree = JoinLeaf | JoinNode;

/** A condition that must hold for all rows, and the tables whose columns it names. */
export interface Term {
  readonly expression: Expression;
  readonly leaves: ReadonlySet<JoinLeaf>;
}

/** Answers that a join needs from the statement that it stands in. */
export interface RelationReader {
  readonly context: QueryContext;
  /** A number that is used once in the statement, for names the engine needs. */
  nextSerial(): number;
  /** The relation of a table, system table or subquery that columns may be qualified with this name. */
  read(from: Exclude<FromItem, { kind: 'join' }>, qualifier: string | undefined): Relation;
}

/** Reads the tables of a join; error 0x2663 when two have one name, 0x2664 when a subquery has no time. */
export function joinTree(item: JoinItem, select: Select, reader: RelationReader): JoinTree {
  const tree = treeOf(item, mentionedIn(select), reader);
  const seen = new Set<string>();
  for (const { member } of leavesOf(tree)) {
    if (seen.has(member.qualifier)) throw refuse(Codes.notUniqueTable, `Not unique table/alias: ${member.qualifier}`);
    seen.add(member.qualifier);
  }
  return tree;
}

/** The tables of a tree in the order written. */
export function leavesOf(tree: JoinTree): readonly JoinLeaf[] {
  return tree.kind === 'leaf' ? [tree] : [...leavesOf(tree.left), ...leavesOf(tree.right)];
}

/**
 * The terms of WHERE whose columns are known without doubt. Terms that differ from one evaluation to the next are left
 * out, because a term may be evaluated more than once.
 */
export function whereTerms(condition: Expression | undefined, leaves: readonly JoinLeaf[]): Term[] {
  return split(condition).flatMap((expression) => {
    const owners = ownersOf(expression, leaves);
    return owners === undefined ? [] : [{ expression, leaves: owners }];
  });
}

/** True for a condition that the engine can join by. */
export function isEquality(expression: Expression): boolean {
  return expression.kind === 'binary' && expression.operator === '=';
}

/** The terms of ON; one that is not as {@link whereTerms} wants it counts as one that names all tables. */
export function onTerms(condition: Expression | undefined, leaves: readonly JoinLeaf[]): Term[] {
  return split(condition).map((expression) => {
    return { expression, leaves: ownersOf(expression, leaves) ?? new Set(leaves) };
  });
}

function split(condition: Expression | undefined): Expression[] {
  return condition === undefined ? [] : chainTerms(condition, 'AND');
}

/**
 * The tables that the columns of an expression are of; undefined when a name is unknown or the expression is random.
 */
export function ownersOf(expression: Expression, leaves: readonly JoinLeaf[]): ReadonlySet<JoinLeaf> | undefined {
  const owners = new Set<JoinLeaf>();
  for (const column of columnsIn(expression)) {
    const owner = ownerOf(column, leaves);
    if (owner === undefined) return undefined;
    owners.add(owner);
  }
  return mentions(expression, isRandom) ? undefined : owners;
}

/** True when all columns of a term are in a tree. */
export function isWithin(term: Term, tree: JoinTree): boolean {
  const own = leavesOf(tree);
  return [...term.leaves].every((leaf) => own.includes(leaf));
}

function ownerOf({ table, name }: ColumnExpression, leaves: readonly JoinLeaf[]): JoinLeaf | undefined {
  if (table !== undefined) return leaves.find(({ member }) => member.qualifier === table.text);
  const owners = leaves.filter(({ member }) => member.byName.has(name.text));
  return owners.length === 1 ? owners[0] : undefined;
}

/** A side of a comparison that is a time of a table. */
interface TimeOperand {
  readonly leaf: JoinLeaf;
  /** Its primary timestamp as it is, neither cut to a unit nor another or a moved time of a subquery. */
  readonly plain: boolean;
}

/** The table whose primary timestamp an expression is, or a subquery with a time in it. */
export function timeOperand(expression: Expression, leaves: readonly JoinLeaf[]): TimeOperand | undefined {
  if (expression.kind === 'call' && expression.name === 'TIMETRUNCATE') {
    const inner = expression.args[0] === undefined ? undefined : timeOperand(expression.args[0], leaves);
    return inner === undefined ? undefined : { ...inner, plain: false };
  }
  if (expression.kind === 'binary' && (expression.operator === '+' || expression.operator === '-')) {
    const inner = timeOperand(expression.left, leaves);
    const isMoved = inner?.leaf.relation.source.kind === 'block' && columnsIn(expression.right).length === 0;
    return inner !== undefined && isMoved ? { ...inner, plain: false } : undefined;
  }
  if (expression.kind !== 'column') return undefined;
  const { name } = expression;
  const leaf = ownerOf(expression, leaves);
  const pseudo = expression.table !== undefined && !name.quoted && (name.text === '_c0' || name.text === '_rowts');
  const value = leaf?.member.byName.get(name.text)?.value;
  const plain = pseudo || value === leaf?.member.time;
  const isOther = leaf?.relation.source.kind === 'block' && value?.type.name === 'TIMESTAMP';
  return leaf !== undefined && (plain || isOther) ? { leaf, plain } : undefined;
}

function treeOf(item: FromItem, mentioned: Mentioned, reader: RelationReader): JoinTree {
  if (item.kind === 'join') {
    checkClauses(item);
    const left = treeOf(item.left, mentioned, reader);
    return { kind: 'node', item, left, right: treeOf(item.right, mentioned, reader) };
  }
  const serial = reader.nextSerial();
  // No table can have this name, so that the columns of `*` are found when a subquery has none.
  const nameless = `\0${serial}`;
  const qualifier = item.alias?.text ?? (item.kind === 'table' ? item.table.name.text : nameless);
  return leafOf(reader.read(item, qualifier), qualifier, mentioned, serial);
}

/** JLIMIT belongs to ASOF and WINDOW joins alone, WINDOW_OFFSET to WINDOW joins. */
function checkClauses({ join, jlimit, windowOffset }: JoinItem): void {
  const isWindow = join.endsWith('window');
  const misplaced =
    jlimit !== undefined && !isWindow && !join.endsWith('asof')
      ? 'JLIMIT'
      : windowOffset !== undefined && !isWindow
        ? 'WINDOW_OFFSET'
        : undefined;
  if (misplaced !== undefined) throw refuse(Codes.syntaxError, `syntax error near "${misplaced}" (not for this join)`);
}

function leafOf(relation: Relation, qualifier: string, mentioned: Mentioned, serial: number): JoinLeaf {
  const { time, tbname, rowAlias } = relation;
  if (time === undefined) throw refuse(Codes.joinNeedsTime, 'Join requires valid time-series input');
  const columns: SelectColumn[] = [];
  const read = (source: Expr, alias: string): Expr => {
    columns.push([source, alias]);
    return engineColumn(undefined, alias);
  };
  const named = (value: Value, suffix: string | number): Value => {
    const alias = `c${serial}_${suffix}`;
    const { type, precision, nullable } = value;
    return { sql: read(value.sql, alias), type, precision, nullable, uses: Uses.row };
  };
  const known = relation.columns.flatMap((column, at): RelationColumn[] =>
    isMentioned(column, mentioned) ? [{ ...column, value: named(column.value, at) }] : [],
  );
  const ownTime = named(time, 't');
  const ownName = tbname !== undefined && mentioned.names.has('tbname') ? named(tbname, 'n') : undefined;
  const order = [ownTime.sql];
  if (isSuper(relation)) order.push(read(idColumn(rowAlias), `c${serial}_i`));
  const [, second] = seriesOrder(relation);
  if (second !== undefined) order.push(read(second, `c${serial}_k`));
  const showsTags = isSuper(relation);
  const shown = known.map((column) => (isTime(column, relation) ? { ...column, value: ownTime } : column));
  const byName = indexColumns(shown);
  const member = { qualifier, columns: shown, byName, time: ownTime, tbname: ownName, showsTags };
  return { kind: 'leaf', relation, member, columns, order };
}

function isTime({ name }: RelationColumn, { columns, time }: Relation): boolean {
  return columns.some((column) => column.name === name && column.value === time);
}

function isMentioned({ name, tag }: RelationColumn, { names, star, qualifiedStar }: Mentioned): boolean {
  return names.has(name) || (tag ? qualifiedStar : star);
}
