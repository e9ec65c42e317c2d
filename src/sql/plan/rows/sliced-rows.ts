import { Codes } from '../../../model/fault.js';
import { keyColumn } from '../../../model/schema.js';
import { column, fromQuery, sortTerm } from '../../engine/build.js';
import { Column, type Expr, Over, type SelectColumn, type SelectQuery, type SortTerm } from '../../engine/nodes.js';
import { isSameExpr, printExpr } from '../../engine/print.js';
import { raiseIf } from '../../engine/raise.js';
import { idColumn } from '../../engine/storage.js';
import { expr } from '../../engine/template.js';
import { Transformer, visit } from '../../engine/transform.js';
import { noTimeline, type RowWindow, type RowWindows } from '../../functions/spec.js';
import { columnsIn } from '../../resolve/mentioned.js';
import type { Relation } from '../../resolve/relation.js';
import type { Expression, Select } from '../../syntax/ast.js';
import { ticksValue, Uses, type Value } from '../../values/value.js';
import type { BlockTask } from './block.js';
import type { Filter } from './filter.js';
import type { Item } from './items.js';
import { isSuper, scanRows, seriesOrder } from './scan.js';

/** A window column and how deep it is nested: the engine has no window over a window in one SELECT. */
interface WindowColumn {
  readonly sql: Expr;
  readonly depth: number;
}

/**
 * The rows of FROM that pass WHERE as a subquery, with columns computed over the rows of a slice in order of time
 * beside them. `relation` names the same columns as the original FROM; its query is complete once everything was
 * translated.
 */
export class SlicedRows implements RowWindows {
  readonly relation: Relation;
  readonly time: Value;
  readonly order: readonly Expr[];
  readonly series: readonly Expr[];
  readonly #scanned: SelectQuery;
  readonly #alias: string;
  /** By name. */
  readonly #columns = new Map<string, WindowColumn>();
  /** The columns by the text of what they hold. */
  readonly #known = new Map<string, Expr>();
  /** Columns that order rows of one time; undefined when the rows must be numbered. */
  readonly #tieBreak: readonly Expr[] | undefined;
  #slices: readonly Expr[] = [];
  /** The slices without the windows that the rows make. */
  #wholeSlices: readonly Expr[] = [];
  /** What beside the slices has one row of each time alone; undefined where all rows stay. */
  #firstBy: readonly Expr[] | undefined;

  /**
   * Error 0x2647 when the rows have no time, unless nothing depends on their order: then they are all of one time. Rows
   * in `sequence` come in the order that a subquery gives them, if it does.
   */
  constructor(task: BlockTask, order: 'timed' | 'sequence' | 'any' = 'timed') {
    const { relation, filter, serial } = task;
    if (relation === undefined || (relation.time === undefined && order !== 'any')) throw noTimeline();
    const time = relation.time ?? ticksValue(0n, relation.precision);
    const complete = (): SelectQuery => this.#query();
    const source = {
      kind: 'block',
      get query() {
        return complete();
      },
    } as const;
    if (relation.source.kind === 'block') {
      this.#alias = relation.rowAlias;
      this.time = time;
      this.series = relation.series ?? [];
      this.order = (order === 'sequence' ? relation.rowOrder : undefined) ?? [time.sql];
      const { from, where } = scanRows(relation, filter, false);
      this.#scanned = { columns: [], star: this.#alias, from, where };
      this.relation = { ...relation, source };
      return;
    }
    this.#alias = `o${serial}`;
    const carried = new Carried(relation, time, this.#alias, mentionedNames(task.select, task.items));
    this.time = carried.time;
    this.order = carried.order;
    this.series = isSuper(relation) ? [carried.series(idColumn(relation.rowAlias))] : [];
    this.#tieBreak = this.series;
    this.#scanned = { columns: carried.columns, ...scanRows(relation, filter, carried.usesTags) };
    this.relation = { ...carried.relation, source };
  }

  /** Divides the rows into slices by keys, and these into windows that the rows make; values over {@link relation}. */
  sliceBy(keys: readonly Value[], windows: readonly Value[] = []): void {
    const varying = (values: readonly Value[]): readonly Expr[] =>
      values.filter(({ uses }) => uses !== Uses.nothing).map(({ sql }) => sql);
    this.#wholeSlices = varying(keys);
    this.#slices = [...this.#wholeSlices, ...varying(windows)];
  }

  over(call: Expr, { by = [], order, frame, nulls, isBeyondWindow }: RowWindow = {}): Expr {
    const window = {
      partitionBy: [...(isBeyondWindow === true ? this.#wholeSlices : this.#slices), ...by],
      orderBy: order ?? ascending(this.order),
      frame: frame ?? 'ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW',
    };
    return this.#add(new Over(call, window, nulls));
  }

  /**
   * An expression over the rows as a column of theirs; one that makes several rows of a row is not named beside others.
   */
  column(sql: Expr): Expr {
    return this.#add(sql);
  }

  /** Sort terms that put the rows of a slice in order of time and leave no two of them alike. */
  steadyOrder(): readonly SortTerm[] {
    if (this.#tieBreak === undefined) return ascending([this.over(expr`row_number()`)]);
    return ascending([...this.order, ...this.#tieBreak]);
  }

  /**
   * Ends the statement with error 0x2805 when two rows of a slice have the same time, with `by` two that are alike in
   * it. A term for WHERE. Where the table has a key beside the time, `takesFirst` takes the row with the smallest one
   * of each time instead.
   */
  distinctTimes(takesFirst: boolean, by: readonly Expr[] = []): Expr {
    if (takesFirst && this.order.length > 1) this.#firstBy = by;
    return this.#isNewTime(Codes.duplicateTimestamps, 'Duplicate timestamps not allowed in function', by);
  }

  /** The same with error 0x073E, for windows that the rows make one by one; no term where the time is the whole key. */
  distinctInWindows(): readonly Expr[] {
    const text = 'Duplicate timestamp not allowed in count/event/state window';
    return this.order.length > 1 ? [this.#isNewTime(Codes.duplicateInWindow, text)] : [];
  }

  /** Nothing is left to filter once the rows were scanned; what is known about their times stays known. */
  static afterScan(filter: Filter): Filter {
    return { ...filter, time: [], row: [], tags: [], mixed: [] };
  }

  /** A window that rows are put into by their time is the same in all rows of a time. */
  #firstOfTimes(by: readonly Expr[]): Pick<SelectQuery, 'orderBy' | 'limitBy'> {
    const bare = new Transformer((node) => {
      if (node.kind !== 'column' || node.table !== this.#alias) return undefined;
      return new Column(undefined, node.name, node.isQuoted);
    });
    const slices = this.#slices.filter((sql) => this.#depthOf(sql) === 0);
    const keys = bare.list([...slices, ...by, this.time.sql]);
    const order = bare.list([...this.order.slice(1), ...(this.#tieBreak ?? [])]);
    return { orderBy: ascending([...keys, ...order]), limitBy: { keys, count: 1n, offset: 0n } };
  }

  #isNewTime(code: number, text: string, by: readonly Expr[] = []): Expr {
    const before = this.over(expr`lagInFrame(toNullable(${this.time.sql}))`, { by });
    return expr`${raiseIf(expr`ifNull(${before} = ${this.time.sql}, 0)`, code, text)} = 0`;
  }

  #add(sql: Expr): Expr {
    const key = printExpr(sql);
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const name = `y${this.#columns.size + 1}`;
    this.#columns.set(name, { sql, depth: this.#depthOf(sql) + 1 });
    const added = column(this.#alias, name);
    this.#known.set(key, added);
    return added;
  }

  /** Depth of the deepest window column that an expression names; 0 where it names none. */
  #depthOf(sql: Expr): number {
    let deepest = 0;
    visit(sql, (node) => {
      const isOwn = node.kind === 'column' && node.table === this.#alias && !node.isQuoted;
      if (isOwn) deepest = Math.max(deepest, this.#columns.get(node.name)?.depth ?? 0);
    });
    return deepest;
  }

  #query(): SelectQuery {
    let query =
      this.#firstBy === undefined ? this.#scanned : { ...this.#scanned, ...this.#firstOfTimes(this.#firstBy) };
    const columns = [...this.#columns];
    const deepest = columns.reduce((most, [, { depth }]) => Math.max(most, depth), 0);
    for (let level = 1; level <= deepest; level += 1) {
      const added = columns.flatMap(([name, { sql, depth }]): SelectColumn[] => (depth === level ? [[sql, name]] : []));
      query = { columns: added, star: this.#alias, from: fromQuery(query, this.#alias) };
    }
    return query;
  }
}

/** Sort terms by values that are never NULL, or whose NULLs the engine may put where it does by itself. */
function ascending(values: readonly Expr[]): readonly SortTerm[] {
  return values.map((by) => sortTerm(by, false));
}

/** False when every slice is one series, whose times differ anyway; `ofSeries` where each series is a slice. */
export function mayRepeatTimes(relation: Relation | undefined, keys: readonly Value[], ofSeries = false): boolean {
  if (relation?.source.kind === 'stored' && keyColumn(relation.source.target.table) !== undefined) return true;
  if (keys.some(({ role }) => role === 'tbname') || (ofSeries && relation?.source.kind === 'stored')) return false;
  return relation?.source.kind !== 'stored' || relation.source.target.kind === 'super';
}

/** The columns of a stored table that a block names, as a subquery hands them on. */
class Carried {
  readonly columns: SelectColumn[] = [];
  readonly relation: Relation;
  readonly time: Value;
  /** What the rows of a series are sorted by. */
  readonly order: readonly Expr[];
  usesTags = false;
  readonly #alias: string;

  constructor(relation: Relation, time: Value, alias: string, names: ReadonlySet<string>) {
    this.#alias = alias;
    this.time = this.#carry(time, 'ts');
    const [, second] = seriesOrder(relation);
    if (second !== undefined) this.columns.push([second, 'k']);
    this.order = [this.time.sql, ...(second === undefined ? [] : [column(alias, 'k')])];
    const columns = relation.columns.map((each, at) => {
      if (isSameExpr(each.value.sql, time.sql)) return { ...each, value: this.time };
      return names.has(each.name) ? { ...each, value: this.#carry(each.value, `c${at + 1}`) } : each;
    });
    const { tbname } = relation;
    const byName = new Map(columns.map((each) => [each.name, each]));
    this.relation = {
      ...relation,
      columns,
      byName: new Map([...relation.byName].map(([name, each]) => [name, each && byName.get(name)])),
      time: this.time,
      ...(second === undefined ? {} : { sequence: expr`tuple(${this.order})` }),
      tbname: tbname !== undefined && names.has('tbname') ? this.#carry(tbname, 'tb') : tbname,
      rowAlias: alias,
      tagAlias: alias,
    };
  }

  /** Hands on the id of the series that a row is of. */
  series(sql: Expr): Expr {
    this.columns.push([sql, 'id']);
    return column(this.#alias, 'id');
  }

  #carry(value: Value, name: string): Value {
    if (value.uses === Uses.nothing) return value;
    if ((value.uses & Uses.tags) !== 0) this.usesTags = true;
    this.columns.push([value.sql, name]);
    return { ...value, sql: column(this.#alias, name), uses: value.uses | Uses.row };
  }
}

/** The names of columns that anything but WHERE mentions. */
function mentionedNames(
  { partitionBy, groupBy, having, orderBy, window }: Select,
  items: readonly Item[],
): Set<string> {
  const all: Expression[] = [...items, ...partitionBy, ...groupBy, ...orderBy].map(({ value }) => value);
  const names = new Set<string>();
  if (having !== undefined) all.push(having);
  if (window?.kind === 'state') all.push(...window.values);
  if (window?.kind === 'event') all.push(window.start, window.end);
  if (window?.kind === 'count') for (const { text } of window.columns) names.add(text);
  for (const { name } of all.flatMap(columnsIn)) names.add(name.text);
  return names;
}
