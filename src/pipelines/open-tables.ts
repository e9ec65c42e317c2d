import { type ColumnBlock, tableKey } from '../model/column-block.js';
import type { WaitingTable, WaitingTables } from '../model/waiting-tables.js';
import type { Lane } from './lane.js';

/** A table with open blocks. */
interface OpenTable {
  readonly database: string;
  readonly lane: Lane;
  open: number;
}

/** The tables of which blocks are open, with the lane that each keeps until all of them have ended. */
export class OpenTables {
  readonly #tables = new Map<string, OpenTable>();

  /** Adds a block; gives the lane of its table, or undefined for the first one, which is to be added with a lane. */
  add(block: ColumnBlock): Lane | undefined {
    const known = this.#tables.get(tableKey(block));
    if (known !== undefined) known.open++;
    return known?.lane;
  }

  /** Adds the first block of a table, which keeps this lane from now on. */
  addFirst(block: ColumnBlock, lane: Lane): void {
    this.#tables.set(tableKey(block), { database: block.database, lane, open: 1 });
  }

  /** A block has ended. */
  delete(block: ColumnBlock): void {
    const key = tableKey(block);
    const known = this.#tables.get(key);
    if (known === undefined) return;
    known.open--;
    if (known.open === 0) this.#tables.delete(key);
  }

  /** The lanes of tables, each once. */
  lanesOf(tables: WaitingTables): ReadonlySet<Lane> {
    const lanes = new Set<Lane>();
    if (tables === 'all') for (const { lane } of this.#tables.values()) lanes.add(lane);
    else for (const table of tables) for (const { lane } of this.#meant(table)) lanes.add(lane);
    return lanes;
  }

  #meant({ database, table }: WaitingTable): readonly OpenTable[] {
    if (table === undefined) return [...this.#tables.values()].filter((open) => open.database === database);
    const known = this.#tables.get(tableKey({ database, table }));
    return known === undefined ? [] : [known];
  }
}
