import type { ColumnDef } from '../../model/schema.js';
import { BatchedCalls } from '../engine/batched-calls.js';
import type { Engine } from '../engine/engine.js';
import type { TableChange } from '../engine/table-change.js';

/**
 * An engine table that several tables share, as far as this process knows it. Those that need it at once are served
 * together, with one statement that makes it and one that adds the columns it may lack.
 */
export class SharedPlace {
  readonly #engine: Engine;
  readonly #columns = new Set<string>();
  readonly #making = new BatchedCalls((needs: readonly Need[]) => this.#make(needs));
  #isMade = false;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /** Resolves once the engine table exists with the columns, to false when it was known to. */
  async ensure(need: Need): Promise<boolean> {
    if (this.#isMade && need.columns.every(({ physical }) => this.#columns.has(physical))) return false;
    await this.#making.call(need);
    return true;
  }

  async #make(needs: readonly Need[]): Promise<readonly undefined[]> {
    const missing = new Map<string, ColumnDef>();
    for (const { columns } of needs) {
      for (const column of columns) if (!this.#columns.has(column.physical)) missing.set(column.physical, column);
    }
    const columns = [...missing.values()];
    if (!this.#isMade) await this.#engine.define(needs[0]!.create(columns));
    // It may have been made before, for tables that need less.
    if (columns.length > 0) await this.#engine.define(needs[0]!.add(columns));
    this.#isMade = true;
    for (const physical of missing.keys()) this.#columns.add(physical);
    return needs.map(() => undefined);
  }
}

/**
 * Need of one table for a {@link SharedPlace}: columns, and how it would be made with columns or given those it lacks.
 */
interface Need {
  readonly columns: readonly ColumnDef[];
  readonly create: (columns: readonly ColumnDef[]) => TableChange;
  readonly add: (columns: readonly ColumnDef[]) => TableChange;
}
