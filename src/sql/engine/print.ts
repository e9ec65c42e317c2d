import { maxExpressionChars, tooLongForEngine } from './length.js';
import {
  type Assumption,
  type Expr,
  type FromItem,
  type Lambda,
  precedences,
  type Query,
  type SelectQuery,
  type SortTerm,
  type Window,
} from './nodes.js';
import { quoteIdentifier, quoteString } from './quote.js';

/** How tightly what is no operator binds. */
const [lambda, not, comparison, negation, primary] = [0, 3, 4, 8, 10] as const;

/**
 * The text of an expression. Equal trees have equal texts, so the text also serves as their key. Throws a FaultError
 * for one that is longer than {@link maxExpressionChars}.
 */
export function printExpr(node: Expr): string {
  if (node.kind === 'digits') return node.digits;
  if (node.printed !== undefined) return node.printed;
  const text = printed(node);
  if (text.length > maxExpressionChars) throw tooLongForEngine();
  node.setPrinted(text);
  return text;
}

/** True for expressions that are the same, node by node. */
export function isSameExpr(one: Expr, other: Expr): boolean {
  return one === other || printExpr(one) === printExpr(other);
}

/** The text of a query without settings and format. */
export function printQuery(query: Query): string {
  if ('raw' in query) return query.raw;
  if (!('union' in query)) return printSelect(query);
  return query.union.map(printQuery).join(query.distinct === true ? ' UNION DISTINCT ' : ' UNION ALL ');
}

/** A conjunction as one expression's text; `and` of the engine wants two operands at least. */
function allOf(terms: readonly Expr[]): string {
  const [only] = terms;
  return terms.length === 1 && only !== undefined ? printExpr(only) : `and(${list(terms)})`;
}

function printSelect(select: SelectQuery): string {
  const columns = select.columns.map(([node, alias]) => {
    const text = atLeast(node, comparison);
    return alias === '' ? text : `${text} AS ${alias}`;
  });
  if (select.star !== undefined) columns.unshift(select.star === '*' ? '*' : `${select.star}.*`);
  let text = `SELECT ${select.distinct === true ? 'DISTINCT ' : ''}${columns.join(', ')}`;
  if (select.from !== undefined) text += ` FROM ${printFrom(select.from)}`;
  text += conditions(' WHERE ', select.where);
  const { groupBy = 0 } = select;
  const keys =
    typeof groupBy === 'number' ? Array.from({ length: groupBy }, (_, at) => at + 1) : groupBy.map(printExpr);
  if (keys.length > 0) text += ` GROUP BY ${keys.join(', ')}`;
  const having = (select.having ?? []).map(printExpr);
  if (select.hidesEmpty === true) having.unshift('count() > 0');
  if (having.length > 0) text += ` HAVING ${having.length === 1 ? having[0] : `and(${having.join(', ')})`}`;
  if (select.qualify !== undefined) text += ` QUALIFY ${printExpr(select.qualify)}`;
  if (select.orderBy !== undefined && select.orderBy.length > 0) text += ` ORDER BY ${sortTerms(select.orderBy)}`;
  if (select.limitBy !== undefined) {
    const { offset, count, keys: by } = select.limitBy;
    text += ` LIMIT ${offset}, ${count} BY ${list(by)}`;
  }
  if (select.limit !== undefined) {
    const { count, offset } = select.limit;
    text += ` LIMIT ${count}${offset === 0n ? '' : ` OFFSET ${offset}`}`;
  }
  return text;
}

function conditions(keyword: string, terms: readonly Expr[] | undefined): string {
  return terms === undefined || terms.length === 0 ? '' : `${keyword}${allOf(terms)}`;
}

function sortTerms(terms: readonly SortTerm[]): string {
  return terms.map(sortTerm).join(', ');
}

function sortTerm({ by, descending = false, nulls, fill }: SortTerm): string {
  const order = `${printExpr(by)} ${descending ? 'DESC' : 'ASC'}`;
  const ranked = nulls === undefined ? order : `${order} NULLS ${nulls.toUpperCase()}`;
  return fill === undefined ? ranked : `${ranked} WITH FILL FROM ${fill.from} TO ${fill.to} STEP 1`;
}

/** The text of a FROM item. */
function printFrom(item: FromItem): string {
  if (item.kind === 'join') {
    const on = item.on.length === 0 ? '' : ` ON ${item.on.map((term) => atLeast(term, not)).join(' AND ')}`;
    return `${printFrom(item.left)} ${item.join} JOIN ${printFrom(item.right)}${on}`;
  }
  const alias = item.alias === undefined ? '' : ` AS ${item.alias}`;
  switch (item.kind) {
    case 'table':
      return `${item.table}${alias}${item.final === true ? ' FINAL' : ''}`;
    case 'query':
      return `(${printQuery(item.query)})${alias}`;
    case 'function':
      return `${printExpr(item.call)}${alias}`;
  }
}

function printed(node: Expr): string {
  switch (node.kind) {
    case 'call':
      return `${node.name}${node.parameters.length === 0 ? '' : `(${list(node.parameters)})`}(${list(node.args)})`;
    case 'text':
      return quoteString(node.value);
    case 'digits':
      return node.digits;
    case 'word':
      return node.word;
    case 'column': {
      const name = node.isQuoted ? quoteIdentifier(node.name) : node.name;
      return node.table === undefined ? name : `${node.table}.${name}`;
    }
    case 'lambda':
      return printLambda(node);
    case 'array':
      return `[${list(node.items)}]`;
    case 'tuple':
      return `(${list(node.items)})`;
    case 'binary': {
      const own = precedences[node.operator];
      const isComparison = own === comparison;
      const left = atLeast(node.left, isComparison ? own + 1 : own);
      return `${left} ${node.operator} ${atLeast(node.right, own + 1)}`;
    }
    case 'unary':
      return node.operator === '-' ? `-${atLeast(node.operand, negation + 1)}` : `NOT ${atLeast(node.operand, not)}`;
    case 'between': {
      const [value, low, high] = [node.value, node.low, node.high].map((part) => atLeast(part, comparison + 1));
      return `${value} BETWEEN ${low} AND ${high}`;
    }
    case 'element':
      return `${atLeast(node.base, primary - 1)}[${printExpr(node.index)}]`;
    case 'member':
      // Behind digits a point is one of theirs.
      return ['digits', 'member'].includes(node.base.kind)
        ? `(${printExpr(node.base)}).${node.number}`
        : `${atLeast(node.base, primary - 1)}.${node.number}`;
    case 'named':
      return `(${printExpr(node.expression)} AS ${node.name})`;
    case 'subquery':
      return `(${printQuery(node.query)})`;
    case 'over': {
      const nulls = node.nulls === undefined ? '' : ` ${node.nulls}`;
      return `${printExpr(node.call)}${nulls} OVER (${printWindow(node.window)})`;
    }
    case 'assumption':
      return printAssumption(node);
  }
}

function printLambda({ parameters, body }: Lambda): string {
  const [only] = parameters;
  return `${parameters.length === 1 ? only : `(${parameters.join(', ')})`} -> ${printExpr(body)}`;
}

function printWindow({ partitionBy = [], orderBy = [], frame }: Window): string {
  const clauses: string[] = [];
  if (partitionBy.length > 0) clauses.push(`PARTITION BY ${list(partitionBy)}`);
  if (orderBy.length > 0) clauses.push(`ORDER BY ${sortTerms(orderBy)}`);
  if (frame !== undefined) clauses.push(frame);
  return clauses.join(' ');
}

/** The engine's message where an assumption is wrong ends with this text, behind the name of the table. */
export const failedText = 'has rows that were stored meanwhile';

/**
 * Names of parts contain their last insert. The engine checks them before it reads rows, because `indexHint` is for
 * parts alone.
 */
function printAssumption({ storage, alias, insert }: Assumption): string {
  const last = `toUInt64(splitByChar('_', ${alias}._part)[3])`;
  return `indexHint(throwIf(${last} > ${insert}, ${quoteString(`{${storage} ${failedText}}`)}) = 0)`;
}

/** Texts are appended, not joined: the text of an expression shares the memory of those of its parts. */
function list(nodes: readonly Expr[]): string {
  let text = '';
  for (const [at, node] of nodes.entries()) {
    if (at > 0) text += ', ';
    text += printExpr(node);
  }
  return text;
}

/** The text of an expression that binds at least so tightly, in brackets where it does not. */
function atLeast(node: Expr, needed: number): string {
  const text = printExpr(node);
  return precedenceOf(node) < needed ? `(${text})` : text;
}

function precedenceOf(node: Expr): number {
  switch (node.kind) {
    case 'lambda':
      return lambda;
    case 'binary':
      return precedences[node.operator];
    case 'between':
      return comparison;
    case 'unary':
      return node.operator === 'NOT' ? not : negation;
    default:
      return primary;
  }
}
