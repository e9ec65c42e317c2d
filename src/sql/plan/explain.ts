import type { FromItem, Query, Select, WindowClause } from '../syntax/ast.js';
import type { QueryContext } from '../values/context.js';

/** Meaning of the names of tables, as far as EXPLAIN knows it. */
type KnownTables = Pick<QueryContext, 'database' | 'resolveTable' | 'systemTable'>;

/**
 * The steps of a query as rows of text, the last step first, each indented under the one that takes its rows. `text` is
 * the statement that the query was read from.
 */
export function outline(query: Query, text: string, tables: KnownTables): string[] {
  return new Outline(text, tables).query(query, 0);
}

class Outline {
  readonly #text: string;
  readonly #tables: KnownTables;

  constructor(text: string, tables: KnownTables) {
    this.#text = text;
    this.#tables = tables;
  }

  query(query: Query, depth: number): string[] {
    if (query.kind === 'select') return this.#select(query, depth);
    const { left, right, all, orderBy, limit } = query;
    const steps = [
      limit && `Limit ${limit.count} offset ${limit.offset}`,
      orderBy.length > 0 && sorted(orderBy.length),
    ];
    return this.#nested([...steps, all ? 'Union all' : 'Union distinct'], depth, (inner) => [
      ...this.query(left, inner),
      ...this.query(right, inner),
    ]);
  }

  #select(select: Select, depth: number): string[] {
    const { limit, slimit, orderBy, distinct, having, window, partitionBy, groupBy, where, range, from } = select;
    const keys = [...partitionBy, ...groupBy].map((key) => key.text);
    const divided = keys.length === 0 ? '' : ` by ${keys.join(', ')}`;
    const grouped = groupBy.length > 0 || (partitionBy.length > 0 && window === undefined);
    const steps = [
      limit && `Limit ${limit.count} offset ${limit.offset}`,
      slimit && `Limit of slices ${slimit.count} offset ${slimit.offset}`,
      orderBy.length > 0 && sorted(orderBy.length),
      distinct && 'Distinct',
      `Select ${select.items.map((item) => item.text).join(', ')}`,
      having && `Filter groups: ${this.#source(having)}`,
      window?.kind === 'interval' && window.fill !== undefined && `Fill ${window.fill.mode}`,
      window && `Windows ${this.#window(window)}${divided}`,
      grouped && `Groups${divided}`,
      range && `Points ${this.#source(range)}`,
    ];
    return this.#nested(steps, depth, (inner) => {
      if (from === undefined) return [line(inner, 'One row')];
      return this.#from(from, inner, where === undefined ? '' : `, filter: ${this.#source(where)}`);
    });
  }

  #window(window: WindowClause): string {
    return this.#source(window);
  }

  #from(from: FromItem, depth: number, filter: string): string[] {
    switch (from.kind) {
      case 'subquery':
        return [line(depth, `Subquery${named(from.alias?.text)}${filter}`), ...this.query(from.query, depth + 1)];
      case 'join': {
        const on = from.on === undefined ? '' : ` on ${this.#source(from.on)}`;
        return [
          line(depth, `Join ${from.join}${on}${filter}`),
          ...this.#from(from.left, depth + 1, ''),
          ...this.#from(from.right, depth + 1, ''),
        ];
      }
      case 'rows':
        return [line(depth, `Rows of the statement${named(from.alias?.text)}${filter}`)];
      case 'table': {
        const { database, name } = from.table;
        const within = database?.text ?? this.#tables.database ?? '';
        return [line(depth, `Scan ${this.#kind(within, name.text)} ${within}.${name.text}${filter}`)];
      }
    }
  }

  /** A name that is no table was written out: it is a view. */
  #kind(database: string, name: string): string {
    if (this.#tables.systemTable(database, name) !== undefined) return 'system table';
    const kinds = { super: 'super table', sub: 'sub-table', normal: 'normal table' } as const;
    const target = this.#tables.resolveTable(database, name);
    return target === undefined ? 'view' : kinds[target.kind];
  }

  #nested(
    steps: readonly (string | false | undefined)[],
    depth: number,
    inner: (depth: number) => readonly string[],
  ): string[] {
    const shown = steps.filter((step) => typeof step === 'string');
    return [...shown.map((step, at) => line(depth + at, step)), ...inner(depth + shown.length)];
  }

  #source({ span }: { readonly span: { readonly start: number; readonly end: number } }): string {
    return this.#text.slice(span.start, span.end).replace(/\s+/g, ' ').trim();
  }
}

function line(depth: number, text: string): string {
  return `${'   '.repeat(depth)}-> ${text}`;
}

function sorted(terms: number): string {
  return `Sort by ${terms} ${terms === 1 ? 'term' : 'terms'}`;
}

function named(alias: string | undefined): string {
  return alias === undefined ? '' : ` ${alias}`;
}
