import { setTimeout as sleep } from 'node:timers/promises';
import type { OperatorFunction } from 'rxjs';
import { detached } from '../../async/detached.js';
import { type StageOutput, stage } from '../../async/stage.js';
import type { Batch, BlockGroup, EarlierGroup, RowSet } from '../../model/batch.js';
import { type ColumnBlock, tableKey } from '../../model/column-block.js';
import { delivered } from '../../model/delivery.js';
import { type Fault, FaultError, faultOf } from '../../model/fault.js';
import type { WaitingTables } from '../../model/waiting-tables.js';
import type { LoggedRecord, WriteAheadLog } from '../../wal/log.js';
import type { RejectedRowsFile } from '../../wal/rejected-rows.js';
import type { GroupCommit } from '../batch.js';
import type { GroupLog } from '../group-log.js';
import { earlierGroups, membersOf, pairOf } from './groups.js';
import { OnTheWay } from './on-the-way.js';
import { ReadBack } from './read-back.js';
import { Replay, type ReplayContext } from './replay.js';
import type { Run } from './runs.js';
import { type Home, homeOf, splitTables } from './split.js';

/** Context of the stage. */
export interface LogStageContext extends Pick<ReplayContext, 'read' | 'readTogether' | 'isDefined'> {
  readonly wal: WriteAheadLog;
  readonly rejected: RejectedRowsFile;
  /** Bytes of texts whose rows wait in memory; what comes beyond is read back from the log. */
  readonly maxWaitingBytes: number;
}

/** A text that is in the log and not yet answered. */
interface Arrived {
  readonly batch: Batch<RowSet>;
  readonly record: LoggedRecord;
  readonly home: Home;
}

/** After how long without a stored row the database counts as stuck, so that texts are answered and left in the log. */
const stuckMs = 1_000;
const lookMs = 100;
/** So few bytes are read back in no time. */
const nearBytes = 1024 * 1024;

/**
 * Writes texts to the write-ahead log, answers them, and hands their rows on. Rows wait in memory up to a bound. Beyond it,
 * answers wait as long as the database goes on; when it is stuck, texts are answered and left in the log, and once there is
 * room again everything is read back in its order: that is also how a log that was left behind is read at the start.
 */
export class LogStage implements GroupLog {
  readonly #context: LogStageContext;
  readonly #commit: () => GroupCommit;
  #out: StageOutput<Batch<ColumnBlock>> | undefined;
  #arrived: Arrived[] = [];
  readonly #way: OnTheWay;
  readonly #replay: Replay;
  readonly #back: ReadBack;
  /** Bytes that may be answered while reading back, so that it always gains on what comes. */
  #allowance = 0;
  #isStopped = false;
  #timer: NodeJS.Timeout | undefined;
  #room: (() => void)[] = [];
  readonly #earlier: ReadonlyMap<string, ReadonlyMap<number, EarlierGroup>>;
  #isRecovering: boolean;
  #isHurried = false;
  #replayed = 0;

  /** `commit` gathers what this hands on. */
  constructor(context: LogStageContext, commit: () => GroupCommit) {
    this.#context = context;
    this.#commit = commit;
    const { wal } = context;
    const { recovered } = wal;
    this.#earlier = earlierGroups(recovered.groups);
    const earlierGroupOf = (block: ColumnBlock, sequence: number) => this.#earlierGroupOf(block, sequence);
    const handOn = (batch: Batch<ColumnBlock>): void => this.#out?.next(batch);
    this.#way = new OnTheWay({ ...context, earlierGroupOf, handOn, wentOn: () => this.#wentOn() });
    this.#replay = new Replay({ ...context, way: this.#way, earlierGroupOf });
    this.#isRecovering = recovered.texts > 0;
    this.#back = new ReadBack({
      wal,
      handOn: (texts) => this.#readBack(texts),
      lost: (damage) => detached(context.rejected.add({ text: {}, rows: 0, fault: damage }), this.#failed),
      room: () => (this.#hasRoom() ? undefined : new Promise<void>((resolve) => this.#room.push(resolve))),
      wentOn: () => this.#pass(),
      caughtUp: () => this.#catchUp(),
    });
    if (this.#isRecovering) this.#back.begin(wal.begin, recovered.databases);
  }

  /** Answered texts that are in the log and not in memory, by database; the name of those whose rows may go to several is empty. */
  get left(): ReadonlyMap<string, number> {
    return this.#back.left;
  }

  /** True while answered rows are in the log and not in memory. */
  get isBehind(): boolean {
    return this.#back.cursor !== undefined;
  }

  /** Texts that were read back from the log since the start. */
  get replayed(): number {
    return this.#replayed;
  }

  /** Bytes of texts whose rows wait in memory. */
  get waitingBytes(): number {
    return this.#way.bytes;
  }

  /** The operator. Rows without a text to log go straight on, behind what is in the log. */
  operator(): OperatorFunction<Batch<RowSet>, Batch<ColumnBlock>> {
    return stage((out) => {
      this.#out = out;
      this.#timer = setInterval(() => this.#pass(), lookMs);
      this.#timer.unref();
      this.#runBack();
      return {
        take: (batch) => this.#take(batch),
        finish: () => this.#finish(),
        stop: () => {
          this.#isStopped = true;
          this.#back.stop();
          this.#replay.stop();
          this.#way.stop();
          clearInterval(this.#timer);
          for (const wake of this.#room.splice(0)) wake();
        },
      };
    });
  }

  /** Resolves once all answered rows of tables are in memory; undefined when they are. Rejects with the fault that holds them up. */
  caughtUp(tables: WaitingTables): Promise<void> | undefined {
    return this.#back.seen(tables);
  }

  async begin(members: readonly Batch<ColumnBlock>[]): Promise<number | undefined> {
    this.#way.goesOn();
    try {
      return await this.#context.wal.beginGroup(membersOf(members, []));
    } catch (error) {
      // Where there is no room for a note, rows that are stored make some.
      if (error instanceof FaultError) return undefined;
      throw error;
    }
  }

  factsOf(group: number): Pick<BlockGroup, 'token' | 'goesOn'> {
    return { token: this.#context.wal.tokenOf(group), goesOn: () => this.#way.goesOn() };
  }

  end(group: number, ended: readonly Batch<ColumnBlock>[], others: readonly Batch<ColumnBlock>[]): void {
    const { wal } = this.#context;
    // Of rejected rows it is noted once they are in their file.
    const rejected = ended.filter((member) => this.#way.rejections.of(member) !== undefined);
    const left = [...others, ...rejected];
    wal.noteEnded(group, left.length === 0 ? 'all' : membersOf(ended, left));
    const open = new Set(others.map(pairOf));
    for (const member of rejected) {
      if (open.has(pairOf(member))) continue;
      const adding = this.#way.rejections.of(member)?.then((isKept) => {
        if (isKept) wal.noteEnded(group, membersOf([member], []));
      });
      if (adding !== undefined) detached(adding, this.#failed);
    }
  }

  failed(failure: Fault): void {
    this.#back.refuse(new FaultError(failure));
  }

  /** A defect: the chain ends, and the service with it. */
  readonly #failed = (error: unknown): void => this.#out?.fail(error);

  #runBack(): void {
    detached(this.#back.run(), this.#failed);
  }

  #take(batch: Batch<RowSet>): void {
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
    const seen = this.#back.seen(batch.payload.blocks);
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
    if (this.isBehind && this.#hasRoom() && !this.#back.isBehind(home)) {
      this.#back.pass(home.database, record);
      this.#handOn(batch, record);
      answer(batch);
      return;
    }
    if (this.isBehind) this.#back.leave(home, record.place);
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
      if (!this.isBehind) this.#handOn(batch, record);
      else if (!this.#mayAnswer()) break;
      else this.#allowance -= batch.bytes;
      answer(batch);
      count++;
    }
    if (count > 0) this.#arrived.splice(0, count);
  }

  /** Leaves the arrived texts in the log from the given one on, until there is room to read them back. */
  #leaveFrom(first: number): void {
    const { segment, offset } = this.#arrived[first]!.record.place;
    this.#back.begin({ segment: segment.number, offset });
    for (const { home, record } of this.#arrived.slice(first)) this.#back.leave(home, record.place);
    this.#allowance = 0;
    setImmediate(() => this.#runBack());
  }

  /** While reading back: what comes must stay less than what is read, and wait for the end of it when that is near. */
  #mayAnswer(): boolean {
    if (this.#isStuck()) return true;
    const { cursor } = this.#back;
    const { segment, offset } = this.#context.wal.end;
    const isNear = segment === cursor?.segment && offset - cursor.offset < nearBytes;
    return this.#allowance > 0 && !isNear;
  }

  #hasRoom(): boolean {
    return this.#way.bytes < this.#context.maxWaitingBytes;
  }

  /** True when there is no room for more rows, and the database takes none. */
  #isStuck(): boolean {
    return !this.#hasRoom() && this.#way.stuckMs > stuckMs;
  }

  /** Rows of a logged text go on. */
  #handOn(batch: Batch<RowSet>, record: LoggedRecord): void {
    const records = [record];
    const blocks = batch.payload.blocks.map((block) => ({ block, records }));
    this.#way.add(batch, records, blocks);
    this.#hurry();
  }

  /** With little room left rows do not wait for more of them: wide ones fill it long before there are enough for a batch. */
  #hurry(): void {
    if (this.#isHurried || this.#way.bytes < this.#context.maxWaitingBytes / 2) return;
    this.#isHurried = true;
    setImmediate(() => {
      this.#isHurried = false;
      this.#commit().hurry();
    });
  }

  /** Rows of a text have ended. */
  #wentOn(): void {
    this.#hurry();
    this.#pass();
    if (this.#way.bytes < this.#context.maxWaitingBytes / 2) for (const wake of this.#room.splice(0)) wake();
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
      this.#commit().endRecovery();
    }
  }

  async #readBack(texts: Run): Promise<void> {
    this.#replayed += texts.length;
    for (const { text } of texts) this.#allowance += text.bytes.length / 2;
    await this.#replay.take(texts);
    this.#hurry();
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
