import type { Catalogue } from '../database/catalogue/catalogue.js';
import type { SubTables } from '../database/catalogue/sub-tables.js';
import type { DatabaseDef, SubTable, TableDef } from '../model/schema.js';

/** What a table name stands for; `table` of a sub-table is its super table. */
export type Meaning =
  | { readonly kind: 'super' | 'normal'; readonly table: TableDef }
  | {
      readonly kind: 'sub';
      readonly table: TableDef;
      readonly id: bigint;
      readonly name: string;
      readonly subTable: SubTable;
    };

/** A table name with its database. */
export interface QualifiedName {
  readonly database: string;
  readonly name: string;
}

/**
 * The table names of one statement. Names that memory does not know are looked up in the engine once; that a name does
 * not exist is believed for this statement alone, because another process may be creating it.
 */
export class StatementNames {
  readonly #catalogue: Catalogue;
  readonly #subTables: SubTables;
  readonly #looked = new Set<string>();

  constructor(catalogue: Catalogue, subTables: SubTables) {
    this.#catalogue = catalogue;
    this.#subTables = subTables;
  }

  /** The meaning of a name, `absent` when it was looked up in vain, `unknown` when it must be looked up first. */
  resolve(database: string, name: string): Meaning | 'absent' | 'unknown' {
    const found = this.#catalogue.database(database);
    if (found !== undefined) {
      const table = this.#catalogue.table(database, name);
      if (table !== undefined) return { kind: table.kind, table };
      const subTable = this.#subTables.known(found, name);
      const parent = subTable && this.#catalogue.table(database, subTable.superTable);
      if (parent !== undefined && subTable !== undefined) {
        return { kind: 'sub', table: parent, id: subTable.id, name, subTable };
      }
    }
    return this.#looked.has(key(database, name)) ? 'absent' : 'unknown';
  }

  /** Looks names up in the engine; afterwards none of them is unknown. */
  async lookUp(names: readonly QualifiedName[]): Promise<void> {
    if (names.length === 0) return;
    await this.#catalogue.sync();
    const byDatabase = new Map<DatabaseDef, string[]>();
    for (const { database, name } of names) {
      this.#looked.add(key(database, name));
      const found = this.#catalogue.database(database);
      if (found === undefined || this.#catalogue.table(database, name) !== undefined) continue;
      const list = byDatabase.get(found);
      if (list === undefined) byDatabase.set(found, [name]);
      else list.push(name);
    }
    for (const [database, list] of byDatabase) await this.#subTables.lookUp(database, list);
  }
}

function key(database: string, name: string): string {
  return `${database}\0${name}`;
}
