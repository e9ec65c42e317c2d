import type { DatabaseDef } from '../../model/schema.js';
import type { Engine } from '../engine.js';
import { Gathered } from '../gathered.js';
import { type OwnRow, OwnTables } from '../own-tables.js';

/** Ids in one look-up statement, and from how many on a look-up is not worth sharing a statement with others. */
const idsPerQuery = 5_000;
const manyIds = 500;

/**
 * The registry. `dropped` matters to lists alone: a dropped sub-table is never looked up again, because its name leads to
 * another id from then on.
 */
const create = [
  `CREATE TABLE IF NOT EXISTS sluice.sub_tables (database String, id UInt64, name String, parent String,
   ttl Int32, created Int64) ENGINE = ReplacingMergeTree ORDER BY (database, id)`,
  `ALTER TABLE sluice.sub_tables ADD COLUMN IF NOT EXISTS dropped UInt8,
   ADD COLUMN IF NOT EXISTS comment Nullable(String)`,
];

/** Sub-tables to look for in the registry. */
interface LookUp {
  readonly database: string;
  readonly ids: readonly bigint[];
}

/** A sub-table found in the registry. */
export interface Registered {
  readonly id: bigint;
  readonly name: string;
  /** Id of its super table. */
  readonly parent: string;
  readonly ttl: number;
}

/** The engine table in which every sub-table has a row: the names, apart from the tags. */
export class Registry {
  readonly #engine: Engine;
  readonly #readings = new Gathered((lookUps: readonly LookUp[]) => this.#readTogether(lookUps));
  readonly #insertions = new Gathered((parts: readonly (readonly OwnRow[])[]) => this.#insertTogether(parts));
  readonly #tables: OwnTables;

  constructor(engine: Engine) {
    this.#engine = engine;
    this.#tables = new OwnTables(engine, create);
  }

  /** Makes the registry where it is missing. */
  prepare(): Promise<void> {
    return this.#tables.prepare();
  }

  /** The rows of sub-tables, of those that were registered. Look-ups of few that are made at once share a statement. */
  async read({ id: database }: DatabaseDef, ids: readonly bigint[]): Promise<readonly Registered[]> {
    await this.prepare();
    if (ids.length === 0) return [];
    if (ids.length < manyIds) return this.#readings.call({ database, ids });
    const found: Registered[] = [];
    for (let at = 0; at < ids.length; at += idsPerQuery) {
      found.push(...(await this.#readSome(database, ids.slice(at, at + idsPerQuery))));
    }
    return found;
  }

  /** Answers look-ups with one statement for each database. */
  async #readTogether(lookUps: readonly LookUp[]): Promise<readonly (readonly Registered[])[]> {
    const byDatabase = new Map<string, Set<bigint>>();
    for (const { database, ids } of lookUps) {
      const all = byDatabase.get(database) ?? new Set();
      for (const id of ids) all.add(id);
      byDatabase.set(database, all);
    }
    const found = new Map<string, ReadonlyMap<bigint, Registered>>();
    for (const [database, ids] of byDatabase) {
      const rows = await this.#readSome(database, [...ids]);
      found.set(database, new Map(rows.map((row) => [row.id, row])));
    }
    return lookUps.map(({ database, ids }) => {
      const rows = found.get(database);
      return ids.flatMap((id) => rows?.get(id) ?? []);
    });
  }

  async #readSome(database: string, ids: readonly bigint[]): Promise<readonly Registered[]> {
    const rows = await this.#engine.rows(
      `SELECT toString(id), name, parent, ttl FROM sluice.sub_tables FINAL
       WHERE database = '${database}' AND id IN (${ids.join(', ')})`,
    );
    return rows.map(([id, name, parent, ttl]) => ({
      id: BigInt(String(id)),
      name: String(name),
      parent: String(parent),
      ttl: Number(ttl),
    }));
  }

  /** Appends rows; what is appended at once shares a statement. */
  async insert(rows: readonly OwnRow[]): Promise<void> {
    await this.#insertions.call(rows);
  }

  async #insertTogether(parts: readonly (readonly OwnRow[])[]): Promise<readonly undefined[]> {
    await this.#tables.insert('sub_tables', parts.flat());
    return parts.map(() => undefined);
  }
}
