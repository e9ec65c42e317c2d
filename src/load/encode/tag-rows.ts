import type { TagValue } from '../../model/schema.js';

/** Tables whose tags are made at once: one by one they cost several times as much. */
const chunk = 256;

/** Gives the tag values of the tables `[from, from + count)`. */
export type TagRowsOf = (from: number, count: number) => readonly (readonly TagValue[])[];

/** The tags of one table after the other, made in chunks. */
export class TagLookup {
  readonly #rowsOf: TagRowsOf;
  #rows: readonly (readonly TagValue[])[] = [];
  #from = 0;

  constructor(rowsOf: TagRowsOf) {
    this.#rowsOf = rowsOf;
  }

  of(table: number): readonly TagValue[] {
    const known = table >= this.#from ? this.#rows[table - this.#from] : undefined;
    if (known !== undefined) return known;
    this.#from = table;
    this.#rows = this.#rowsOf(table, chunk);
    return this.#rows[0] ?? [];
  }
}
