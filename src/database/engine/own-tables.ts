import type { Cell, Engine, TableAccess } from './engine.js';
import { makes } from './request.js';
import type { TableChange } from './table-change.js';

/**
 * Settings of a table in which the number that the engine gives to each insert stays with the rows through merges, and
 * so does their position in the insert: `ORDER BY _block_number, _block_offset` is one order for every process
 * (decisions/001).
 */
export const insertNumbers = 'SETTINGS enable_block_number_column = 1, enable_block_offset_column = 1';

/** A table of its own kind: its name, and what follows it in CREATE TABLE. */
interface OwnTable {
  readonly table: string;
  readonly definition: string;
}

/** A row by the names of its columns; what is undefined gets the column's default. */
export type OwnRow = Readonly<Record<string, Cell | undefined | readonly string[]>>;

/** Internal tables of the product, in the engine's database `sluice`. Every method may reject with a FaultError. */
export class OwnTables {
  readonly #engine: Engine;
  readonly #access: TableAccess;
  readonly #create: readonly (OwnTable | TableChange)[];
  #prepared: Promise<void> | undefined;

  /**
   * `create` makes the tables; its steps run in their order and may run again over what is there. `access` is the way to
   * tables that are not spread.
   */
  constructor(engine: Engine, create: readonly (OwnTable | TableChange)[], access: TableAccess = engine) {
    this.#engine = engine;
    this.#access = access;
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

  /**
   * Appends rows in one insert, so that all or none of them are there; `columns` is a list, all of them if left out.
   */
  async insert(name: string, rows: readonly OwnRow[], columns?: string): Promise<void> {
    await this.prepare();
    const text = rows.map((row) => JSON.stringify(row)).join('\n');
    const insert = { table: `sluice.${name}`, format: 'JSONEachRow', ...(columns === undefined ? {} : { columns }) };
    await this.#access.insert(insert, Buffer.from(text));
  }

  async #make(): Promise<void> {
    for (const step of this.#create) await ('change' in step ? this.#engine.define(step) : this.#makeTable(step));
  }

  #makeTable({ table, definition }: OwnTable): Promise<void> {
    return this.#access.exec(`CREATE TABLE IF NOT EXISTS ${table} ${definition}`, makes(table));
  }
}
