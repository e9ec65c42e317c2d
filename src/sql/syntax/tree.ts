import type { Expression, FromItem, PartitionItem, Query, Select, WindowClause } from './ast.js';

/** A table as FROM names it. */
type TableItem = Extract<FromItem, { kind: 'table' }>;
type Change = (query: Query) => Query;

/** An expression with the queries in it changed. */
export function mapExpression(expression: Expression, change: Change): Expression {
  const mapped = mapParts(expression, (part) => mapExpression(part, change));
  switch (mapped.kind) {
    case 'scalar-query':
    case 'exists':
    case 'in-query':
    case 'quantified':
      return { ...mapped, query: change(mapped.query) };
    default:
      return mapped;
  }
}

/** An expression with its direct parts changed. */
export function mapParts(expression: Expression, map: (part: Expression) => Expression): Expression {
  switch (expression.kind) {
    case 'call':
      return { ...expression, args: expression.args.map(map) };
    case 'over': {
      const { call, partitionBy, orderBy } = expression;
      return {
        ...expression,
        call: { ...call, args: call.args.map(map) },
        partitionBy: partitionBy.map(map),
        orderBy: orderBy.map((order) => ({ ...order, value: map(order.value) })),
      };
    }
    case 'binary':
      return { ...expression, left: map(expression.left), right: map(expression.right) };
    case 'negate':
    case 'not':
    case 'cast':
    case 'is-null':
    case 'in-query':
    case 'quantified':
      return { ...expression, value: map(expression.value) };
    case 'between':
      return { ...expression, value: map(expression.value), low: map(expression.low), high: map(expression.high) };
    case 'in':
      return { ...expression, value: map(expression.value), list: expression.list.map(map) };
    case 'case': {
      const { operand, branches, otherwise } = expression;
      return {
        ...expression,
        operand: operand && map(operand),
        // biome-ignore lint/suspicious/noThenProperty: the syntax tree names the branches by their keywords and is never awaited
        branches: branches.map(({ when, then }) => ({ when: map(when), then: map(then) })),
        otherwise: otherwise && map(otherwise),
      };
    }
    default:
      return expression;
  }
}

/** A SELECT with the queries in its expressions changed; those in FROM stay as they are. */
export function mapQueries(select: Select, change: Change): Select {
  const map = (expression: Expression): Expression => mapExpression(expression, change);
  const mapValue = <T extends { readonly value: Expression }>(item: T): T => ({ ...item, value: map(item.value) });
  const { where, having, window } = select;
  return {
    ...select,
    items: select.items.map(mapValue),
    where: where && map(where),
    partitionBy: select.partitionBy.map<PartitionItem>(mapValue),
    window: window && mapWindow(window, map, change),
    groupBy: select.groupBy.map<PartitionItem>(mapValue),
    having: having && map(having),
    orderBy: select.orderBy.map(mapValue),
  };
}

function mapWindow(window: WindowClause, map: (expression: Expression) => Expression, change: Change): WindowClause {
  if (window.kind === 'external') return { ...window, query: change(window.query) };
  if (window.kind === 'state') return { ...window, values: window.values.map(map) };
  return window.kind === 'event' ? { ...window, start: map(window.start), end: map(window.end) } : window;
}

/** The direct parts of an expression, in the order written; the queries in it are none. */
export function partsOf(expression: Expression): readonly Expression[] {
  const parts: Expression[] = [];
  mapParts(expression, (part) => {
    parts.push(part);
    return part;
  });
  return parts;
}

/** An expression and those in it, in the order written, but not those of queries in it. */
export function expressionsIn(expression: Expression): readonly Expression[] {
  const all: Expression[] = [];
  const open = [expression];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    all.push(next);
    for (const part of partsOf(next).toReversed()) open.push(part);
  }
  return all;
}

/**
 * Shows every object of a syntax tree to `see`, in the order written; `see` says whether the objects in it are shown,
 * too. Chains may be long, so this keeps its own stack.
 */
export function walk(tree: object, see: (node: object) => boolean): void {
  const open: unknown[] = [tree];
  while (open.length > 0) {
    const node = open.pop();
    if (typeof node !== 'object' || node === null || !see(node) || isLiteral(node)) continue;
    for (const member of Object.values(node).reverse()) open.push(member);
  }
}

/**
 * True for a number, a text or another value as written. Lists may have a hundred thousand of them, and nothing is in
 * one but its value and its place.
 */
export function isLiteral(node: object): boolean {
  return 'kind' in node && typeof node.kind === 'string' && literalKinds.has(node.kind);
}

const literalKinds: ReadonlySet<string> = new Set<Expression['kind']>([
  'integer',
  'number',
  'string',
  'bool',
  'null',
  'timestamp',
]);

/** Tables of queries that were walked before: several steps need them, and no step changes a tree. */
const foundTables = new WeakMap<Query, readonly TableItem[]>();

/** Every place of a query that names a table, in the order written; queries in expressions count as well. */
export function tablesIn(query: Query): readonly TableItem[] {
  const known = foundTables.get(query);
  if (known !== undefined) return known;
  const tables: TableItem[] = [];
  walk(query, (node) => {
    if (isTable(node)) tables.push(node);
    return true;
  });
  foundTables.set(query, tables);
  return tables;
}

function isTable(node: object): node is TableItem {
  return 'kind' in node && node.kind === 'table';
}

/** True when an expression in the tree holds a query. */
export function hasQuery(tree: object): boolean {
  let isFound = false;
  walk(tree, (node) => {
    isFound ||= 'kind' in node && typeof node.kind === 'string' && queryKinds.has(node.kind);
    return !isFound;
  });
  return isFound;
}

const queryKinds: ReadonlySet<string> = new Set(['scalar-query', 'exists', 'in-query', 'quantified']);
