import type { Catalogue } from '../database/catalogue/catalogue.js';
import type { Access } from '../database/catalogue/rights.js';
import type { SubTables } from '../database/store/sub-tables.js';
import type { Right } from '../model/rights.js';
import type { DatabaseDef, SubTable, TableDef } from '../model/schema.js';
import type { TableName } from '../sql/insert/context.js';

/** Meaning of a table name; `table` of a sub-table is its super table. */
type Meaning =
  | { readonly kind: 'super' | 'normal'; readonly table: TableDef; readonly hiddenSince?: number }
  | {
      readonly kind: 'sub';
      readonly table: TableDef;
      readonly id: bigint;
      readonly name: string;
      readonly subTable: SubTable;
    };

/**
 * The table names of one statement. Names that memory does not know are looked up in the engine once; that a name is
 * absent holds for this statement only, because another process may be creating it. Results of look-ups hold until
 * something is dropped in the database; then the names are unknown again.
 *
 * Every name in a statement becomes a table here, so rights are checked here: `resolve` throws a FaultError for a table
 * on which the user lacks the right.
 */
export class StatementNames {
  readonly #catalogue: Catalogue;
  readonly #subTables: SubTables;
  readonly #access: Access;
  readonly #right: Right;
  /** Sub-tables that were looked up, undefined for names that do not exist. */
  readonly #lookedUp = new Map<string, SubTable | undefined>();

  constructor(catalogue: Catalogue, subTables: SubTables, access: Access, right: Right) {
    this.#catalogue = catalogue;
    this.#subTables = subTables;
    this.#access = access;
    this.#right = right;
  }

  /** The meaning of a name, `absent` when it was looked up in vain, `unknown` when it must be looked up first. */
  resolve(database: string, name: string): Meaning | 'absent' | 'unknown' {
    this.#access.requireSight(database);
    const meaning = this.#mean(database, name);
    if (typeof meaning === 'object') this.#access.require(this.#right, database, name, meaning.table.name);
    return meaning;
  }

  #mean(database: string, name: string): Meaning | 'absent' | 'unknown' {
    const def = this.#catalogue.database(database);
    if (def !== undefined) {
      const table = this.#catalogue.table(database, name);
      if (table !== undefined) return { kind: table.kind, table, ...hiding(this.#catalogue.removals(database, name)) };
      // A statement may name more sub-tables than the process remembers.
      const subTable = this.#subTables.known(def, name) ?? this.#lookedUp.get(this.#key(database, name));
      const parent = subTable && this.#catalogue.table(database, subTable.superTable);
      if (parent !== undefined && subTable !== undefined) {
        return { kind: 'sub', table: parent, id: subTable.id, name, subTable };
      }
    }
    return this.#lookedUp.has(this.#key(database, name)) ? 'absent' : 'unknown';
  }

  /** Looks names up in the engine; afterwards none of them is unknown, unless something was dropped meanwhile. */
  async lookUp(names: readonly TableName[]): Promise<void> {
    if (names.length === 0) return;
    await this.#catalogue.sync();
    this.markAbsent(names);
    const byDatabase = new Map<DatabaseDef, string[]>();
    for (const { database, name } of names) {
      const def = this.#catalogue.database(database);
      if (def === undefined || this.#catalogue.table(database, name) !== undefined) continue;
      const list = byDatabase.get(def);
      if (list === undefined) byDatabase.set(def, [name]);
      else list.push(name);
    }
    for (const [database, list] of byDatabase) {
      const keys = list.map((name) => this.#key(database.name, name));
      const byName = await this.#subTables.lookUp(database, list);
      for (const [i, name] of list.entries()) this.#lookedUp.set(keys[i]!, byName.get(name));
    }
  }

  /** Treats names as absent for this statement. */
  markAbsent(names: readonly TableName[]): void {
    for (const { database, name } of names) this.#lookedUp.set(this.#key(database, name), undefined);
  }

  #key(database: string, name: string): string {
    return `${this.#catalogue.epoch(database)}\0${database}\0${name}`;
  }
}

/** Since when dropped sub-tables still have rows; empty when none have. */
function hiding(removals: ReadonlyMap<string, number>): { readonly hiddenSince?: number } {
  return removals.size === 0 ? {} : { hiddenSince: Math.min(...removals.values()) };
}
