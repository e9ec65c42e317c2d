import type { Expression, PartitionItem, Query, Select, WindowClause } from './ast.js';

type Change = (query: Query) => Query;

/** An expression with the queries in it changed. */
export function mapExpression(expression: Expression, change: Change): Expression {
  const mapped = mapParts(expression, (part) => mapExpression(part, change));
  switch (mapped.kind) {
    case 'scalar-query':
    case 'exists':
    case 'in-query':
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
    window: window && mapWindow(window, map),
    groupBy: select.groupBy.map<PartitionItem>(mapValue),
    having: having && map(having),
    orderBy: select.orderBy.map(mapValue),
  };
}

function mapWindow(window: WindowClause, map: (expression: Expression) => Expression): WindowClause {
  if (window.kind === 'state') return { ...window, value: map(window.value) };
  return window.kind === 'event' ? { ...window, start: map(window.start), end: map(window.end) } : window;
}

/** The queries in the expressions of a SELECT. */
export function queriesIn(select: Select): readonly Query[] {
  return collected((note) => mapQueries(select, note));
}

/** The queries in an expression. */
export function queriesOf(expression: Expression): readonly Query[] {
  return collected((note) => mapExpression(expression, note));
}

function collected(visit: (note: Change) => unknown): readonly Query[] {
  const queries: Query[] = [];
  visit((query) => {
    queries.push(query);
    return query;
  });
  return queries;
}
