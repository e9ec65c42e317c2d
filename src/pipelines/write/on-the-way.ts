import { detached } from '../../async/detached.js';
import { overtaken } from '../../database/storage/overtaken.js';
import type { Batch, EarlierGroup, RowSet, Target } from '../../model/batch.js';
import { type ColumnBlock, tableKey } from '../../model/column-block.js';
import type { Delivery } from '../../model/delivery.js';
import { Codes, FaultError, fault, faultOf } from '../../model/fault.js';
import type { LoggedRecord, WriteAheadLog } from '../../wal/log.js';
import type { LoggedText } from '../../wal/record.js';
import type { RejectedRowsFile, RejectedText } from '../../wal/rejected-rows.js';
import type { Place } from '../../wal/segment.js';
import { type LoggedBlock, pairOf } from './groups.js';
import { readWithRetry } from './read-with-retry.js';
import { targets } from './split.js';

/** Reads a logged text with the catalogue as it is now. May reject with a FaultError. */
export type ReadLogged = (text: LoggedText) => Promise<Pick<Batch<RowSet>, 'target' | 'payload'>>;

/** Context of rows on their way. */
interface OnTheWayContext {
  readonly wal: Pick<WriteAheadLog, 'read' | 'ended'>;
  readonly rejected: RejectedRowsFile;
  readonly read: ReadLogged;
  readonly handOn: (batch: Batch<ColumnBlock>) => void;
  /** The group that rows of a table in a text were in when the process ended, if it is not known whether that has it. */
  readonly earlierGroupOf: (block: ColumnBlock, sequence: number) => EarlierGroup | undefined;
  /** Told when rows of a text have ended. */
  readonly wentOn: () => void;
}

/** A block, and the texts that have rows in it. */
export interface BlockOfTexts {
  readonly block: ColumnBlock;
  readonly records: readonly LoggedRecord[];
}

/** Texts whose rows go on: one, or several that were read as one. */
interface Texts {
  readonly records: readonly LoggedRecord[];
  readonly origin: string;
  /** About the memory that they take, in bytes. */
  readonly weight: number;
  /** Blocks that have not ended. */
  open: number;
}

/** Memory of a text, of a block and of each array of a block beside its bytes: of a text of one line a hundred times these. */
const textWeight = 640;
const blockWeight = 1_024;
const arrayWeight = 448;

/** How often a text is read again because drops overtake it. */
const maxReadings = 3;

/** The rows of logged texts on their way to the database: a text has ended in the log once all its rows have. */
export class OnTheWay {
  readonly rejections: Rejections;
  readonly #context: OnTheWayContext;
  #bytes = 0;
  #lastProgress = performance.now();
  #isStopped = false;

  constructor(context: OnTheWayContext) {
    this.#context = context;
    this.rejections = new Rejections(context);
  }

  /** About the memory of the rows on their way, in bytes: their texts are in the log alone. */
  get bytes(): number {
    return this.#bytes;
  }

  /** For how long no row has ended although some are on their way, in milliseconds. */
  get stuckMs(): number {
    return this.#bytes === 0 ? 0 : performance.now() - this.#lastProgress;
  }

  /** Texts are read again no more. */
  stop(): void {
    this.#isStopped = true;
    this.rejections.stop();
  }

  /** Rows of texts go on, each table on its own; `blocks` are those of them that have not ended before. */
  add(
    { origin, target }: Pick<Batch, 'origin' | 'target'>,
    records: readonly LoggedRecord[],
    blocks: readonly BlockOfTexts[],
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
    for (const [place, one] of blocks.entries()) {
      this.#context.handOn(this.#batchOf(texts, one, targetOf(one.block), () => isFirst(blocks, place)));
    }
  }

  #batchOf(
    texts: Texts,
    { block, records }: BlockOfTexts,
    target: Target,
    isFirstOfTable: () => boolean,
    readings = 0,
  ): Batch<ColumnBlock> {
    const sequences = records.map(({ sequence }) => sequence);
    const earlierGroup = this.#context.earlierGroupOf(block, sequences[0]!);
    // The first block of a table brings the rows of all.
    const again = async () => (isFirstOfTable() ? this.#again(texts, block, records, readings + 1) : []);
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
      logged: { sequences, again, earlierGroup },
      settle,
    };
  }

  /** The database is given more rows, so that it is not stuck yet. */
  goesOn(): void {
    this.#lastProgress = performance.now();
  }

  /** Rows of one table of a text have ended. */
  #ended(texts: Texts): void {
    texts.open--;
    if (texts.open > 0) return;
    for (const { place } of texts.records) this.#context.wal.ended(place);
    this.#bytes -= texts.weight;
    this.#context.wentOn();
  }

  /** The rows of one table in texts that are read again, each alone; what cannot be read is rejected. */
  async #again(
    texts: Texts,
    { database, table, rows }: ColumnBlock,
    records: readonly LoggedRecord[],
    readings: number,
  ): Promise<readonly Batch<ColumnBlock>[]> {
    const { wal, rejected } = this.#context;
    const isOver = readings > maxReadings;
    const batches: Batch<ColumnBlock>[] = [];
    for (const record of records) {
      let text: RejectedText = { origin: texts.origin, database };
      const read = async () => {
        const logged = await wal.read(record.place);
        text = logged;
        return isOver ? { fault: overtaken } : this.#blocksOf(logged, { database, table });
      };
      const result = await readWithRetry(read, () => this.#isStopped);
      const rowsOrFault = result !== undefined && 'read' in result ? result.read : result;
      if (rowsOrFault !== undefined && 'blocks' in rowsOrFault) {
        const { target, blocks } = rowsOrFault;
        for (const [place, block] of blocks.entries()) {
          batches.push(this.#batchOf(texts, { block, records: [record] }, target, () => place === 0, readings));
        }
        continue;
      }
      const rejectedRows = isOver || records.length === 1 ? rows : 0;
      const isKept =
        rowsOrFault !== undefined &&
        (await rejected.add({ text, table, rows: rejectedRows, fault: rowsOrFault.fault }));
      // The service ends: the rows do not, so that their text stays in the log for the next start.
      if (!isKept) return new Promise(() => undefined);
    }
    texts.open += Math.max(0, batches.length - 1);
    return batches;
  }

  /** The rows of one table in a text, with the catalogue as it is now. May reject with a FaultError. */
  async #blocksOf(text: LoggedText, own: { readonly database: string; readonly table: string }) {
    const key = tableKey(own);
    const { target, payload } = await this.#context.read(text);
    const blocks = payload.blocks.filter((block) => tableKey(block) === key);
    if (blocks.length > 0) return { target: { ...target, database: own.database }, blocks };
    throw new FaultError(fault('database', Codes.tableNotExist, `Table "${own.table}" does not exist`));
  }
}

/** True for the first of the blocks of its table. */
function isFirst(blocks: readonly BlockOfTexts[], place: number): boolean {
  const { database, table } = blocks[place]!.block;
  return blocks.findIndex(({ block }) => block.table === table && block.database === database) === place;
}

/** Memory of a block: each column has its values and which of them are NULL. */
function weightOf({ ids, times, columns }: ColumnBlock): number {
  let bytes = blockWeight + (2 + 2 * columns.length) * arrayWeight + ids.byteLength + times.byteLength;
  for (const { nulls, values, pool } of columns) {
    bytes += nulls.byteLength + (values?.byteLength ?? 0) + (pool?.byteLength ?? 0);
  }
  return bytes;
}

/** The door that a text came in by, and where it lies in the log. */
interface Origin {
  readonly origin: string;
  readonly place: Place;
}

/** Answered rows on their way to the file of rejected rows. Until they are there they have not ended, and stay in the log. */
class Rejections {
  readonly #wal: Pick<WriteAheadLog, 'read'>;
  readonly #file: RejectedRowsFile;
  #isStopped = false;
  readonly #open = new Map<string, Promise<boolean>>();

  constructor({ wal, rejected }: { readonly wal: Pick<WriteAheadLog, 'read'>; readonly rejected: RejectedRowsFile }) {
    this.#wal = wal;
    this.#file = rejected;
  }

  /** Rows on their way: true once they are in the file, false where the service ends before that. Undefined for all others. */
  of(rows: LoggedBlock): Promise<boolean> | undefined {
    return this.#open.size === 0 ? undefined : this.#open.get(pairOf(rows));
  }

  /** A text is not read any more that cannot be read now. */
  stop(): void {
    this.#isStopped = true;
  }

  /** Rejects rows whose text is at a place of the log; `kept` is called once they are in the file. */
  add(rows: LoggedBlock, from: Origin, delivery: Delivery, kept: () => void): void {
    const pair = pairOf(rows);
    const before = this.#open.get(pair) ?? true;
    const adding = Promise.all([before, this.#write(rows, from, delivery)]).then((all) => all.every(Boolean));
    this.#open.set(pair, adding);
    const added = adding.then((isKept) => {
      if (this.#open.get(pair) === adding) this.#open.delete(pair);
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
    const message = `${reason.message}. The text of the rows is lost: ${logged.fault.message}`;
    return this.#file.add({ text: { origin, database }, table, rows, fault: { ...reason, message } });
  }
}
