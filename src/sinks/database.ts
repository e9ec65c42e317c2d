import type { Catalogue } from '../database/catalogue/catalogue.js';
import { createNamed } from '../database/catalogue/create-named.js';
import { ensureDatabase } from '../database/catalogue/ensure-database.js';
import { lastPosition } from '../database/catalogue/log.js';
import { isOvertaken, overtaken } from '../database/catalogue/overtaken.js';
import type { Storage } from '../database/catalogue/storage.js';
import type { SubTables } from '../database/catalogue/sub-tables.js';
import type { Engine } from '../database/engine.js';
import { decodeNative, encodeNative, type StoredRows } from '../database/native-block.js';
import type { Batch, BlockGroup } from '../model/batch.js';
import { BufferPool } from '../model/buffer-pool.js';
import type { ColumnBlock, TableStyle } from '../model/column-block.js';
import type { Sink } from '../model/component.js';
import { type Delivery, delivered } from '../model/delivery.js';
import { Codes, FaultError, fault } from '../model/fault.js';
import type { DatabaseDef, SubTable, TableDef } from '../model/schema.js';
import { mergeRows } from './merge-rows.js';
import { deliveryOf } from './outcome.js';
import { type Growth, growthFor } from './required-schema.js';
import { untilAborted } from './until-aborted.js';

/** The parts of the database room that the sink writes through. */
export interface DatabaseSinkContext {
  readonly engine: Engine;
  readonly catalogue: Catalogue;
  readonly storage: Storage;
  readonly subTables: SubTables;
}

/** How often a write starts over because other processes changed its table meanwhile. */
const maxAttempts = 10;
/** Keys in one statement that reads rows back. */
const keysPerQuery = 10_000;
/** Encoded groups kept for the next ones. */
const pooledBuffers = 8;
const pooledBufferBytes = 16 * 1024 * 1024;
const insertSettings =
  'async_insert = 0, optimize_on_insert = 0, max_partitions_per_insert_block = 0, max_threads = 1, max_insert_threads = 1';

/**
 * The one writer: column blocks of one table to the engine as Native inserts. Before it writes it makes sure that the
 * database, the table, its columns and the sub-tables exist. Rows that leave columns out are completed from what is
 * stored, so that every stored row is whole. A write whose table was dropped by another process since its text was read
 * fails with {@link overtaken}: the text must be read again.
 */
export class DatabaseSink implements Sink<BlockGroup> {
  readonly name = 'database';
  readonly #context: DatabaseSinkContext;
  readonly #buffers = new BufferPool(pooledBuffers, pooledBufferBytes);

  constructor(context: DatabaseSinkContext) {
    this.#context = context;
  }

  async start(): Promise<void> {}
  async drain(): Promise<void> {}
  async stop(): Promise<void> {}

  write(batch: Batch<BlockGroup>, deadline: AbortSignal): Promise<Delivery> {
    return deliveryOf(untilAborted(this.#write(batch), deadline));
  }

  async #write(batch: Batch<BlockGroup>): Promise<Delivery> {
    try {
      for (let attempt = 0; attempt < maxAttempts; attempt++) {
        if (await this.#writeGroup(batch)) return delivered(batch.rows);
      }
    } catch (error) {
      if (!(error instanceof FaultError) || !isOvertaken(error.fault)) throw error;
      this.#context.storage.forget();
      await this.#context.catalogue.sync();
    }
    throw new FaultError(overtaken);
  }

  /** False when the table turned out to have changed and nothing was written. */
  async #writeGroup({ payload, target }: Batch<BlockGroup>): Promise<boolean> {
    const { blocks } = payload;
    const { catalogue, storage } = this.#context;
    const synced = catalogue.sync();
    // Awaited where it is needed, which may be never.
    synced.catch(() => undefined);
    const { database: name, createDatabase: create, user } = target;
    const database = await ensureDatabase(catalogue, { name, create, user });
    const table = await this.#table(database, blocks);
    await storage.ensure(database, table);
    if (target.reading !== undefined && target.reading.epoch < catalogue.lastDrop(database.name, table.name)) {
      throw new FaultError(overtaken);
    }
    await this.#register(database, table, blocks);
    return storage.inTurn(table, () => this.#store(table, blocks, synced));
  }

  /**
   * False when the table turned out to have changed and nothing was written: a row that is whole by an old definition would
   * hide what another process has stored in a column since. `synced` settles once the catalogue is newer than the rows.
   */
  async #store(table: TableDef, blocks: readonly ColumnBlock[], synced: Promise<void>): Promise<boolean> {
    if (!blocks.every((block) => isWhole(block, table))) {
      const stored = await this.#stored(table, blocks);
      return stored !== 'outdated' && this.#insert(table, [mergeRows(table, blocks, stored)], synced);
    }
    return this.#insert(table, blocks, synced);
  }

  /** The table with every column and tag that the blocks hold; grown, or created for schemaless blocks, if need be. */
  async #table(database: DatabaseDef, blocks: readonly ColumnBlock[]): Promise<TableDef> {
    const { catalogue } = this.#context;
    const name = blocks[0]!.table;
    const style = blocks.find((block) => block.style !== undefined)?.style;
    const fitting = (): TableDef | Growth => {
      const table = catalogue.table(database.name, name);
      const growth = growthFor(blocks, table);
      return table !== undefined && growth.columns.length + growth.tags.length === 0 ? table : growth;
    };
    let found = fitting();
    if (!('id' in found)) {
      await catalogue.sync();
      found = fitting();
    }
    const known = catalogue.table(database.name, name);
    if (known?.kind === 'normal' && style !== undefined) {
      throw new FaultError(fault('parameter', Codes.schemalessData, `table "${name}" is not a super table`));
    }
    if ('id' in found) return found;
    if (style !== undefined) return this.#grow(database, name, style, found);
    throw new FaultError(known === undefined ? noTable : overtaken);
  }

  async #grow(database: DatabaseDef, name: string, { timeColumn }: TableStyle, growth: Growth): Promise<TableDef> {
    const { catalogue, subTables } = this.#context;
    const extend = { op: 'extend-table', database: database.name, name, timeColumn, ...growth } as const;
    const refused =
      catalogue.table(database.name, name) === undefined
        ? await createNamed(catalogue, subTables, database, extend)
        : (await catalogue.submit([extend]))[0];
    if (refused !== undefined) throw new FaultError(refused);
    const grown = catalogue.table(database.name, name);
    if (grown === undefined) throw new FaultError(overtaken);
    return grown;
  }

  async #register(database: DatabaseDef, table: TableDef, blocks: readonly ColumnBlock[]): Promise<void> {
    const wanted = new Map<bigint, SubTable>();
    for (const block of blocks) {
      for (const subTable of block.newSubTables) if (!subTable.registered) wanted.set(subTable.id, subTable);
    }
    if (wanted.size === 0) return;
    const refused = await this.#context.subTables.register(database, table, [...wanted.values()]);
    if (refused !== undefined) throw new FaultError(refused);
    for (const block of blocks) for (const subTable of block.newSubTables) subTable.registered = true;
  }

  /** False when the table has changed and nothing was written. */
  async #insert(table: TableDef, blocks: readonly ColumnBlock[], synced: Promise<void>): Promise<boolean> {
    const statement = `INSERT INTO ${table.storage} (${columnList(table)}) SETTINGS ${insertSettings} FORMAT Native`;
    let buffer: Buffer = Buffer.alloc(0);
    const data = encodeNative(blocks, table.columns, (bytes) => {
      buffer = this.#buffers.take(bytes);
      return buffer;
    });
    await synced;
    const isCurrent = this.#context.catalogue.table(table.database, table.name) === table;
    if (isCurrent) await this.#context.engine.insert(statement, data);
    // Only after success: a request that broke off may still hold on to its data.
    this.#buffers.give(buffer);
    return isCurrent;
  }

  /**
   * Stored rows under the keys of rows that leave columns out; nothing is read when their time range is empty. A column
   * that another process added and filled would be lost with a row that does not know it, so the catalogue must be
   * current: if it was not, and the table has changed, nothing is read.
   */
  async #stored(table: TableDef, blocks: readonly ColumnBlock[]): Promise<StoredRows | undefined | 'outdated'> {
    const { catalogue } = this.#context;
    const partial = blocks.filter((block) => !isWhole(block, table));
    const [from, to] = timeRange(partial);
    const range = `ts BETWEEN ${from} AND ${to}`;
    const [row] = await this.#context.engine.rows(
      `SELECT count(), (${lastPosition}) FROM (SELECT 1 FROM ${table.storage} WHERE ${range} LIMIT 1)`,
    );
    if (Number(row?.[1] ?? 0) > catalogue.position) {
      await catalogue.sync();
      if (catalogue.table(table.database, table.name) !== table) return 'outdated';
    }
    if (Number(row?.[0] ?? 0) === 0) return undefined;
    const keys = partial.flatMap((block) => Array.from(block.ids, (id, i) => `(${id},${block.times[i]})`));
    const found: Buffer[] = [];
    for (let at = 0; at < keys.length; at += keysPerQuery) {
      const list = keys.slice(at, at + keysPerQuery).join(',');
      const select = `SELECT ${columnList(table)} FROM ${table.storage} FINAL WHERE ${range} AND (id, ts) IN (${list}) FORMAT Native`;
      found.push(await this.#context.engine.bytes(select));
    }
    return decodeNative(Buffer.concat(found), table.columns);
  }
}

/** The engine's columns of a table, in the order of its definition; physical names need no quotes. */
function columnList({ columns }: TableDef): string {
  return ['id', 'ts', ...columns.map((column) => column.physical)].join(', ');
}

/** True when every row of the block says something about every column of the table. */
function isWhole(block: ColumnBlock, table: TableDef): boolean {
  if (block.columns.length < table.columns.length) return false;
  for (const { name } of table.columns) {
    const column = block.columns.find((candidate) => candidate.name === name);
    if (column === undefined || !(column.full || block.nullMeaning === 'overwrite')) return false;
  }
  return true;
}

function timeRange(blocks: readonly ColumnBlock[]): readonly [bigint, bigint] {
  let from = blocks[0]!.times[0]!;
  let to = from;
  for (const block of blocks) {
    for (const time of block.times) {
      if (time < from) from = time;
      if (time > to) to = time;
    }
  }
  return [from, to];
}

const noTable = fault('database', Codes.tableNotExist, 'Table does not exist');
