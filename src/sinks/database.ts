import { createHash, randomUUID } from 'node:crypto';
import { nowMicros } from '../async/clock.js';
import { Slice } from '../async/slice.js';
import { ensureDatabase } from '../database/catalogue/ensure-database.js';
import { isGrown, logHas } from '../database/catalogue/log.js';
import { encodeTables, insertOf, type TableRows } from '../database/engine/native-block.js';
import type { DatabaseParts } from '../database/store/parts.js';
import { isStaleSchema, staleSchema } from '../database/store/stale-schema.js';
import { type StoredRowsContext, storedRows } from '../database/store/stored-rows.js';
import type { Batch, BlockGroup } from '../model/batch.js';
import type { ColumnBlock } from '../model/column-block.js';
import type { Sink } from '../model/component.js';
import { type Delivery, delivered } from '../model/delivery.js';
import { expectedFault, type Fault } from '../model/fault.js';
import type { DatabaseDef, TableDef } from '../model/schema.js';
import { mergeRows } from './merge-rows.js';
import { deliveryOf, endedWith } from './outcome.js';
import { isCurrent, prepareTable, readyTable, type TableBlocks } from './table-preparation.js';
import { untilAborted } from './until-aborted.js';

/** How often a write starts over because other processes changed its table meanwhile. */
const maxAttempts = 10;
/**
 * How many writes read the catalogue before, after an insert that found it grown: where it changes all the time, most
 * inserts would be made for nothing.
 */
const cautiousWrites = 32;
/** Tables of a group that are written together: what is done for them in memory holds up everybody else. */
const maxTablesAtOnce = 2_048;
const insertSettings =
  'async_insert = 0, optimize_on_insert = 0, max_partitions_per_insert_block = 0, max_threads = 1, max_insert_threads = 1';

/**
 * How a write makes sure that the tables it knows are still as they were: the insert itself does nothing when the
 * catalogue has grown, or the catalogue is read before. The first costs no question, the second cannot be held up by
 * other tables that come and go.
 */
type Check = 'in-insert' | 'before';

/** The blocks of one table in a group, with their places there, and the fault with which they end. */
interface Portion extends TableBlocks {
  readonly blocks: ColumnBlock[];
  readonly places: number[];
  /** See {@link BlockGroup}, of the group. */
  readonly receivedMicros: BlockGroup['receivedMicros'];
  /** Of the group. */
  readonly token: string | undefined;
  fault?: Fault;
}

/** A portion whose table is ready to take it. */
interface Prepared {
  readonly portion: Portion;
  readonly table: TableDef;
}

/**
 * The one writer: column blocks to the engine as Native inserts, one for all tables of a group that share their
 * storage. Before it writes it makes sure that the database, the tables, their columns and the sub-tables exist. Rows
 * that leave columns out are completed from what is stored, so that every stored row is whole. Each table's blocks end
 * on their own: blocks whose table was dropped since their text was read fail with {@link staleSchema}, and the text
 * must be read again.
 */
export class DatabaseSink implements Sink<BlockGroup> {
  readonly #context: DatabaseParts;
  #cautious = 0;

  constructor(context: DatabaseParts) {
    this.#context = context;
  }

  write(batch: Batch<BlockGroup>, deadline: AbortSignal): Promise<Delivery> {
    return deliveryOf(untilAborted(this.#write(batch), deadline));
  }

  async #write(batch: Batch<BlockGroup>): Promise<Delivery> {
    const portions = portionsOf(batch);
    await this.#writePortions(batch, portions);
    return ending(batch, portions);
  }

  /** Writes every portion or records its fault. */
  async #writePortions({ target }: Batch<BlockGroup>, portions: readonly Portion[]): Promise<void> {
    const { catalogue, storage } = this.#context;
    const { database: name, createDatabase: create, user } = target;
    const database = await ensureDatabase(catalogue, { name, create, user });
    let open = portions;
    let check: Check = this.#cautious === 0 ? 'in-insert' : 'before';
    if (this.#cautious > 0) this.#cautious--;
    for (let attempt = 0; attempt < maxAttempts && open.length > 0; attempt++) {
      open = await this.#attempt(database, open, check);
      check = 'before';
    }
    for (const portion of open) portion.fault = staleSchema;
    const late = portions.filter(({ fault: failure }) => failure !== undefined && isStaleSchema(failure));
    if (late.length === 0) return;
    for (const portion of late) portion.fault = staleSchema;
    storage.forget();
    await catalogue.sync();
  }

  /** Writes portions; gives those whose table turned out to have changed, of which nothing was written. */
  async #attempt(database: DatabaseDef, portions: readonly Portion[], check: Check): Promise<readonly Portion[]> {
    const synced = check === 'before' ? this.#context.catalogue.sync() : undefined;
    // Awaited where it is needed, which may be never.
    synced?.catch(() => undefined);
    const changed: Portion[] = [];
    for (let from = 0; from < portions.length; from += maxTablesAtOnce) {
      changed.push(...(await this.#writeSome(database, portions.slice(from, from + maxTablesAtOnce), synced)));
    }
    return changed;
  }

  async #writeSome(
    database: DatabaseDef,
    portions: readonly Portion[],
    synced: Promise<void> | undefined,
  ): Promise<readonly Portion[]> {
    const prepared = await this.#prepare(database, portions);
    const places = new Map<string, Prepared[]>();
    for (const one of prepared) {
      const others = places.get(one.table.storage);
      if (others === undefined) places.set(one.table.storage, [one]);
      else others.push(one);
    }
    const changed = await Promise.all([...places.values()].map((members) => this.#storeInTurn(members, synced)));
    return changed.flat();
  }

  /** The portions that can be written; the others have their fault. */
  async #prepare(database: DatabaseDef, portions: readonly Portion[]): Promise<readonly Prepared[]> {
    const prepared: Prepared[] = [];
    const rest: Promise<void>[] = [];
    const recorded = async (portion: Portion): Promise<void> => {
      try {
        prepared.push({ portion, table: await prepareTable(this.#context, database, portion) });
      } catch (error) {
        portion.fault = expectedFault(error);
      }
    };
    const slice = new Slice();
    for (const portion of portions) {
      if (slice.isOver()) await slice.next();
      try {
        const table = readyTable(this.#context, database, portion);
        if (table === undefined) rest.push(recorded(portion));
        else prepared.push({ portion, table });
      } catch (error) {
        portion.fault = expectedFault(error);
      }
    }
    await Promise.all(rest);
    return prepared;
  }

  #storeInTurn(members: readonly Prepared[], synced: Promise<void> | undefined): Promise<readonly Portion[]> {
    const tables = members.map(({ table }) => table);
    return this.#context.storage.withTablesLocked(tables, () => this.#store(members, synced));
  }

  /**
   * Stores portions of tables that share their storage; gives those whose table turned out to have changed: a row that
   * is whole by an old definition would hide what another process has stored in a column since, and rows of a table
   * that is no more would be taken and stay invisible. `synced` settles once the catalogue is newer than the rows;
   * without it the insert checks the catalogue.
   */
  async #store(members: readonly Prepared[], synced: Promise<void> | undefined): Promise<readonly Portion[]> {
    const changed: Portion[] = [];
    const ready: [Prepared, TableRows][] = [];
    const rest: Promise<void>[] = [];
    const completed = async (member: Prepared): Promise<void> => {
      try {
        const blocks = await wholeRows(this.#context, member.table, member.portion.blocks);
        if (blocks === undefined) changed.push(member.portion);
        // Rows that were completed with stored ones come after them.
        else ready.push([member, this.#rowsOf(member, blocks)]);
      } catch (error) {
        member.portion.fault = expectedFault(error);
      }
    };
    for (const member of members) {
      if (areWhole(member.table, member.portion.blocks)) ready.push([member, this.#rowsOf(member)]);
      else rest.push(completed(member));
    }
    await Promise.all([...rest, synced]);
    const { catalogue } = this.#context;
    const current = ready.filter(([{ table, portion }]) => isCurrent(catalogue, table, portion.reading));
    if (current.length < ready.length) {
      const kept = new Set(current.map(([{ portion }]) => portion));
      for (const [{ portion }] of ready) if (!kept.has(portion)) changed.push(portion);
    }
    const isDone = await this.#insertApart(current, synced === undefined ? catalogue.entries : undefined);
    return isDone ? changed : [...changed, ...current.map(([{ portion }]) => portion)];
  }

  /** The rows of a portion; `completed` are blocks in the place of its own, which come now. */
  #rowsOf({ table: { number, columns }, portion }: Prepared, completed?: readonly ColumnBlock[]): TableRows {
    const blocks = completed ?? portion.blocks;
    if (!this.#context.engine.ordersByReceipt) return { number, columns, blocks };
    const now = nowMicros();
    const { places, receivedMicros } = portion;
    const received =
      completed === undefined ? places.map((place) => receivedMicros?.[place]) : completed.map(() => now);
    return { number, columns, blocks, receivedNanos: received.map((micros = now) => micros * 1_000n) };
  }

  /**
   * One insert for all; when the engine refuses it, one for each table, so that none answers for another one's rows.
   * False when the catalogue's log has other entries than were given, so that nothing was inserted.
   */
  async #insertApart(
    ready: readonly (readonly [Prepared, TableRows])[],
    logEntries: number | undefined,
  ): Promise<boolean> {
    if (ready.length === 0) return true;
    try {
      const rows = ready.map(([, tableRows]) => tableRows);
      await this.#insert(ready[0]![0].table.storage, rows, logEntries, tokenOf(ready));
    } catch (error) {
      const failure = expectedFault(error);
      if (isGrown(failure)) {
        this.#cautious = cautiousWrites;
        return false;
      }
      if (ready.length === 1 || failure.kind !== 'database' || isStaleSchema(failure)) {
        for (const [{ portion }] of ready) portion.fault = failure;
        return true;
      }
      for (const one of ready) {
        const isDone = await this.#insertApart([one], logEntries);
        if (!isDone) one[0].portion.fault = staleSchema;
      }
    }
    return true;
  }

  async #insert(
    storage: string,
    rows: readonly TableRows[],
    logEntries: number | undefined,
    token: string,
  ): Promise<void> {
    const { engine } = this.#context;
    // A query in the insert costs two milliseconds, so it is left to engines without another way.
    const condition = logEntries === undefined || engine.countsLog ? undefined : logHas(logEntries);
    const insert = insertOf(storage, rows, { settings: insertSettings, token, where: condition });
    await engine.insert(insert, encodeTables(rows), condition === undefined ? { logEntries } : {});
  }
}

/**
 * The name by which the engine knows an insert: what it has inserted under a name before, into the same table, it does
 * not insert again. The rows of other tables are another insert, also of the same group. Inserts of no group have names
 * of their own.
 */
function tokenOf(ready: readonly (readonly [Prepared, TableRows])[]): string {
  const token = ready[0]?.[0].portion.token;
  if (token === undefined) return `${processToken}-${++insertCount}`;
  const hash = createHash('md5');
  for (const [{ table, portion }] of ready) {
    hash.update(`${table.id} ${portion.blocks.reduce((sum, { rows }) => sum + rows, 0)}\n`);
  }
  return `${token}-${hash.digest('hex')}`;
}

const processToken = randomUUID();
let insertCount = 0;

function portionsOf({ payload, target }: Batch<BlockGroup>): readonly Portion[] {
  const portions = new Map<string, Portion>();
  for (const [place, block] of payload.blocks.entries()) {
    const portion = portions.get(block.table);
    if (portion === undefined) {
      const { token, receivedMicros, progressed } = payload;
      const shared = { receivedMicros, reading: target.reading, token, progressed };
      portions.set(block.table, { blocks: [block], places: [place], ...shared });
    } else {
      portion.blocks.push(block);
      portion.places.push(place);
    }
  }
  return [...portions.values()];
}

/** How a group ended: as one where all of it has the same ending, otherwise with what ended differently set apart. */
function ending(batch: Batch<BlockGroup>, portions: readonly Portion[]): Delivery {
  const common = portions[0]?.fault;
  if (portions.every((portion) => portion.fault === common)) {
    return common === undefined ? delivered(batch.rows) : endedWith(common);
  }
  const apart = new Map<number, Delivery>();
  let { rows } = batch;
  for (const { blocks, places, fault: failure } of portions) {
    if (failure === undefined) continue;
    for (const block of blocks) rows -= block.rows;
    for (const place of places) apart.set(place, endedWith(failure));
  }
  return { outcome: 'delivered', rows, rejectedRows: 0, rejects: [], apart };
}

/**
 * The rows of blocks of one table, joined with what is stored under the keys of rows that leave columns out; undefined
 * when the table turned out to have changed.
 */
async function wholeRows(
  context: StoredRowsContext,
  table: TableDef,
  blocks: readonly ColumnBlock[],
): Promise<readonly ColumnBlock[] | undefined> {
  const stored = await storedRows(
    context,
    table,
    blocks.filter((block) => !isWhole(block, table)),
  );
  return stored === 'outdated' ? undefined : [mergeRows(table, blocks, stored)];
}

/** True when blocks need no completion: every row says something about every column of the table. */
function areWhole(table: TableDef, blocks: readonly ColumnBlock[]): boolean {
  return blocks.every((block) => isWhole(block, table));
}

function isWhole(block: ColumnBlock, table: TableDef): boolean {
  if (block.columns.length < table.columns.length) return false;
  for (const { name } of table.columns) {
    const column = block.columns.find((candidate) => candidate.name === name);
    if (column === undefined || !(column.full || block.nullMeaning === 'overwrite')) return false;
  }
  return true;
}
