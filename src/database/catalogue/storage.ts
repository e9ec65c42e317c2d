import { FaultError } from '../../model/fault.js';
import type { ColumnDef, DatabaseDef, TableDef } from '../../model/schema.js';
import { ticksPerSecond } from '../../model/schema.js';
import { engineType } from '../../sql/plan/storage.js';
import { quoteIdentifier } from '../../sql/print/quote.js';
import type { Engine } from '../engine.js';
import type { Catalogue } from './catalogue.js';
import { isAsMade, shapeName } from './identity.js';
import { overtaken } from './overtaken.js';

/** Days a partition spans at least, and how many partitions a database's retention is cut into at most. */
const minPartitionDays = 10;
const maxPartitions = 100;

/** Ticks that one partition of a database's tables spans: partition number p holds p × span up to (p + 1) × span. */
export function partitionSpan(database: DatabaseDef): bigint {
  const days = Math.max(minPartitionDays, Math.ceil(database.keepDays / maxPartitions));
  return BigInt(days) * 86400n * BigInt(ticksPerSecond(database.precision));
}

function definition(column: ColumnDef): string {
  return `${quoteIdentifier(column.physical)} Nullable(${engineType(column.type)})`;
}

/**
 * How data tables are kept. What the engine works out for each part, small ones too, is left out where no query uses it:
 * column statistics, the share of default values, and the expiry of rows (see `dropOldRows`), which alone took a
 * third of a small insert. A base of 30 merges more parts at a time, which takes a third off what an insert and its
 * merges cost, and leaves FINAL as fast; many small parts may
 * wait before inserts are slowed. `bench/engine-native.bench.ts` measures the difference.
 */
const dataSettings = [
  "auto_statistics_types = ''",
  'ratio_of_defaults_for_sparse_serialization = 1',
  'merge_selector_base = 30',
  'parts_to_delay_insert = 3000',
  'parts_to_throw_insert = 10000',
].join(', ');

function dataTable(database: DatabaseDef, table: TableDef): string {
  const columns = ['id UInt64', 'ts Int64 CODEC(DoubleDelta, LZ4)', ...table.columns.map(definition)];
  return `CREATE TABLE IF NOT EXISTS ${table.storage} (${columns.join(', ')})
    ENGINE = ReplacingMergeTree PARTITION BY intDiv(ts, ${partitionSpan(database)}) ORDER BY (id, ts)
    SETTINGS ${dataSettings}`;
}

function tagTable(table: TableDef): string {
  const columns = [
    'id UInt64',
    'ts Int64',
    'name String',
    'dropped UInt8',
    'revision UInt64',
    ...table.tags.map(definition),
  ];
  return `CREATE TABLE IF NOT EXISTS ${table.tagStorage} (${columns.join(', ')})
    ENGINE = ReplacingMergeTree(revision) ORDER BY id`;
}

function addMissing(storage: string, columns: readonly ColumnDef[]): string {
  const adds = columns.map((column) => `ADD COLUMN IF NOT EXISTS ${definition(column)}`);
  return `ALTER TABLE ${storage} ${adds.join(', ')}`;
}

interface Known {
  readonly revision: number;
  readonly made: Promise<void>;
}

/** Where a table's storage is kept in mind: normal tables of one shape share it. */
function placeOf({ kind, storage, columns }: TableDef): string {
  return kind === 'super' ? storage : `${storage} ${shapeName(columns.map((column) => column.physical))}`;
}

/**
 * Makes the engine hold what the catalogue says. Every statement may be repeated and may race with another process's,
 * so a process simply runs them before it first uses a definition: a crash between the log and the engine heals itself.
 */
export class Storage {
  readonly #engine: Engine;
  readonly #catalogue: Catalogue;
  /** What this process knows to exist, by {@link placeOf}. */
  readonly #known = new Map<string, Known>();
  /** Ids of databases that this process knows to exist in the engine. */
  readonly #databases = new Set<string>();
  /** The last piece of work on the rows of a table that was begun or waits, by table id. */
  readonly #turns = new Map<string, Promise<unknown>>();

  constructor(engine: Engine, catalogue: Catalogue) {
    this.#engine = engine;
    this.#catalogue = catalogue;
  }

  /**
   * Resolves once the engine tables of a table exist with all its columns. Rejects with {@link overtaken} when the table
   * was dropped meanwhile.
   */
  ensure(database: DatabaseDef, table: TableDef): Promise<void> {
    const place = placeOf(table);
    const revision = table.kind === 'super' ? table.revision : 0;
    const known = this.#known.get(place);
    if (known?.revision === revision) return known.made;
    const made = this.#make(database, table).catch((error: unknown) => {
      if (this.#known.get(place)?.made === made) this.#known.delete(place);
      throw error;
    });
    this.#known.set(place, { revision, made });
    return made;
  }

  /** Forgets what is known, because the engine turned out to lack some of it. */
  forget(): void {
    this.#known.clear();
    this.#databases.clear();
  }

  async #make(database: DatabaseDef, table: TableDef): Promise<void> {
    await this.#makeDatabase(database);
    const { tagStorage } = table;
    const tags = tagStorage === undefined ? [] : [this.#engine.exec(tagTable(table))];
    await Promise.all([this.#engine.exec(dataTable(database, table)), ...tags]);
    // A super table that was never altered has its columns from being made, whoever made it. What normal tables share
    // keeps its name when one of them is altered, and may have been made for that one.
    if (table.kind !== 'super' || !isAsMade(table)) await this.#addMissing(table);
    await this.#removeIfDropped(database, table);
  }

  async #makeDatabase({ id }: DatabaseDef): Promise<void> {
    if (this.#databases.has(id)) return;
    await this.#engine.exec(`CREATE DATABASE IF NOT EXISTS ${id}`);
    this.#databases.add(id);
  }

  async #addMissing({ storage, columns, tagStorage, tags }: TableDef): Promise<void> {
    if (columns.length > 0) await this.#engine.exec(addMissing(storage, columns));
    if (tagStorage !== undefined && tags.length > 0) await this.#engine.exec(addMissing(tagStorage, tags));
  }

  /**
   * Another process may have dropped the table before this one made its storage, which nobody would ever look into or
   * remove. A drop that comes after this look removes it.
   */
  async #removeIfDropped(database: DatabaseDef, table: TableDef): Promise<void> {
    const { name } = database;
    await this.#catalogue.sync();
    const isDatabase = this.#catalogue.database(name)?.id === database.id;
    if (isDatabase && this.#catalogue.tableById(name, table.id) !== undefined) return;
    if (!isDatabase) await this.dropDatabase(database);
    else if (table.seriesId === undefined) await this.dropTable(table);
    throw new FaultError(overtaken);
  }

  /** Removes all data of a dropped database. */
  async dropDatabase(database: DatabaseDef): Promise<void> {
    for (const place of this.#known.keys()) if (place.startsWith(`${database.id}.`)) this.#known.delete(place);
    this.#databases.delete(database.id);
    await this.#engine.exec(`DROP DATABASE IF EXISTS ${database.id} SYNC`);
  }

  /** Removes the data of a dropped table; of a normal table, its series out of the storage it shares. */
  async dropTable(table: TableDef): Promise<void> {
    if (table.seriesId !== undefined) {
      await this.dropSeries(table, [table.seriesId]);
      return;
    }
    this.#known.delete(placeOf(table));
    await this.#engine.exec(`DROP TABLE IF EXISTS ${table.storage} SYNC`);
    await this.#engine.exec(`DROP TABLE IF EXISTS ${table.tagStorage} SYNC`);
  }

  /** Removes the rows of series. */
  async dropSeries(table: TableDef, ids: readonly bigint[]): Promise<void> {
    await this.#engine.exec(`DELETE FROM ${table.storage} WHERE id IN (${ids.join(', ')})`);
  }

  /**
   * Runs work on the rows of a table when all work that was asked for before has ended, so that a row that is completed
   * from what is stored never brings back what a DELETE of this process removes at the same time.
   */
  async inTurn<T>({ id, database }: TableDef, work: () => Promise<T>): Promise<T> {
    const key = `${database.length}:${database}${id}`;
    const before = this.#turns.get(key);
    const turn = before === undefined ? work() : before.then(work);
    const ended = turn.catch(() => undefined);
    this.#turns.set(key, ended);
    try {
      return await turn;
    } finally {
      if (this.#turns.get(key) === ended) this.#turns.delete(key);
    }
  }
}
