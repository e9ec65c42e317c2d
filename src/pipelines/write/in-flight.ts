import { detached } from '../../async/detached.js';
import { staleSchema } from '../../database/store/stale-schema.js';
import type { Batch, EarlierGroup, RowSet, Target } from '../../model/batch.js';
import { type ColumnBlock, tableKey } from '../../model/column-block.js';
import type { Delivery } from '../../model/delivery.js';
import { Codes, type Fault, FaultError, fault, faultOf } from '../../model/fault.js';
import { noTable } from '../../model/refusals.js';
import type { RefusedRows } from '../../model/refused-rows.js';
import type { LoggedRecord, WriteAheadLog } from '../../wal/log.js';
import type { LoggedPayload } from '../../wal/record.js';
import type { RejectedPayload, RejectedRows, RejectedRowsFile } from '../../wal/rejected-rows.js';
import type { RecordPosition } from '../../wal/segment.js';
import { type LoggedBlock, pairOf } from './groups.js';
import { readWithRetry } from './read-with-retry.js';
import { targets } from './split.js';

/**
 * The rows of a payload with the catalogue as it is now, and those that were good when it was answered and are refused
 * now.
 */
export interface AnsweredRows extends Pick<Batch<RowSet>, 'target' | 'payload'> {
  readonly refused: readonly RefusedRows[];
}

/** Reads a logged payload with the catalogue as it is now. May reject with a FaultError. */
export type ReadLogged = (text: LoggedPayload) => Promise<AnsweredRows>;

/** Context of rows in flight. */
interface InFlightContext {
  readonly wal: Pick<WriteAheadLog, 'read' | 'ended'>;
  readonly rejected: RejectedRowsFile;
  readonly read: ReadLogged;
  readonly forward: (batch: Batch<ColumnBlock>) => void;
  /**
   * The group that rows of a table in a payload were in when the process ended, if it is not known whether that has it.
   */
  readonly earlierGroupOf: (block: ColumnBlock, sequence: number) => EarlierGroup | undefined;
  /** Called when rows of a payload have ended. */
  readonly progressed: () => void;
}

/** A block, and the payloads that have rows in it. */
export interface BlockOfPayloads {
  readonly block: ColumnBlock;
  readonly records: readonly LoggedRecord[];
}

/** Payloads whose rows are in flight: one, or several that were parsed as one. */
interface Texts {
  readonly records: readonly LoggedRecord[];
  readonly origin: string;
  /** About the memory that they take, in bytes. */
  readonly weight: number;
  /** Blocks that have not ended. */
  open: number;
}

/**
 * Memory of a payload, of a block and of each array of a block besides its bytes. For a payload of one line it is a
 * hundred times its bytes.
 */
const textWeight = 640;
const blockWeight = 1_024;
const arrayWeight = 448;

/** Of rows whose table is dropped again and again. */
const dropped: Fault = fault('database', Codes.tableNotExist, staleSchema.message);

/** How often a payload is read again because drops overtake it. */
const maxReadings = 30;

/**
 * The rows of logged payloads that are in flight to the database. A payload has ended in the log once all its rows
 * have.
 */
export class InFlightRows {
  readonly rejections: Rejections;
  readonly #context: InFlightContext;
  #bytes = 0;
  #lastProgress = performance.now();
  #isStopped = false;

  constructor(context: InFlightContext) {
    this.#context = context;
    this.rejections = new Rejections(context);
  }

  /** About the memory of the rows in flight, in bytes: their payloads are in the log alone. */
  get bytes(): number {
    return this.#bytes;
  }

  /** For how long no row has ended although some are in flight, in milliseconds. */
  get stuckMs(): number {
    return this.#bytes === 0 ? 0 : performance.now() - this.#lastProgress;
  }

  /** No payload is read again from now on. */
  stop(): void {
    this.#isStopped = true;
    this.rejections.stop();
  }

  /** Puts rows of payloads in flight, each table separately; `blocks` are those of them that have not ended before. */
  add(
    { origin, target }: Pick<Batch, 'origin' | 'target'>,
    records: readonly LoggedRecord[],
    blocks: readonly BlockOfPayloads[],
  ): void {
    let weight = records.length * textWeight;
    for (const { block } of blocks) weight += weightOf(block);
    const texts: Texts = { records, origin, weight, open: blocks.length };
    if (blocks.length === 0) {
      for (const { place } of records) this.#context.wal.ended(place);
      return;
    }
    if (this.#bytes === 0) this.#lastProgress = performance.now();
    this.#bytes += weight;
    const targetOf = targets(target);
    const tableOf = tablesOf(blocks.map(({ block }) => block));
    for (const one of blocks) {
      this.#context.forward(this.#batchOf(texts, one, targetOf(one.block), tableOf(one.block)));
    }
  }

  #batchOf(
    texts: Texts,
    { block, records }: BlockOfPayloads,
    target: Target,
    table: TableRows,
    readings = 0,
  ): Batch<ColumnBlock> {
    const sequences = records.map(({ sequence }) => sequence);
    const earlierGroup = this.#context.earlierGroupOf(block, sequences[0]!);
    // The first block of a table that is read again brings the rows of all.
    const again = async (reason: Fault) => {
      if (table.isReadAgain) return [];
      table.isReadAgain = true;
      return this.#again(texts, { block, records, rows: table.rows }, reason, readings + 1);
    };
    const settle = (delivery: Delivery): void => {
      this.#lastProgress = performance.now();
      const ended = (): void => this.#ended(texts);
      if (delivery.outcome === 'delivered') ended();
      else {
        const from = { origin: texts.origin, place: records[0]!.place };
        this.rejections.add({ payload: block, logged: { sequences } }, from, delivery, ended);
      }
    };
    return {
      origin: texts.origin,
      target,
      payload: block,
      rows: block.rows,
      bytes: weightOf(block),
      logged: { sequences, again, isReadAgain: readings > 0, earlierGroup },
      settle,
    };
  }

  /** The database is given more rows, so that it is not stuck yet. */
  progressed(): void {
    this.#lastProgress = performance.now();
  }

  /** Rows of one table of a payload have ended. */
  #ended(texts: Texts): void {
    texts.open--;
    if (texts.open > 0) return;
    for (const { place } of texts.records) this.#context.wal.ended(place);
    this.#bytes -= texts.weight;
    this.#context.progressed();
  }

  /**
   * The rows of one table in payloads that are read again, each alone, because they ended for a reason; those that are
   * refused now are rejected.
   */
  async #again(
    texts: Texts,
    { block, records, rows }: BlockOfPayloads & { readonly rows: number },
    reason: Fault,
    readings: number,
  ): Promise<readonly Batch<ColumnBlock>[]> {
    const { wal } = this.#context;
    const { database, table } = block;
    const batches: Batch<ColumnBlock>[] = [];
    const refused: Refused[] = [];
    let lost = rows;
    for (const record of records) {
      const { sequence } = record;
      const text = await readWithRetry(
        () => wal.read(record.place),
        () => this.#isStopped,
      );
      if (text === undefined) return notEnding();
      if ('fault' in text) {
        refused.push({ sequence, text: { origin: texts.origin, database }, fault: lostPayload(reason, text.fault) });
        continue;
      }
      const result = await readWithRetry(
        async () => this.#blocksOf(text.read, { database, table }, readings),
        () => this.#isStopped,
      );
      if (result === undefined) return notEnding();
      const failure = 'fault' in result ? result.fault : result.read.reason;
      if (failure !== undefined) refused.push({ sequence, text: text.read, fault: failure });
      if ('fault' in result) continue;
      const { target, blocks } = result.read;
      const tableOf = tablesOf(blocks);
      for (const one of blocks) {
        lost -= one.rows;
        batches.push(this.#batchOf(texts, { block: one, records: [record] }, target, tableOf(one), readings));
      }
    }
    texts.open += Math.max(0, batches.length - 1);
    if (lost > 0) this.#reject(texts, { block, records, rows: lost }, refused);
    return batches;
  }

  /** Rejects rows of payloads; of several payloads it is not known how many of them are of each. */
  #reject(
    texts: Texts,
    { block, records, rows }: BlockOfPayloads & { readonly rows: number },
    refused: readonly Refused[],
  ): void {
    const { database, table } = block;
    const entries = refused.map(({ text, fault: reason }): RejectedRows => {
      return { text, table, rows: refused.length === 1 ? rows : 0, fault: reason };
    });
    const unknown = { text: { origin: texts.origin, database }, table, rows, fault: dropped };
    const pairs = [...records.slice(0, 1), ...refused].map(({ sequence }) => {
      return pairOf({ payload: block, logged: { sequences: [sequence] } });
    });
    texts.open++;
    this.rejections.addAll(pairs, entries.length === 0 ? [unknown] : entries, () => this.#ended(texts));
  }

  /**
   * The rows of one table in a payload, with the catalogue as it is now, and why others are refused. May reject with a
   * FaultError.
   */
  async #blocksOf(text: LoggedPayload, own: OneTable, readings: number) {
    if (readings > maxReadings) throw new FaultError(dropped);
    const key = tableKey(own);
    const { target, payload, refused } = await this.#context.read(text);
    const blocks = payload.blocks.filter((block) => tableKey(block) === key);
    const reason = (refused.find(({ table }) => table === own.table) ?? refused.at(-1))?.fault;
    if (blocks.length === 0) throw new FaultError(reason ?? noTable(own.table));
    return { target: { ...target, database: own.database }, blocks, reason };
  }
}

/** A table by its names. */
interface OneTable {
  readonly database: string;
  readonly table: string;
}

/** A payload with rows that are refused, and why they are. */
interface Refused {
  readonly sequence: number;
  readonly text: RejectedPayload;
  readonly fault: Fault;
}

/** The rows of a table in all its blocks of one reading of a payload, and whether they are read again already. */
interface TableRows {
  rows: number;
  isReadAgain: boolean;
}

/** Gives each block its table. */
function tablesOf(blocks: readonly ColumnBlock[]): (block: ColumnBlock) => TableRows {
  const tables = new Map<string, TableRows>();
  for (const block of blocks) {
    const key = tableKey(block);
    const known = tables.get(key);
    if (known === undefined) tables.set(key, { rows: block.rows, isReadAgain: false });
    else known.rows += block.rows;
  }
  return (block) => tables.get(tableKey(block))!;
}

/** Why rows are refused whose payload cannot be read in the log. */
function lostPayload(reason: Fault, failure: Fault): Fault {
  return { ...reason, message: `${reason.message}. The text of the rows is lost: ${failure.message}` };
}

/** The service ends: the rows do not, so that their payload stays in the log for the next start. */
function notEnding(): Promise<never> {
  return new Promise(() => undefined);
}

/** Memory of a block: each column has its values and which of them are NULL. */
function weightOf({ ids, times, columns }: ColumnBlock): number {
  let bytes = blockWeight + (2 + 2 * columns.length) * arrayWeight + ids.byteLength + times.byteLength;
  for (const { nulls, values, pool } of columns) {
    bytes += nulls.byteLength + (values?.byteLength ?? 0) + (pool?.byteLength ?? 0);
  }
  return bytes;
}

/** The input that a payload came by, and its place in the log. */
interface Origin {
  readonly origin: string;
  readonly place: RecordPosition;
}

/**
 * Acknowledged rows that are written to the file of rejected rows. Until they are there they have not ended, and stay
 * in the log.
 */
class Rejections {
  readonly #wal: Pick<WriteAheadLog, 'read'>;
  readonly #file: RejectedRowsFile;
  #isStopped = false;
  readonly #open = new Map<string, Promise<boolean>>();

  constructor({ wal, rejected }: { readonly wal: Pick<WriteAheadLog, 'read'>; readonly rejected: RejectedRowsFile }) {
    this.#wal = wal;
    this.#file = rejected;
  }

  /**
   * Rows that are written: true once they are in the file, false where the service ends before that. Undefined for all
   * others.
   */
  of(rows: LoggedBlock): Promise<boolean> | undefined {
    return this.#open.size === 0 ? undefined : this.#open.get(pairOf(rows));
  }

  /** A payload is not read any more that cannot be read now. */
  stop(): void {
    this.#isStopped = true;
  }

  /** Rejects rows whose payload is at a place of the log; `kept` is called once they are in the file. */
  add(rows: LoggedBlock, from: Origin, delivery: Delivery, kept: () => void): void {
    this.#add([pairOf(rows)], this.#write(rows, from, delivery), kept);
  }

  /** Rejects rows of pairs of payload and table; `kept` is called once they are in the file. */
  addAll(pairs: readonly string[], rejected: readonly RejectedRows[], kept: () => void): void {
    const writing = Promise.all(rejected.map((rows) => this.#file.add(rows))).then((all) => all.every(Boolean));
    this.#add([...new Set(pairs)], writing, kept);
  }

  #add(pairs: readonly string[], writing: Promise<boolean>, kept: () => void): void {
    const before = pairs.map((pair) => this.#open.get(pair) ?? true);
    const adding = Promise.all([...before, writing]).then((all) => all.every(Boolean));
    for (const pair of pairs) this.#open.set(pair, adding);
    const added = adding.then((isKept) => {
      for (const pair of pairs) if (this.#open.get(pair) === adding) this.#open.delete(pair);
      if (isKept) kept();
    });
    detached(added);
  }

  async #write(
    { payload: { database, table, rows } }: LoggedBlock,
    { origin, place }: Origin,
    delivery: Delivery,
  ): Promise<boolean> {
    const logged = await readWithRetry(
      () => this.#wal.read(place),
      () => this.#isStopped,
    );
    if (logged === undefined) return false;
    const reason = 'fault' in delivery ? delivery.fault : faultOf(delivery.outcome);
    if ('read' in logged) return this.#file.add({ text: logged.read, table, rows, fault: reason });
    return this.#file.add({ text: { origin, database }, table, rows, fault: lostPayload(reason, logged.fault) });
  }
}
