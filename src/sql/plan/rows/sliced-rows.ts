import { Codes } from '../../../model/fault.js';
import { keyColumn } from '../../../model/schema.js';
import { raiseIf } from '../../engine/raise.js';
import { type EngineSelect, printSelect } from '../../engine/select.js';
import { idColumn } from '../../engine/storage.js';
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
  readonly sql: string;
  readonly depth: number;
}

/**
 * The rows of FROM that pass WHERE as a subquery, with columns computed over the rows of a slice in order of time beside
 * them. `relation` names the same columns as the original FROM; its text is complete once everything was translated.
 */
export class SlicedRows implements RowWindows {
  readonly relation: Relation;
  readonly time: Value;
  readonly order: readonly string[];
  readonly #scanned: EngineSelect;
  readonly #alias: string;
  readonly #columns: WindowColumn[] = [];
  readonly #known = new Map<string, string>();
  /** Columns that order rows of one time; undefined when the rows must be numbered. */
  readonly #tieBreak: readonly string[] | undefined;
  #slices: readonly string[] = [];
  #isThinned = false;

  /**
   * Error 0x2647 when the rows have no time, unless nothing depends on their order: then they are all of one time. Rows in `sequence` come in
   * the order that a subquery gives them, if it does.
   */
  constructor(task: BlockTask, order: 'timed' | 'sequence' | 'any' = 'timed') {
    const { relation, filter, serial } = task;
    if (relation === undefined || (relation.time === undefined && order !== 'any')) throw noTimeline();
    const time = relation.time ?? ticksValue(0n, relation.precision);
    const complete = (): string => this.#text();
    const source = {
      kind: 'block',
      get sql() {
        return complete();
      },
    } as const;
    if (relation.source.kind === 'block') {
      this.#alias = relation.rowAlias;
      this.time = time;
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
    const series = isSuper(relation) ? [carried.series(idColumn(relation.rowAlias))] : [];
    this.#tieBreak = series;
    this.#scanned = { columns: carried.columns, ...scanRows(relation, filter, carried.usesTags) };
    this.relation = { ...carried.relation, source };
  }

  /** Divides the rows into slices by keys; values over {@link relation}. */
  sliceBy(keys: readonly Value[]): void {
    this.#slices = keys.filter(({ uses }) => uses !== Uses.nothing).map(({ sql }) => sql);
  }

  over(call: string, { by = [], order, frame }: RowWindow = {}): string {
    const keys = [...this.#slices, ...by];
    const partition = keys.length === 0 ? '' : `PARTITION BY ${keys.join(', ')} `;
    const rows = frame ?? 'ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW';
    return this.#add(`${call} OVER (${partition}ORDER BY ${(order ?? this.order).join(', ')} ${rows})`);
  }

  /** Engine SQL over the rows as a column of theirs; one that makes several rows of a row is not named beside others. */
  column(sql: string): string {
    return this.#add(sql);
  }

  /** Sort terms that put the rows of a slice in order of time and leave no two of them alike. */
  steadyOrder(): readonly string[] {
    if (this.#tieBreak === undefined) return [this.over('row_number()')];
    return [...this.order, ...this.#tieBreak];
  }

  /**
   * Ends the statement with error 0x2805 when two rows of a slice have the same time. A term for WHERE. Where the table has a key beside the
   * time, `takesFirst` takes the row with the smallest one of each time instead.
   */
  distinctTimes(takesFirst: boolean): string {
    this.#isThinned = takesFirst && this.order.length > 1;
    return this.#isNewTime(Codes.duplicateTimestamps, 'Duplicate timestamps not allowed in function');
  }

  /** The same with error 0x073E, for windows that the rows make one by one; no term where the time is the whole key. */
  distinctInWindows(): readonly string[] {
    const text = 'Duplicate timestamp not allowed in count/event/state window';
    return this.order.length > 1 ? [this.#isNewTime(Codes.duplicateInWindow, text)] : [];
  }

  /** Nothing is left to filter once the rows were scanned; what is known about their times stays known. */
  static afterScan(filter: Filter): Filter {
    return { ...filter, time: [], row: [], tags: [], mixed: [] };
  }

  /** A window that rows are put into by their time is the same in all rows of a time. */
  #firstOfTimes(): Pick<EngineSelect, 'orderBy' | 'limitBy'> {
    const bare = (sql: string): string => sql.replaceAll(`${this.#alias}.`, '');
    const slices = this.#slices.filter((sql) => windowColumns(sql, this.#alias).length === 0);
    const keys = [...slices, this.time.sql].map(bare);
    const order = [...this.order.slice(1), ...(this.#tieBreak ?? [])].map(bare);
    return { orderBy: [...keys, ...order], limitBy: { keys, count: 1n, offset: 0n } };
  }

  #isNewTime(code: number, text: string): string {
    const before = this.over(`lagInFrame(toNullable(${this.time.sql}))`);
    return `${raiseIf(`ifNull(${before} = ${this.time.sql}, 0)`, code, text)} = 0`;
  }

  #add(sql: string): string {
    const known = this.#known.get(sql);
    if (known !== undefined) return known;
    let depth = 1;
    for (const number of windowColumns(sql, this.#alias)) {
      depth = Math.max(depth, (this.#columns[number - 1]?.depth ?? 0) + 1);
    }
    this.#columns.push({ sql, depth });
    const name = `${this.#alias}.y${this.#columns.length}`;
    this.#known.set(sql, name);
    return name;
  }

  #text(): string {
    let text = printSelect(this.#isThinned ? { ...this.#scanned, ...this.#firstOfTimes() } : this.#scanned);
    const deepest = this.#columns.reduce((most, { depth }) => Math.max(most, depth), 0);
    for (let level = 1; level <= deepest; level += 1) {
      const added = this.#columns.flatMap(({ sql, depth }, at) =>
        depth === level ? [[sql, `y${at + 1}`] as const] : [],
      );
      text = printSelect({ columns: added, star: this.#alias, from: `(${text}) AS ${this.#alias}` });
    }
    return text;
  }
}

/** Numbers of the columns computed over the rows. */
function windowColumns(sql: string, alias: string): readonly number[] {
  const columns = [...sql.matchAll(/\b(\w+)\.y(\d+)\b/g)];
  return columns.filter(([, table]) => table === alias).map(([, , number]) => Number(number));
}

/** False when every slice is one series, whose times differ anyway. */
export function mayRepeatTimes(relation: Relation | undefined, keys: readonly Value[]): boolean {
  if (relation?.source.kind === 'stored' && keyColumn(relation.source.target.table) !== undefined) return true;
  if (keys.some(({ role }) => role === 'tbname')) return false;
  return relation?.source.kind !== 'stored' || relation.source.target.kind === 'super';
}

/** The columns of a stored table that a block names, as a subquery hands them on. */
class Carried {
  readonly columns: [sql: string, alias: string][] = [];
  readonly relation: Relation;
  readonly time: Value;
  /** Sort terms of the rows of a series. */
  readonly order: readonly string[];
  usesTags = false;
  readonly #alias: string;

  constructor(relation: Relation, time: Value, alias: string, names: ReadonlySet<string>) {
    this.#alias = alias;
    this.time = this.#carry(time, 'ts');
    const [, second] = seriesOrder(relation);
    if (second !== undefined) this.columns.push([second, 'k']);
    this.order = [this.time.sql, ...(second === undefined ? [] : [`${alias}.k`])];
    const columns = relation.columns.map((column, at) => {
      if (column.value.sql === time.sql) return { ...column, value: this.time };
      return names.has(column.name) ? { ...column, value: this.#carry(column.value, `c${at + 1}`) } : column;
    });
    const { tbname } = relation;
    const byName = new Map(columns.map((column) => [column.name, column]));
    this.relation = {
      ...relation,
      columns,
      byName: new Map([...relation.byName].map(([name, column]) => [name, column && byName.get(name)])),
      time: this.time,
      ...(second === undefined ? {} : { sequence: `tuple(${this.order.join(', ')})` }),
      tbname: tbname !== undefined && names.has('tbname') ? this.#carry(tbname, 'tb') : tbname,
      rowAlias: alias,
      tagAlias: alias,
    };
  }

  /** Hands on the id of the series that a row is of. */
  series(sql: string): string {
    this.columns.push([sql, 'id']);
    return `${this.#alias}.id`;
  }

  #carry(value: Value, column: string): Value {
    if (value.uses === Uses.nothing) return value;
    if ((value.uses & Uses.tags) !== 0) this.usesTags = true;
    this.columns.push([value.sql, column]);
    return { ...value, sql: `${this.#alias}.${column}`, uses: value.uses | Uses.row };
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
