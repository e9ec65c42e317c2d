import type { Cell, Engine } from './engine.js';
import type { TableChange } from './table-change.js';

/**
 * Settings of a table in which the number that the engine gives to each insert stays with the rows through merges, and so
 * does their position in the insert: `ORDER BY _block_number, _block_offset` is one order for every process (decisions/001).
 */
export const insertNumbers = 'SETTINGS enable_block_number_column = 1, enable_block_offset_column = 1';

/** A row by the names of its columns; what is undefined gets the column's default. */
export type OwnRow = Readonly<Record<string, Cell | undefined | readonly string[]>>;

/** Internal tables of the product, in the engine's database `sluice`. Every method may reject with a FaultError. */
export class OwnTables {
  readonly #engine: Engine;
  readonly #create: readonly (string | TableChange)[];
  #prepared: Promise<void> | undefined;

  /** `create` makes the tables; its steps, statements of the engine or changes, run in their order and may run again over what is there. */
  constructor(engine: Engine, create: readonly (string | TableChange)[]) {
    this.#engine = engine;
    this.#create = [{ change: 'make-database', database: 'sluice' }, ...create];
  }

  /** Makes the tables where they are missing: once, and with the next call after a failure. */
  prepare(): Promise<void> {
    this.#prepared ??= this.#make().catch((error: unknown) => {
      this.#prepared = undefined;
      throw error;
    });
    return this.#prepared;
  }

  /** Appends rows in one insert, so that all or none of them are there. `table` may be followed by a list of columns. */
  async insert(table: string, rows: readonly OwnRow[]): Promise<void> {
    await this.prepare();
    const text = rows.map((row) => JSON.stringify(row)).join('\n');
    await this.#engine.insert(`INSERT INTO sluice.${table} FORMAT JSONEachRow`, Buffer.from(text));
  }

  async #make(): Promise<void> {
    for (const step of this.#create)
      await (typeof step === 'string' ? this.#engine.exec(step) : this.#engine.define(step));
  }
}
