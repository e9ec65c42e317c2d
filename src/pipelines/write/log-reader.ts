import { Slice } from '../../async/slice.js';
import type { Fault } from '../../model/fault.js';
import { FaultError } from '../../model/fault.js';
import type { WaitingTables } from '../../model/waiting-tables.js';
import type { Cursor, LoggedRecord, WriteAheadLog } from '../../wal/log.js';
import type { PayloadHead } from '../../wal/record.js';
import { ofSeveral } from '../../wal/recovery.js';
import type { RecordPosition } from '../../wal/segment.js';
import { readWithRetry } from './read-with-retry.js';
import { type Run, runsOf } from './runs.js';
import type { Home } from './split.js';

/** Context of reading back. */
interface LogReaderContext {
  readonly wal: Pick<WriteAheadLog, 'next' | 'passed' | 'end' | 'leave'>;
  /**
   * Forwards the rows of consecutive payloads, which may be parsed as one; resolves when that is done. Never rejects.
   */
  readonly forward: (texts: Run) => Promise<void>;
  /** Called with the fault of bytes of the log that cannot be read. */
  readonly lost: (damage: Fault) => void;
  /** Resolves once there is room for more rows; undefined when there is. */
  readonly room: () => Promise<unknown> | undefined;
  /** Called after some payloads. */
  readonly progressed: () => void;
  /** Called once everything that was written has been read back: nothing can have been written since then. */
  readonly caughtUp: () => void;
}

/** A reader who waits until payloads are in memory or stored: those of some databases, or all, up to a place. */
interface Waiter {
  readonly databases: readonly string[] | 'all';
  readonly upTo: Cursor;
  resolve(): void;
  reject(error: unknown): void;
}

/** How far a database has been read on its own. */
interface Ahead {
  readonly cursor: Cursor;
  /** Of its last payload that was forwarded. */
  readonly sequence: number;
}

/**
 * Reads back answered payloads that are in the log alone, in their order. Those of a database that a reader waits for
 * are read first: payloads of different databases have no rows in common. As long as one is left whose rows may go to
 * several databases, all are read in one order.
 */
export class LogReader {
  readonly #context: LogReaderContext;
  /** Where reading goes on; undefined while nothing is left to be read. */
  #cursor: Cursor | undefined;
  readonly #ahead = new Map<string, Ahead>();
  /** Payloads that are left, by database; the name of those whose rows may go to several is empty. */
  readonly #left = new Map<string, number>();
  #waiters: Waiter[] = [];
  #isRunning = false;
  #isStopped = false;

  constructor(context: LogReaderContext) {
    this.#context = context;
  }

  /** Where reading goes on; undefined while nothing is left to be read. */
  get cursor(): Cursor | undefined {
    return this.#cursor;
  }

  /** Payloads that are left, by database; the name of those whose rows may go to several is empty. */
  get left(): ReadonlyMap<string, number> {
    return this.#left;
  }

  /** Begins at a place, from which on these payloads are left. */
  begin(cursor: Cursor, left: ReadonlyMap<string, number> = new Map()): void {
    this.#cursor = cursor;
    for (const [database, texts] of left) this.#left.set(database, texts);
  }

  /** Leaves a payload in the log, which lies behind the place where reading goes on. */
  leave({ database, isWithin }: Home, place: RecordPosition): void {
    this.#context.wal.leave(place);
    const key = isWithin ? database : ofSeveral;
    this.#left.set(key, (this.#left.get(key) ?? 0) + 1);
  }

  /** True while rows of a payload would come before those of others that are left. */
  isBehind({ database, isWithin }: Home): boolean {
    if (this.#cursor === undefined) return false;
    return !isWithin || this.#left.has(ofSeveral) || this.#left.has(database);
  }

  /** Skips a payload that was just written, because its rows are in memory. */
  pass(database: string, { sequence, place: { segment, offset, length } }: LoggedRecord): void {
    if (this.#cursor === undefined) return;
    this.#ahead.set(database, { cursor: { segment: segment.number, offset: offset + length }, sequence });
  }

  /** Resolves once all payloads with rows of tables are in memory; undefined when they are. */
  seen(tables: WaitingTables): Promise<void> | undefined {
    if (this.#cursor === undefined) return undefined;
    const databases = tables === 'all' ? tables : [...new Set(tables.map(({ database }) => database))];
    const upTo = this.#context.wal.end;
    if (this.#isSeen({ databases, upTo })) return undefined;
    return new Promise((resolve, reject) => this.#waiters.push({ databases, upTo, resolve, reject }));
  }

  /** Rejects the promises of all readers. */
  refuse(error: unknown): void {
    for (const waiter of this.#waiters.splice(0)) waiter.reject(error);
  }

  /** Reads until nothing is left, or until it is stopped. */
  async run(): Promise<void> {
    if (this.#isRunning) return;
    this.#isRunning = true;
    while (this.#cursor !== undefined && !this.#isStopped) {
      const room = this.#context.room();
      if (room === undefined) await this.#step(this.#cursor, this.#nextDatabase());
      else await room;
    }
    this.#isRunning = false;
  }

  stop(): void {
    this.#isStopped = true;
  }

  /** The database that is read on its own now; undefined when all are. */
  #nextDatabase(): string | undefined {
    if (this.#left.has(ofSeveral)) return undefined;
    for (const { databases, upTo } of this.#waiters) {
      if (databases === 'all') continue;
      const next = databases.find((database) => !this.#isRead(database, upTo));
      if (next !== undefined) return next;
    }
    return undefined;
  }

  async #step(cursor: Cursor, nextDatabase: string | undefined): Promise<void> {
    const { wal, forward, lost, progressed } = this.#context;
    const isAhead = ({ database, sequence }: PayloadHead): boolean =>
      sequence <= (this.#ahead.get(database)?.sequence ?? 0);
    const wants = (head: PayloadHead): boolean =>
      (nextDatabase === undefined || head.database === nextDatabase) && !isAhead(head);
    const ahead = nextDatabase === undefined ? undefined : this.#ahead.get(nextDatabase)?.cursor;
    const from = ahead !== undefined && reaches(ahead, cursor) ? ahead : cursor;
    const result = await readWithRetry(
      async () => ({ some: await wal.next(from, wants) }),
      () => this.#isStopped,
      (reason) => this.refuse(new FaultError(reason)),
    );
    if (result === undefined) return;
    if ('fault' in result) throw new FaultError(result.fault);
    const { some } = result.read;
    if (some === undefined) {
      this.#end(nextDatabase);
      return;
    }
    if (some.damage !== undefined) lost(some.damage);
    const slice = new Slice();
    for (const run of runsOf(some.texts)) {
      if (slice.isOver()) await slice.next();
      await forward(run);
      if (this.#isStopped) return;
      for (const { text } of run) this.#take(text);
    }
    if (nextDatabase === undefined) {
      this.#cursor = some.cursor;
      wal.passed(some.cursor);
    } else {
      const before = this.#ahead.get(nextDatabase)?.sequence ?? 0;
      const sequence = some.texts.at(-1)?.text.sequence ?? before;
      // Since the last of them was handed on, newer ones may have been passed.
      if (sequence >= before) this.#ahead.set(nextDatabase, { cursor: some.cursor, sequence });
    }
    progressed();
    this.#wake();
  }

  #take({ database, isWithin }: Home): void {
    const key = isWithin ? database : ofSeveral;
    const left = (this.#left.get(key) ?? 0) - 1;
    if (left > 0) this.#left.set(key, left);
    else this.#left.delete(key);
  }

  /** The end of what is written; what is still counted could not be read. */
  #end(nextDatabase: string | undefined): void {
    if (nextDatabase === undefined) {
      this.#cursor = undefined;
      this.#left.clear();
      this.#ahead.clear();
      this.#context.wal.passed(this.#context.wal.end);
      this.#context.caughtUp();
    } else this.#left.delete(nextDatabase);
    this.#wake();
  }

  #wake(): void {
    const seen = this.#waiters.filter((waiter) => this.#isSeen(waiter));
    if (seen.length === 0) return;
    this.#waiters = this.#waiters.filter((waiter) => !seen.includes(waiter));
    for (const { resolve } of seen) resolve();
  }

  #isSeen({ databases, upTo }: Pick<Waiter, 'databases' | 'upTo'>): boolean {
    if (this.#cursor === undefined || reaches(this.#cursor, upTo)) return true;
    if (databases === 'all' || this.#left.has(ofSeveral)) return false;
    return databases.every((database) => this.#isRead(database, upTo));
  }

  #isRead(database: string, upTo: Cursor): boolean {
    const ahead = this.#ahead.get(database);
    return !this.#left.has(database) || (ahead !== undefined && reaches(ahead.cursor, upTo));
  }
}

function reaches(cursor: Cursor, { segment, offset }: Cursor): boolean {
  return cursor.segment > segment || (cursor.segment === segment && cursor.offset >= offset);
}
