import { setTimeout as sleep } from 'node:timers/promises';
import type { OperatorFunction } from 'rxjs';
import { deferred } from '../../async/deferred.js';
import { detached } from '../../async/detached.js';
import { type StageOutput, stage } from '../../async/stage.js';
import type { Batch, EarlierGroup, RowSet } from '../../model/batch.js';
import { type ColumnBlock, tableKey } from '../../model/column-block.js';
import { delivered } from '../../model/delivery.js';
import { FaultError, faultOf } from '../../model/fault.js';
import type { WaitingTables } from '../../model/waiting-tables.js';
import type { LoggedRecord, WriteAheadLog } from '../../wal/log.js';
import type { RejectedRowsFile } from '../../wal/rejected-rows.js';
import { pairsIn } from '../commit/group.js';
import type { GroupResult, NotedGroup, WriteQueue } from '../commit/write-queue.js';
import { earlierGroups, membersOf, pairOf } from './groups.js';
import { InFlightRows } from './in-flight.js';
import { LogReader } from './log-reader.js';
import { Replay, type ReplayContext } from './replay.js';
import type { Run } from './runs.js';
import { type Home, homeOf, splitTables } from './split.js';

/** Context of the stage. */
interface LoggedQueueContext extends Pick<ReplayContext, 'read' | 'readTogether' | 'isDefined'> {
  readonly wal: WriteAheadLog;
  readonly rejected: RejectedRowsFile;
  /** Bytes of payloads whose rows wait in memory; what comes beyond is read back from the log. */
  readonly maxWaitingBytes: number;
}

/** A payload that is in the log and not yet answered. */
interface Arrived {
  readonly batch: Batch<RowSet>;
  readonly record: LoggedRecord;
  readonly home: Home;
}

/**
 * After how long without a stored row the database counts as stuck, so that payloads are answered and left in the log.
 */
const stuckMs = 1_000;
const lookMs = 100;
/** So few bytes are read back in no time. */
const nearBytes = 1024 * 1024;

/**
 * The queue on disk: writes payloads to the write-ahead log, acknowledges them, and puts out their rows. Rows wait in
 * memory up to a bound. Beyond it, acknowledgements wait as long as the database makes progress. When it is stuck,
 * payloads are acknowledged and left in the log. Once there is room again, everything is read back in its order; the
 * log of a process that was killed is read in the same way.
 */
export class LoggedQueue implements WriteQueue {
  readonly #context: LoggedQueueContext;
  #out: StageOutput<Batch<ColumnBlock>> | undefined;
  #arrived: Arrived[] = [];
  readonly #inFlight: InFlightRows;
  readonly #replay: Replay;
  readonly #reader: LogReader;
  /** Bytes that may be answered while reading back, so that it always gains on what comes. */
  #allowance = 0;
  #isStopped = false;
  #timer: NodeJS.Timeout | undefined;
  #room: (() => void)[] = [];
  readonly #earlier: ReadonlyMap<string, ReadonlyMap<number, EarlierGroup>>;
  #isRecovering: boolean;
  readonly #recovered = deferred();
  #replayed = 0;

  constructor(context: LoggedQueueContext) {
    this.#context = context;
    const { wal } = context;
    const { recovered } = wal;
    this.#earlier = earlierGroups(recovered.groups);
    const earlierGroupOf = (block: ColumnBlock, sequence: number) => this.#earlierGroupOf(block, sequence);
    const forward = (batch: Batch<ColumnBlock>): void => this.#out?.next(batch);
    this.#inFlight = new InFlightRows({ ...context, earlierGroupOf, forward, progressed: () => this.#progressed() });
    this.#replay = new Replay({ ...context, inFlight: this.#inFlight, earlierGroupOf });
    this.#isRecovering = recovered.texts > 0;
    if (!this.#isRecovering) this.#recovered.resolve();
    this.#reader = new LogReader({
      wal,
      forward: (texts) => this.#reread(texts),
      lost: (damage) => detached(context.rejected.add({ text: {}, rows: 0, fault: damage }), this.#failed),
      room: () => (this.#hasRoom() ? undefined : new Promise<void>((resolve) => this.#room.push(resolve))),
      progressed: () => this.#pass(),
      caughtUp: () => this.#catchUp(),
    });
    if (this.#isRecovering) this.#reader.begin(wal.begin, recovered.databases);
  }

  /**
   * Answered payloads that are in the log and not in memory, by database; the name of those whose rows may go to
   * several is empty.
   */
  get left(): ReadonlyMap<string, number> {
    return this.#reader.left;
  }

  /** True while answered rows are in the log and not in memory. */
  get isBehind(): boolean {
    return this.#reader.cursor !== undefined;
  }

  /** Payloads that were read back from the log since the start. */
  get replayed(): number {
    return this.#replayed;
  }

  /** Bytes of payloads whose rows wait in memory. */
  get waitingBytes(): number {
    return this.#inFlight.bytes;
  }

  /** Resolves once all rows of an earlier process are put out. */
  get recovered(): Promise<void> {
    return this.#recovered.promise;
  }

  /** The operator, which offers what comes and puts out blocks. */
  operator(): OperatorFunction<Batch<RowSet>, Batch<ColumnBlock>> {
    return stage((out) => {
      this.#out = out;
      this.#timer = setInterval(() => this.#pass(), lookMs);
      this.#timer.unref();
      this.#runReader();
      return {
        take: (batch) => this.offer(batch),
        finish: () => this.#finish(),
        stop: () => {
          this.#isStopped = true;
          this.#reader.stop();
          this.#replay.stop();
          this.#inFlight.stop();
          clearInterval(this.#timer);
          for (const wake of this.#room.splice(0)) wake();
        },
      };
    });
  }

  /**
   * Resolves once all answered rows of tables are in memory; undefined when they are. Rejects with the fault that holds
   * them up.
   */
  caughtUp(tables: WaitingTables): Promise<void> | undefined {
    return this.#reader.seen(tables);
  }

  async begin(members: readonly Batch<ColumnBlock>[]): Promise<NotedGroup | undefined> {
    this.#inFlight.progressed();
    const number = await this.#numberOf(members);
    if (number === undefined) return undefined;
    return { number, token: this.#context.wal.tokenOf(number), progressed: () => this.#inFlight.progressed() };
  }

  done(group: NotedGroup | undefined, { ended, left, failure }: GroupResult): void {
    if (failure !== undefined) this.#reader.refuse(new FaultError(failure));
    if (group === undefined || ended.length === 0) return;
    const { wal } = this.#context;
    // Of rejected rows it is noted once they are in their file.
    const rejected = ended.filter((member) => this.#inFlight.rejections.of(member) !== undefined);
    const others = [...left, ...rejected];
    wal.noteEnded(group.number, others.length === 0 ? 'all' : membersOf(ended, others));
    const open = new Set(left.map(pairOf));
    for (const member of rejected) {
      if (open.has(pairOf(member))) continue;
      const adding = this.#inFlight.rejections.of(member)?.then((isKept) => {
        if (isKept) wal.noteEnded(group.number, membersOf([member], []));
      });
      if (adding !== undefined) detached(adding, this.#failed);
    }
  }

  /** The number of a group in the log: that of an earlier process where it is the same group. */
  async #numberOf(members: readonly Batch<ColumnBlock>[]): Promise<number | undefined> {
    const earlier = members[0]?.logged?.earlierGroup;
    if (earlier !== undefined && earlier.pairs === pairsIn(members)) return earlier.group;
    try {
      return await this.#context.wal.beginGroup(membersOf(members, []));
    } catch (error) {
      // Where there is no room for a note, rows that are stored make some.
      if (error instanceof FaultError) return undefined;
      throw error;
    }
  }

  /** A defect: the chain ends, and the service with it. */
  readonly #failed = (error: unknown): void => this.#out?.fail(error);

  #runReader(): void {
    detached(this.#reader.run(), this.#failed);
  }

  /** Takes the rows of a payload. Rows without a payload to log are put out behind those that are left in the log. */
  offer(batch: Batch<RowSet>): void {
    const { payload, target, origin } = batch;
    const { text } = payload;
    if (text === undefined || payload.blocks.length === 0) {
      detached(this.#passUnlogged(batch), this.#failed);
      return;
    }
    const { database, user, createDatabase, ttl, precision, reading } = target;
    const { format, bytes, part, nowNs = 0n, zone = '' } = text;
    const receivedMicros = reading?.nowMicros ?? 0n;
    const home = homeOf(format, database, payload.blocks);
    const { rejectedRows } = payload;
    const logged = {
      origin,
      format,
      database: home.database,
      user,
      createDatabase,
      ttl,
      precision,
      part,
      isWithin: home.isWithin,
      receivedMicros,
      nowNs,
      zone,
      rejectedRows,
      bytes,
    };
    this.#context.wal.append(logged, (result) => {
      if ('kind' in result) batch.settle({ outcome: 'failed', fault: result });
      else this.#arrive({ batch, record: result, home });
    });
  }

  async #passUnlogged(batch: Batch<RowSet>): Promise<void> {
    const seen = this.#reader.seen(batch.payload.blocks);
    if (seen !== undefined) {
      try {
        await seen;
      } catch (error) {
        const failure = faultOf(error);
        batch.settle({ outcome: 'failed', fault: failure });
        return;
      }
    }
    for (const part of splitTables(batch)) this.#out?.next(part);
  }

  /** While others are read back, rows of a database that is up to date go on as long as there is room. */
  #arrive(arrived: Arrived): void {
    const { batch, record, home } = arrived;
    if (this.isBehind && this.#hasRoom() && !this.#reader.isBehind(home)) {
      this.#reader.pass(home.database, record);
      this.#forward(batch, record);
      answer(batch);
      return;
    }
    if (this.isBehind) this.#reader.leave(home, record.place);
    this.#arrived.push(arrived);
    this.#pass();
  }

  /** Answers what has arrived, as far as there is room. */
  #pass(): void {
    let count = 0;
    for (const { batch, record } of this.#arrived) {
      if (!this.isBehind && !this.#hasRoom()) {
        if (!this.#isStuck()) break;
        this.#leaveFrom(count);
      }
      if (!this.isBehind) this.#forward(batch, record);
      else if (!this.#mayAnswer()) break;
      else this.#allowance -= batch.bytes;
      answer(batch);
      count++;
    }
    if (count > 0) this.#arrived.splice(0, count);
  }

  /** Leaves the arrived payloads in the log from the given one on, until there is room to read them back. */
  #leaveFrom(first: number): void {
    const { segment, offset } = this.#arrived[first]!.record.place;
    this.#reader.begin({ segment: segment.number, offset });
    for (const { home, record } of this.#arrived.slice(first)) this.#reader.leave(home, record.place);
    this.#allowance = 0;
    setImmediate(() => this.#runReader());
  }

  /** While reading back: what comes must stay less than what is read, and wait for the end of it when that is near. */
  #mayAnswer(): boolean {
    if (this.#isStuck()) return true;
    const { cursor } = this.#reader;
    const { segment, offset } = this.#context.wal.end;
    const isNear = segment === cursor?.segment && offset - cursor.offset < nearBytes;
    return this.#allowance > 0 && !isNear;
  }

  #hasRoom(): boolean {
    return this.#inFlight.bytes < this.#context.maxWaitingBytes;
  }

  /** True when there is no room for more rows, and the database takes none. */
  #isStuck(): boolean {
    return !this.#hasRoom() && this.#inFlight.stuckMs > stuckMs;
  }

  /** Forwards the rows of a logged payload. */
  #forward(batch: Batch<RowSet>, record: LoggedRecord): void {
    const records = [record];
    const blocks = batch.payload.blocks.map((block) => ({ block, records }));
    this.#inFlight.add(batch, records, blocks);
  }

  /** Rows of a payload have ended. */
  #progressed(): void {
    this.#pass();
    if (this.#inFlight.bytes < this.#context.maxWaitingBytes / 2) for (const wake of this.#room.splice(0)) wake();
  }

  #earlierGroupOf(block: ColumnBlock, sequence: number): EarlierGroup | undefined {
    return this.#isRecovering ? this.#earlier.get(tableKey(block))?.get(sequence) : undefined;
  }

  /** Everything that was written has been read back. */
  #catchUp(): void {
    for (const { batch } of this.#arrived.splice(0)) answer(batch);
    if (this.#isRecovering) {
      this.#isRecovering = false;
      this.#context.wal.recovered.ended.clear();
      this.#recovered.resolve();
    }
  }

  async #reread(texts: Run): Promise<void> {
    this.#replayed += texts.length;
    for (const { text } of texts) this.#allowance += text.bytes.length / 2;
    await this.#replay.take(texts);
  }

  /** Nothing comes any more: what is in the log is handed on before the end is. */
  async #finish(): Promise<void> {
    await this.#context.wal.flushed();
    while (!this.#isStopped && (this.isBehind || this.#arrived.length > 0)) await sleep(lookMs);
  }
}

function answer({ payload, rows, settle }: Batch<RowSet>): void {
  settle(delivered(rows, payload.rejectedRows, payload.rejects));
}
