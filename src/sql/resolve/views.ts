import type { FromItem, ObjectName, Query } from '../syntax/ast.js';
import { mapExpression, mapQueries } from '../syntax/tree.js';
import { refuseUnsupported } from '../values/context.js';

/** Views that stand on views, at most. */
const maxViewDepth = 16;
/** How much longer a statement may get: views that name each other twice grow without bounds. */
const maxExpandedViews = 1000;

/** A view: its query, and the database of tables that the query names without one. */
interface View {
  readonly query: Query;
  readonly current: string | undefined;
}

/** Finds views by database and name; undefined when there is none. */
type ViewLookUp = (database: string, name: string) => View | undefined;

/**
 * A query with the text of every view it names in place of the view, as a subquery of that name. Tables that a view
 * names without a database are those of the database in which it was made. Views that are nested too deep or name
 * themselves are refused with 0x0100.
 */
export function expandViews(query: Query, current: string | undefined, lookUp: ViewLookUp): Query {
  return new ViewExpansion(lookUp).query(query, current, 0);
}

class ViewExpansion {
  readonly #lookUp: ViewLookUp;
  #expanded = 0;

  constructor(lookUp: ViewLookUp) {
    this.#lookUp = lookUp;
  }

  query(query: Query, current: string | undefined, depth: number): Query {
    if (query.kind === 'union') {
      const { left, right } = query;
      return { ...query, left: this.query(left, current, depth), right: this.query(right, current, depth) };
    }
    const select = mapQueries(query, (nested) => this.query(nested, current, depth));
    return select.from === undefined ? select : { ...select, from: this.#from(select.from, current, depth) };
  }

  #from(item: FromItem, current: string | undefined, depth: number): FromItem {
    switch (item.kind) {
      case 'subquery':
        return { ...item, query: this.query(item.query, current, depth) };
      case 'join':
        return {
          ...item,
          left: this.#from(item.left, current, depth),
          right: this.#from(item.right, current, depth),
          on: item.on && mapExpression(item.on, (nested) => this.query(nested, current, depth)),
        };
      case 'rows':
        return item;
      case 'table': {
        const table = depth === 0 ? item.table : inDatabase(item.table, current);
        const database = table.database?.text ?? current;
        const view = database === undefined ? undefined : this.#lookUp(database, table.name.text);
        if (view === undefined) return { ...item, table };
        this.#count(table.name.text, depth);
        const query = this.query(view.query, view.current, depth + 1);
        return { kind: 'subquery', query, alias: item.alias ?? table.name };
      }
    }
  }

  #count(name: string, depth: number): void {
    this.#expanded += 1;
    if (depth >= maxViewDepth || this.#expanded > maxExpandedViews) {
      throw refuseUnsupported(`view ${name} stands on too many views, or on itself`);
    }
  }
}

function inDatabase(table: ObjectName, current: string | undefined): ObjectName {
  if (table.database !== undefined || current === undefined) return table;
  return { ...table, database: { text: current, quoted: true, span: table.name.span } };
}
