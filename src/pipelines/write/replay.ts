import { Slice } from '../../async/slice.js';
import type { Batch, EarlierGroup, RowSet, Target } from '../../model/batch.js';
import { type ColumnBlock, tableKey } from '../../model/column-block.js';
import { FaultError } from '../../model/fault.js';
import type { MergedRows } from '../../transforms/points/parse-options.js';
import type { LoggedRecord, ReadPayload, WriteAheadLog } from '../../wal/log.js';
import type { LoggedPayload } from '../../wal/record.js';
import type { RejectedRowsFile } from '../../wal/rejected-rows.js';
import type { BlockOfPayloads, InFlightRows, ReadLogged } from './in-flight.js';
import { readWithRetry } from './read-with-retry.js';
import { cutsOf, eachAlone, isUnread, type Run } from './runs.js';

/** Rows of several payloads that were read as one. */
export interface ReadTogether extends Pick<Batch<RowSet>, 'target' | 'payload'> {
  readonly joined: MergedRows;
}

/** Context of a replay. */
export interface ReplayContext {
  readonly wal: Pick<WriteAheadLog, 'ended' | 'recovered'>;
  readonly rejected: RejectedRowsFile;
  readonly inFlight: Pick<InFlightRows, 'add'>;
  readonly read: ReadLogged;
  /** Reads payloads of lines that go to the same place as one. May reject with a FaultError. */
  readonly readTogether: (texts: readonly LoggedPayload[]) => Promise<ReadTogether>;
  /** True when the table of a block has all its columns and tags. */
  readonly isDefined: (block: ColumnBlock) => boolean;
  readonly earlierGroupOf: (block: ColumnBlock, sequence: number) => EarlierGroup | undefined;
}

/** Stands for the number of a group where rows have ended. */
const hasEnded = -1;

/**
 * Parses payloads that are read back from the log, and puts their rows in flight once more. Neighbours with one target
 * are parsed as one, as payloads of one turn of the event loop are: that is thirty times as fast. A payload is parsed
 * by itself when it has bad lines or makes a table, so that it is the only one to be rejected.
 */
export class Replay {
  readonly #context: ReplayContext;
  #isStopped = false;

  constructor(context: ReplayContext) {
    this.#context = context;
  }

  stop(): void {
    this.#isStopped = true;
  }

  /** Forwards the rows of payloads, which may be parsed as one. Never rejects. */
  async take(run: Run): Promise<void> {
    if (!isUnread(run)) return this.#readAll(run);
    const { rejected, wal } = this.#context;
    const [{ text, place, fault }] = run;
    if (await rejected.add({ text, rows: 0, fault })) wal.ended(place);
  }

  async #readAll(run: readonly ReadPayload[]): Promise<void> {
    const [one] = run;
    if (one === undefined) return;
    if (run.length === 1) {
      await this.#alone(one);
      return;
    }
    const cuts = await this.#together(run);
    if (cuts === 'done') return;
    const slice = new Slice();
    for (const [i, from] of cuts.slice(0, -1).entries()) {
      if (slice.isOver()) await slice.next();
      await this.#readAll(run.slice(from, cuts[i + 1]));
    }
  }

  /** Forwards the rows of several payloads; where they cannot stay together, the places at which to cut them. */
  async #together(run: readonly ReadPayload[]): Promise<'done' | readonly number[]> {
    const { recovered } = this.#context.wal;
    const each = eachAlone(run.length);
    let read: ReadTogether;
    try {
      read = await this.#context.readTogether(run.map(({ text }) => text));
    } catch (error) {
      if (!(error instanceof FaultError)) throw error;
      return each;
    }
    const { target, payload, joined } = read;
    const { blocks } = payload;
    if (joined.isTorn || new Set(blocks.map(tableKey)).size < blocks.length) return each;
    const apart = new Set(joined.rows.flatMap(({ rejectedRows }, text) => (rejectedRows > 0 ? [text] : [])));
    for (const [place, block] of blocks.entries()) {
      if (!this.#context.isDefined(block)) for (const text of joined.texts[place]!) apart.add(text);
    }
    const parts = blocks.map(({ database, table }, i) => ({ database, table, texts: joined.texts[i]! }));
    const places = new Map(blocks.map((block) => [tableKey(block), block]));
    const cuts = cutsOf(run.length, parts, apart, (table, text) => {
      const { sequence } = run[text]!.text;
      if (recovered.ended.get(table)?.has(sequence) === true) return hasEnded;
      return this.#context.earlierGroupOf(places.get(table)!, sequence)?.group ?? 0;
    });
    if (cuts.length > 2) return cuts;
    const records = run.map(({ text: { sequence }, place }): LoggedRecord => ({ sequence, place }));
    const open = blocks.map((block, place): BlockOfPayloads => {
      return { block, records: joined.texts[place]!.map((text) => records[text]!) };
    });
    this.#forward(run, target, open);
    return 'done';
  }

  async #alone(one: ReadPayload): Promise<void> {
    const { text, place } = one;
    const { wal, rejected, read } = this.#context;
    const record: LoggedRecord = { sequence: text.sequence, place };
    const result = await readWithRetry(
      () => read({ ...text, bytes: Uint8Array.from(text.bytes) }),
      () => this.#isStopped,
    );
    if (result === undefined) return;
    if ('fault' in result) {
      if (await rejected.add({ text, rows: 0, fault: result.fault })) wal.ended(place);
      return;
    }
    const { target, payload, refused } = result.read;
    for (const rows of refused) {
      // What was stored before its table was dropped is not lost.
      const table = tableKey({ database: target.database, table: rows.table ?? '' });
      if (wal.recovered.ended.get(table)?.has(text.sequence) === true) continue;
      if (!(await rejected.add({ text, ...rows }))) return;
    }
    const open = payload.blocks.map((block) => ({ block, records: [record] }));
    this.#forward([one], target, open);
  }

  /** Rows that have ended before are left out. */
  #forward(run: readonly ReadPayload[], target: Target, blocks: readonly BlockOfPayloads[]): void {
    const { wal, inFlight } = this.#context;
    const { ended } = wal.recovered;
    const open = blocks.filter(({ block, records }) => !ended.get(tableKey(block))?.has(records[0]!.sequence));
    const { origin } = run[0]!.text;
    const records = run.map(({ text: { sequence }, place }): LoggedRecord => ({ sequence, place }));
    inFlight.add({ origin, target }, records, open);
  }
}
