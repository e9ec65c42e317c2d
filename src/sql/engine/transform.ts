import {
  ArrayOf,
  Between,
  Binary,
  Call,
  Element,
  type Expr,
  type FromItem,
  Lambda,
  Member,
  Named,
  Over,
  type Query,
  type SelectQuery,
  type SortTerm,
  Subquery,
  Tuple,
  Unary,
} from './nodes.js';

/**
 * A pass over a tree. `expr` may give another node for one; what it leaves as it is (undefined) gets its parts
 * transformed. A tree in which nothing changes stays the same object.
 */
export class Transformer {
  readonly #change: (node: Expr) => Expr | undefined;

  constructor(change: (node: Expr) => Expr | undefined) {
    this.#change = change;
  }

  expr(node: Expr): Expr {
    return this.#change(node) ?? this.#parts(node);
  }

  list<T extends readonly Expr[] | undefined>(nodes: T): T {
    return mapped(nodes, (node: Expr) => this.expr(node)) as T;
  }

  query(query: Query): Query {
    if ('raw' in query) return query;
    if ('union' in query) return { ...query, union: query.union.map((branch) => this.query(branch)) };
    return this.select(query);
  }

  select(select: SelectQuery): SelectQuery {
    const { columns, from, where, groupBy, having, qualify, orderBy, limitBy } = select;
    return {
      ...select,
      columns: columns.map(([node, alias]) => [this.expr(node), alias]),
      from: from && this.from(from),
      ...(where && { where: this.list(where) }),
      ...(groupBy !== undefined && typeof groupBy !== 'number' && { groupBy: this.list(groupBy) }),
      ...(having && { having: this.list(having) }),
      ...(qualify && { qualify: this.expr(qualify) }),
      ...(orderBy && { orderBy: orderBy.map((term) => this.sortTerm(term)) }),
      ...(limitBy && { limitBy: { ...limitBy, keys: this.list(limitBy.keys) } }),
    };
  }

  from(item: FromItem): FromItem {
    switch (item.kind) {
      case 'table':
        return item;
      case 'query':
        return { ...item, query: this.query(item.query) };
      case 'function':
        return { ...item, call: new Call(item.call.name, this.list(item.call.args), item.call.parameters) };
      case 'join':
        return { ...item, left: this.from(item.left), right: this.from(item.right), on: this.list(item.on) };
    }
  }

  sortTerm(term: SortTerm): SortTerm {
    const by = this.expr(term.by);
    return by === term.by ? term : { ...term, by };
  }

  #parts(node: Expr): Expr {
    switch (node.kind) {
      case 'call': {
        const args = this.list(node.args);
        const parameters = this.list(node.parameters);
        return args === node.args && parameters === node.parameters ? node : new Call(node.name, args, parameters);
      }
      case 'lambda': {
        const body = this.expr(node.body);
        return body === node.body ? node : new Lambda(node.parameters, body);
      }
      case 'array': {
        const items = this.list(node.items);
        return items === node.items ? node : new ArrayOf(items);
      }
      case 'tuple': {
        const items = this.list(node.items);
        return items === node.items ? node : new Tuple(items);
      }
      case 'binary': {
        const [left, right] = [this.expr(node.left), this.expr(node.right)];
        return left === node.left && right === node.right ? node : new Binary(node.operator, left, right);
      }
      case 'unary': {
        const operand = this.expr(node.operand);
        return operand === node.operand ? node : new Unary(node.operator, operand);
      }
      case 'between': {
        const [value, low, high] = [this.expr(node.value), this.expr(node.low), this.expr(node.high)];
        return value === node.value && low === node.low && high === node.high ? node : new Between(value, low, high);
      }
      case 'element': {
        const [base, index] = [this.expr(node.base), this.expr(node.index)];
        return base === node.base && index === node.index ? node : new Element(base, index);
      }
      case 'member': {
        const base = this.expr(node.base);
        return base === node.base ? node : new Member(base, node.number);
      }
      case 'named': {
        const expression = this.expr(node.expression);
        return expression === node.expression ? node : new Named(expression, node.name);
      }
      case 'subquery':
        return new Subquery(this.query(node.query));
      case 'over': {
        const { partitionBy, orderBy, frame } = node.window;
        const call = this.expr(node.call);
        const window = {
          ...(partitionBy && { partitionBy: this.list(partitionBy) }),
          ...(orderBy && { orderBy: orderBy.map((term) => this.sortTerm(term)) }),
          frame,
        };
        return new Over(call, window, node.nulls);
      }
      case 'text':
      case 'digits':
      case 'column':
      case 'word':
      case 'assumption':
        return node;
    }
  }
}

/** The same list where no item changes. */
function mapped(nodes: readonly Expr[] | undefined, change: (node: Expr) => Expr): readonly Expr[] | undefined {
  const changed = nodes?.map(change);
  return changed?.every((node, at) => node === nodes?.[at]) === true ? nodes : changed;
}

/**
 * Calls `visit` for each node of a tree, outer ones first, also for those of subqueries; `false` leaves out the parts
 * of a node.
 */
export function visit(tree: Expr | Query, see: (node: Expr) => unknown): void {
  const walk = new Transformer((node) => (see(node) === false ? node : undefined));
  if ('kind' in tree) walk.expr(tree);
  else walk.query(tree);
}

/** True where some node of a tree meets a condition. */
export function hasNode(tree: Expr | Query, condition: (node: Expr) => boolean): boolean {
  let isFound = false;
  visit(tree, (node) => {
    isFound ||= condition(node);
    return !isFound;
  });
  return isFound;
}
