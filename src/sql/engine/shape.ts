import type { Expr, FromItem, Query, SelectQuery } from './nodes.js';
import { Transformer } from './transform.js';

/** What a query is made of, as far as settings and plans depend on it. */
export interface QueryShape {
  /** SELECTs in it, those of subqueries among them. */
  readonly selects: number;
  /** Those of them that give the ids of the series that conditions on tags choose. */
  readonly idSets: number;
  readonly joins: number;
  /** Rows of several SELECTs follow each other. */
  readonly unites: boolean;
  /** It reads rows of tables. */
  readonly readsRows: boolean;
  /** It merges the versions of rows. */
  readonly mergesRows: boolean;
  /** It merges versions of rows or of tags. */
  readonly merges: boolean;
  /** Tags stand beside rows, or beside groups of them. */
  readonly joinsTags: boolean;
  /** Rows are grouped by their series, beside which their tags stand. */
  readonly groupsSeries: boolean;
  /** Values of other rows are read, or rows are made: more than expressions over rows and groups. */
  readonly looksAround: boolean;
  /** Names of functions, types, columns and other texts in it, a line each. */
  readonly words: string;
  /** The engine tables that it reads; undefined if its result may change while none of them does. */
  readonly tables: readonly string[] | undefined;
}

/** Functions whose result differs from call to call. */
const nondeterministic =
  /^(?:rand|now|generate|sleep)|^(?:today|yesterday|uptime|fuzzBits|serverUUID|hostName|connectionId|queryID|currentUser)$/i;

/** The aliases that the planner gives to rows, and to tags. */
const [rowAlias, tagAlias] = [/^t\d+$/, /^g\d+$/];

/** Functions of tables whose rows follow from their arguments. */
const deterministicTables: ReadonlySet<string> = new Set(['numbers', 'values', 'zeros', 'generate_series']);

/** Looks through a query. */
export function shapeOf(query: Query): QueryShape {
  const reader = new ShapeReader();
  reader.query(query);
  const tables = reader.isDeterministic ? [...reader.tables] : undefined;
  return { ...reader.shape, words: [...reader.words].join('\n'), tables };
}

class ShapeReader extends Transformer {
  readonly words = new Set<string>();
  readonly tables = new Set<string>();
  isDeterministic = true;
  readonly shape = {
    selects: 0,
    idSets: 0,
    joins: 0,
    unites: false,
    readsRows: false,
    mergesRows: false,
    merges: false,
    joinsTags: false,
    groupsSeries: false,
    looksAround: false,
  };

  constructor() {
    super((node) => this.#see(node));
  }

  override query(query: Query): Query {
    if ('raw' in query) {
      this.words.add(query.raw);
      this.shape.selects++;
      this.isDeterministic = false;
    } else if ('union' in query) this.shape.unites ||= query.distinct !== true;
    return super.query(query);
  }

  override select(select: SelectQuery): SelectQuery {
    this.shape.selects++;
    return super.select(select);
  }

  override from(item: FromItem): FromItem {
    const { shape } = this;
    if (item.kind === 'join') {
      shape.joins++;
      shape.joinsTags ||= [item.left, item.right].some(isTags);
      shape.groupsSeries ||= isGroupedSeries(item.right);
    } else {
      if (item.kind === 'function') {
        this.words.add(item.call.name);
        // Such a table may be anything, also other tables by a pattern of their names.
        this.isDeterministic &&= deterministicTables.has(item.call.name);
      } else if (item.kind === 'table') {
        this.tables.add(item.table);
        this.isDeterministic &&= !item.table.startsWith('system.');
      }
      shape.readsRows ||= rowAlias.test(item.alias ?? '');
      if (item.kind === 'table' && item.final === true) {
        shape.merges = true;
        shape.mergesRows ||= item.alias !== undefined && !tagAlias.test(item.alias);
      }
    }
    return super.from(item);
  }

  #see(node: Expr): undefined {
    const { shape, words } = this;
    switch (node.kind) {
      case 'call':
        words.add(node.name);
        this.isDeterministic &&= !nondeterministic.test(node.name);
        shape.looksAround ||= node.name === 'arrayJoin';
        break;
      case 'over':
      case 'lambda':
        shape.looksAround = true;
        break;
      case 'subquery':
        if (isIdSet(node.query)) shape.idSets++;
        break;
      case 'text':
        words.add(node.value);
        break;
      case 'column':
        words.add(node.name);
        break;
    }
    return undefined;
  }
}

/** See `idsWhere` in storage.ts. */
function isIdSet(query: Query): boolean {
  if (!('columns' in query) || query.from?.kind !== 'table') return false;
  return query.from.final === true && tagAlias.test(query.from.alias ?? '');
}

function isTags(item: FromItem): boolean {
  return item.kind === 'query' && tagAlias.test(item.alias ?? '');
}

function isGroupedSeries(item: FromItem): boolean {
  return item.kind === 'query' && item.alias === 'i' && 'columns' in item.query && item.query.groupBy === 1;
}
