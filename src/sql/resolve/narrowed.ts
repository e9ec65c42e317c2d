import type { Expression, FromItem, ObjectName, Query, Select } from '../syntax/ast.js';
import { mapExpression, mapParts, mapQueries, tablesIn } from '../syntax/tree.js';

/** The conditions under one of which a user may read the rows of a table; undefined where all of them. */
type ConditionsOf = (table: ObjectName) => readonly Expression[] | undefined;

/**
 * A query that reads only such rows of its tables as meet a condition each. Alone in FROM the condition joins WHERE; in
 * a join the table becomes a subquery, without `tbname`. `refuse` gives the error for a table that stands where no
 * condition can be added.
 */
export function narrowedQuery(query: Query, conditionsOf: ConditionsOf, refuse: () => Error): Query {
  if (tablesIn(query).every(({ table }) => conditionsOf(table) === undefined)) return query;
  const narrowing = new Narrowing(conditionsOf);
  const narrowed = narrowing.query(query);
  for (const { table } of tablesIn(narrowed)) {
    if (conditionsOf(table) !== undefined && !narrowing.tables.has(table)) throw refuse();
  }
  return narrowed;
}

class Narrowing {
  /** The tables that have got their conditions, where they stand. */
  readonly tables = new Set<ObjectName>();
  readonly #conditionsOf: ConditionsOf;

  constructor(conditionsOf: ConditionsOf) {
    this.#conditionsOf = conditionsOf;
  }

  query(query: Query): Query {
    if (query.kind === 'union') return { ...query, left: this.query(query.left), right: this.query(query.right) };
    const select = mapQueries(query, (nested) => this.query(nested));
    const { from, where, span } = select;
    if (from === undefined) return select;
    const condition = from.kind === 'table' ? this.#condition(from.table) : undefined;
    if (condition === undefined) return { ...select, from: this.#from(from) };
    return { ...select, where: where === undefined ? condition : both('AND', where, condition, span) };
  }

  #from(item: FromItem): FromItem {
    switch (item.kind) {
      case 'subquery':
        return { ...item, query: this.query(item.query) };
      case 'join': {
        const on = item.on && mapExpression(item.on, (nested) => this.query(nested));
        return { ...item, left: this.#from(item.left), right: this.#from(item.right), on };
      }
      case 'rows':
        return item;
      case 'table': {
        const where = this.#condition(item.table);
        if (where === undefined) return item;
        return { kind: 'subquery', query: everythingOf(item, where), alias: item.alias ?? item.table.name };
      }
    }
  }

  #condition(table: ObjectName): Expression | undefined {
    const conditions = this.#conditionsOf(table);
    if (conditions === undefined) return undefined;
    this.tables.add(table);
    return conditions.map(unqualified).reduce((one, other) => both('OR', one, other, other.span));
  }
}

/** The table may have another name in the query. */
function unqualified(expression: Expression): Expression {
  return expression.kind === 'column' ? { ...expression, table: undefined } : mapParts(expression, unqualified);
}

function both(operator: 'AND' | 'OR', left: Expression, right: Expression, span: Expression['span']): Expression {
  return { kind: 'binary', operator, left, right, span };
}

function everythingOf(item: Extract<FromItem, { kind: 'table' }>, where: Expression): Select {
  const { span } = item.table.name;
  return {
    kind: 'select',
    distinct: false,
    tags: false,
    items: [{ value: { kind: 'star', table: undefined, span }, alias: undefined, text: '*' }],
    from: { ...item, alias: undefined },
    where,
    partitionBy: [],
    range: undefined,
    window: undefined,
    groupBy: [],
    having: undefined,
    orderBy: [],
    slimit: undefined,
    limit: undefined,
    span,
  };
}
