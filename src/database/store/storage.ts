import { KeyedMutex, type Unlock } from '../../async/keyed-mutex.js';
import { FaultError } from '../../model/fault.js';
import type { DatabaseDef, TableDef } from '../../model/schema.js';
import type { UniqueRows } from '../../model/unique-rows.js';
import { printExpr } from '../../sql/engine/print.js';
import { ofTables } from '../../sql/engine/storage.js';
import type { Catalogue } from '../catalogue/catalogue.js';
import { isAsMade } from '../catalogue/identity.js';
import { BatchedCallsByTable } from '../engine/batched-calls.js';
import type { Engine } from '../engine/engine.js';
import { engineCodeOf } from '../engine/engine-faults.js';
import { constantSetOfIds } from '../engine/key-sets.js';
import type { Compression } from './compression.js';
import { Debounce } from './debounce.js';
import { SharedPlace } from './shared-location.js';
import { staleSchema } from './stale-schema.js';
import { TableSizes } from './table-sizes.js';
import { addMissingColumns, addMissingTags, dataTable, tagTable } from './table-statements.js';
import { UniqueRowsLooks } from './unique-rows.js';

/** True for a table whose storage others use too. */
function isShared({ number, seriesId }: TableDef): boolean {
  return number !== undefined || seriesId !== undefined;
}

/**
 * How long a drop begins again whenever others, who do not know of it yet, have made a table meanwhile. They read the
 * catalogue every second.
 */
const maxDropMs = 15_000;

/** DATABASE_NOT_EMPTY in the engine's list of errors. */
function isNotEmpty(error: unknown): boolean {
  return engineCodeOf(error) === 219;
}

/** Series in one DELETE. */
const idsPerDelete = 50_000;
/** Rows are removed when no more series were given up for the first time, or after the second. */
const [removalPauseMs, maxRemovalPauseMs] = [1_000, 30_000];

/** Series whose rows are to go, and the number of their table where it shares its storage. */
interface RemovedSeries {
  readonly number: number | undefined;
  readonly ids: readonly bigint[];
}

interface Known {
  readonly revision: number;
  readonly making: Promise<void>;
}

/** Options of a storage. */
export interface StorageOptions {
  /** One that the engine has; see `offeredCompression`. */
  readonly compression?: Compression;
  /** KeyedMutex for engine tables that the processes of a service share; left out where it is one process. */
  readonly lockShared?: ((tables: ReadonlySet<string>) => Promise<Unlock> | undefined) | undefined;
}

/**
 * Makes the engine hold what the catalogue says. Every statement may be repeated and may race with another process's,
 * so a process simply runs them before it first uses a definition: a crash between the log and the engine heals itself.
 */
export class Storage {
  readonly sizes: TableSizes;
  readonly #uniqueRows: UniqueRowsLooks;
  readonly #engine: Engine;
  readonly #catalogue: Catalogue;
  readonly #compression: Compression;
  /** Definitions whose storage this process knows to be whole. */
  #whole = new WeakSet<TableDef>();
  /** Known storage that belongs to one super table, by its name. */
  readonly #known = new Map<string, Known>();
  /** Known storage that tables share, by its name. */
  readonly #shared = new Map<string, SharedPlace>();
  /** Databases that this process has made sure of in the engine, by id. */
  readonly #databases = new Map<string, Promise<void>>();
  readonly #removals = new BatchedCallsByTable((place, numbers: readonly number[]) => {
    const where = printExpr(ofTables(numbers));
    return this.#engine.define({ change: 'delete-rows', table: place, where, isUnseen: true });
  });
  readonly #removalDebounce = new Debounce(removalPauseMs, maxRemovalPauseMs);
  readonly #seriesRemovals = new BatchedCallsByTable((place, removed: readonly RemovedSeries[]) => {
    return this.#removeSeries(place, removed);
  });
  /** The last piece of work on the rows of a table that was begun or waits, by table id. */
  readonly #tableLocks = new KeyedMutex();
  readonly #lockShared: StorageOptions['lockShared'];

  constructor(engine: Engine, catalogue: Catalogue, options: StorageOptions = {}) {
    const { compression = 'compact', lockShared } = options;
    this.#lockShared = lockShared;
    this.#engine = engine;
    this.sizes = new TableSizes(engine);
    this.#uniqueRows = new UniqueRowsLooks(engine);
    this.#catalogue = catalogue;
    this.#compression = compression;
  }

  /**
   * Resolves once the engine tables of a table exist with all its columns. Rejects with {@link staleSchema} when the
   * table was dropped meanwhile.
   */
  async ensure(database: DatabaseDef, table: TableDef): Promise<void> {
    if (this.isWhole(table)) return;
    const whole = this.#whole;
    if (isShared(table)) await this.#makeShared(database, table);
    else await this.#ensureOwn(database, table);
    whole.add(table);
  }

  /** True when {@link Storage.ensure} has nothing to do for a table. */
  isWhole(table: TableDef): boolean {
    return this.#whole.has(table);
  }

  #ensureOwn(database: DatabaseDef, table: TableDef): Promise<void> {
    const { storage: place, revision } = table;
    const known = this.#known.get(place);
    if (known?.revision === revision) return known.making;
    const making = this.#makeOwn(database, table).catch((error: unknown) => {
      if (this.#known.get(place)?.making === making) this.#known.delete(place);
      throw error;
    });
    this.#known.set(place, { revision, making });
    return making;
  }

  /**
   * Rows of a large table that are known to have a key each. Nodes of a cluster number their inserts each by itself.
   */
  uniqueRows(table: TableDef): UniqueRows | undefined {
    if (this.#engine.cluster !== undefined) return undefined;
    return this.sizes.isLarge(table) ? this.#uniqueRows.of(table.storage) : undefined;
  }

  /** Drops what statements assumed about the rows of an engine table, see {@link UniqueRowsLooks.assumptionFailed}. */
  assumptionFailed(storage: string): void {
    this.#uniqueRows.assumptionFailed(storage);
  }

  /** Forgets what is known of stored rows, because the engine is another one or was started anew. */
  forgetRows(): void {
    this.#uniqueRows.forget();
  }

  /** Forgets what is known, because the engine turned out to lack some of it. */
  forget(): void {
    this.forgetRows();
    this.#whole = new WeakSet();
    this.#known.clear();
    this.#shared.clear();
    this.#databases.clear();
  }

  async #makeOwn(database: DatabaseDef, table: TableDef): Promise<void> {
    await this.#makeDatabase(database);
    const { storage, columns, tagStorage, tags } = table;
    await Promise.all([
      this.#engine.define(dataTable(database, table, columns, this.#compression)),
      tagStorage === undefined ? undefined : this.#engine.define(tagTable(tagStorage, table, tags)),
    ]);
    // A super table that was never altered has the columns it was made with.
    if (!isAsMade(table)) {
      if (columns.length > 0) await this.#engine.define(addMissingColumns(storage, columns, this.#compression));
      if (tagStorage !== undefined && tags.length > 0) await this.#engine.define(addMissingTags(tagStorage, tags));
    }
    await this.#removeIfDropped(database, table);
  }

  async #makeShared(database: DatabaseDef, table: TableDef): Promise<void> {
    await this.#makeDatabase(database);
    const { storage, columns, tagStorage, tags } = table;
    const compression = this.#compression;
    const columnSets = await Promise.all([
      this.#placeOf(storage).ensure({
        columns,
        create: (all) => dataTable(database, table, all, compression),
        add: (missing) => addMissingColumns(storage, missing, compression),
      }),
      tagStorage !== undefined &&
        this.#placeOf(tagStorage).ensure({
          columns: tags,
          create: (all) => tagTable(tagStorage, table, all),
          add: (missing) => addMissingTags(tagStorage, missing),
        }),
    ]);
    if (columnSets.includes(true)) await this.#removeIfDropped(database, table);
  }

  #placeOf(name: string): SharedPlace {
    const place = this.#shared.get(name) ?? new SharedPlace(this.#engine);
    this.#shared.set(name, place);
    return place;
  }

  #makeDatabase({ id }: DatabaseDef): Promise<void> {
    const known = this.#databases.get(id);
    if (known !== undefined) return known;
    const making = this.#engine.define({ change: 'make-database', database: id }).catch((error: unknown) => {
      if (this.#databases.get(id) === making) this.#databases.delete(id);
      throw error;
    });
    this.#databases.set(id, making);
    return making;
  }

  /**
   * Another process may have dropped the table before this one made its storage, which no process would ever read or
   * remove. A drop that comes after this look removes it.
   */
  async #removeIfDropped(database: DatabaseDef, table: TableDef): Promise<void> {
    const { name } = database;
    await this.#catalogue.sync();
    const isDatabase = this.#catalogue.database(name)?.id === database.id;
    if (isDatabase && this.#catalogue.tableById(name, table.id) !== undefined) return;
    if (!isDatabase) await this.dropDatabase(database);
    else if (!isShared(table)) await this.dropTable(table);
    throw new FaultError(staleSchema);
  }

  /** Removes all data of a dropped database. */
  async dropDatabase(database: DatabaseDef): Promise<void> {
    for (const places of [this.#known, this.#shared]) {
      for (const place of places.keys()) if (place.startsWith(`${database.id}.`)) places.delete(place);
    }
    this.#databases.delete(database.id);
    for (const begun = performance.now(); ; ) {
      try {
        await this.#engine.define({ change: 'drop-database', database: database.id });
        return;
      } catch (error) {
        if (performance.now() - begun > maxDropMs || !isNotEmpty(error)) throw error;
      }
    }
  }

  /** Removes the data of a dropped table: its storage, or its rows and tags out of the storage that it shares. */
  async dropTable(table: TableDef): Promise<void> {
    const { storage, tagStorage, seriesId, number } = table;
    if (seriesId !== undefined) {
      await this.dropSeries(table, [seriesId]);
    } else if (number !== undefined) {
      // Rows first: as long as there are tags, what is left is found at the next start.
      await this.#removals.call(storage, number);
      await this.#removals.call(tagStorage ?? '', number);
    } else {
      this.#known.delete(storage);
      await this.#engine.define({ change: 'drop-table', table: storage });
      if (tagStorage !== undefined) await this.#engine.define({ change: 'drop-table', table: tagStorage });
    }
  }

  /** Removes the rows of series; calls during a removal, or in quick succession, share the next one. */
  dropSeries(table: TableDef, ids: readonly bigint[]): Promise<void> {
    this.#removalDebounce.record(table.storage);
    return this.#seriesRemovals.call(table.storage, { number: table.number, ids });
  }

  /** Where there are rows: a DELETE that finds none takes as long as one that finds some. */
  async #removeSeries(place: string, removed: readonly RemovedSeries[]): Promise<void> {
    await this.#removalDebounce.quiet(place);
    const numbers = [...new Set(removed.flatMap(({ number }) => number ?? []))];
    const own = numbers.length === 0 ? [] : [printExpr(ofTables(numbers))];
    const ids = removed.flatMap((one) => one.ids);
    for (let at = 0; at < ids.length; at += idsPerDelete) {
      const where = [...own, `id IN ${constantSetOfIds(ids.slice(at, at + idsPerDelete))}`].join(' AND ');
      const rows = await this.#engine.rows(`SELECT 1 FROM ${place} WHERE ${where} LIMIT 1`);
      if (rows.length > 0) await this.#engine.define({ change: 'delete-rows', table: place, where, isUnseen: true });
    }
  }

  /**
   * Serializes work on the rows of each table, in the order of the calls, so that a row that is
   * completed from what is stored never brings back what a DELETE of this service removes at the same time.
   */
  async withTablesLocked<T>(tables: readonly TableDef[], work: () => Promise<T>): Promise<T> {
    const unlock = await this.#tableLocks.lock(tables.map(({ id, database }) => `${database.length}:${database}${id}`));
    const unlockShared = await this.#lockShared?.(new Set(tables.map(({ storage }) => storage)));
    try {
      return await work();
    } finally {
      unlockShared?.();
      unlock();
    }
  }
}
