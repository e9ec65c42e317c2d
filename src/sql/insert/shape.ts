import { setBigInt } from '../../bytes/words.js';
import { type ColumnDef, type DatabaseDef, keyColumn, type TableDef } from '../../model/schema.js';
import type { Name } from '../syntax/ast.js';
import { invalidColumnName, keyIsMissing, primaryTimeNull } from '../syntax/faults.js';
import type { TimeReader } from './convert-time.js';
import type { Cursor } from './cursor.js';
import { Field, FieldKind } from './field.js';

/** Position of `tbname`, which is no column. */
const tableNamePosition = -1;
const timePosition = 0;

/**
 * The values of a row. Positions count the primary time as 0, then the data columns, then the tags. `columnSet` is one
 * and the same object for all layouts of a table with the same data columns, `columns` are their positions in table
 * order.
 */
export interface Layout {
  readonly positions: readonly number[];
  readonly columns: readonly number[];
  readonly columnSet: object;
}

/** A super or normal table as one statement sees it. */
export class TableShape {
  readonly table: TableDef;
  readonly database: DatabaseDef;
  readonly times: TimeReader;
  /** First and last tick allowed, in words. */
  readonly minTicks = new Uint32Array(2);
  readonly maxTicks = new Uint32Array(2);
  /** Sequence of the newest block of this table, -1 without any. */
  newestBlock = -1;
  readonly #positions = new Map<string, number>();
  readonly #layouts = new Map<string, Layout>();
  readonly #columnSets = new Map<string, object>();
  readonly #whole: Layout;

  constructor(
    table: TableDef,
    database: DatabaseDef,
    times: TimeReader,
    range: { readonly min: bigint; readonly max: bigint },
  ) {
    this.table = table;
    this.database = database;
    this.times = times;
    setBigInt(this.minTicks, range.min);
    setBigInt(this.maxTicks, range.max);
    this.#positions.set(table.timeColumn, timePosition);
    for (const column of [...table.columns, ...table.tags]) this.#positions.set(column.name, this.#positions.size);
    this.#whole = this.#layout([timePosition, ...table.columns.map((_, index) => index + 1)]);
  }

  /** The data column or tag at a position. */
  columnAt(position: number): ColumnDef {
    const { columns, tags } = this.table;
    const column = position <= columns.length ? columns[position - 1] : tags[position - 1 - columns.length];
    if (column === undefined) throw new Error(`Table ${this.table.name} has nothing at position ${position}.`);
    return column;
  }

  /** True for positions of tags. */
  isTag(position: number): boolean {
    return position > this.table.columns.length;
  }

  /** The field of a position that no block stores as a column: primary time, `tbname` or a tag. */
  fieldAt(position: number): Field {
    if (position === tableNamePosition) return new Field(FieldKind.tableName);
    return position === timePosition ? new Field(FieldKind.time) : new Field(FieldKind.tag, this.columnAt(position));
  }

  /**
   * The layout of a column list, or of the whole table without one. In the super-table form the list has `tbname` and
   * may name tags; `from` is where errors of the whole list point to.
   */
  layoutOf(names: readonly Name[] | undefined, superForm: boolean, cursor: Cursor, from: number): Layout {
    if (names === undefined) {
      if (superForm) throw cursor.syntaxError('tbname value expected', from);
      return this.#whole;
    }
    const positions: number[] = [];
    const seen = new Set<number>();
    for (const name of names) {
      const position = this.#positionOf(name, superForm);
      if (seen.has(position)) throw cursor.syntaxError('duplicated column name', name.span.start);
      seen.add(position);
      positions.push(position);
    }
    if (superForm && !seen.has(tableNamePosition)) throw cursor.syntaxError('tbname value expected', from);
    if (!seen.has(timePosition)) throw primaryTimeNull();
    const key = keyColumn(this.table);
    if (key !== undefined && !seen.has(timePosition + 1)) throw keyIsMissing(key.name);
    return this.#layout(positions);
  }

  #positionOf(name: Name, superForm: boolean): number {
    const position = this.#positions.get(name.text);
    if (position === undefined && superForm && name.text === 'tbname') return tableNamePosition;
    if (position === undefined || (!superForm && this.isTag(position))) throw invalidColumnName(name.text);
    return position;
  }

  #layout(positions: readonly number[]): Layout {
    const order = positions.join();
    const known = this.#layouts.get(order);
    if (known !== undefined) return known;
    const columns = positions.filter((p) => p > timePosition && !this.isTag(p)).sort((a, b) => a - b);
    const set = columns.join();
    const columnSet = this.#columnSets.get(set) ?? {};
    this.#columnSets.set(set, columnSet);
    const layout = { positions, columns, columnSet };
    this.#layouts.set(order, layout);
    return layout;
  }
}
