import { type Openable, OpenList } from '../async/open-list.js';
import type { Access } from '../database/catalogue/rights.js';
import { Codes, FaultError, fault } from '../model/fault.js';
import type { SlowStatement } from '../model/slow-statement.js';
import type { StatementPlace } from './lists/kill-id.js';
import type { ListedConnection, RunningStatement } from './lists/system-table.js';

/** Bytes of a statement's text that lists show. */
const maxShownBytes = 2048;

/** A running statement; the caller must call `end` when it has finished. */
export interface Running {
  /** Fires when the statement is cancelled. */
  readonly signal: AbortSignal;
  /** Reason of the cancellation; undefined when the statement runs on or its client disconnected. */
  because(): FaultError | undefined;
  end(): void;
}

/** The statements and connections of the other processes of the service. */
export interface OtherStatements {
  running(): Promise<readonly RunningStatement[]>;
  slow(): Promise<readonly SlowStatement[]>;
  /** Cancels a statement that the user may see. */
  kill(place: StatementPlace, user: string): Promise<void>;
  /** The connections that clients keep open with them. */
  connections(): Promise<readonly ListedConnection[]>;
  /** Closes a connection that the user may see. */
  killConnection(id: number, user: string): Promise<void>;
}

/** Limits that cancel a query, in addition to KILL QUERY. */
interface QueryBounds {
  /** Fires when the client disconnects. */
  readonly aborted: AbortSignal;
  /** Time limit until the last row is sent, in ms; 0 is no limit. */
  readonly limitMs: number;
}

/** A running statement, and the function that cancels it. */
interface RunningEntry extends Openable, Omit<RunningStatement, 'pid' | 'sql'> {
  readonly text: Buffer;
  readonly kill: () => void;
}

/** The queries and writes that run now, for lists and for KILL QUERY. */
export class RunningStatements {
  readonly #running = new OpenList<RunningEntry>();
  #count = 0;

  /** How many statements this process has started. */
  get count(): number {
    return this.#count;
  }

  /** Registers a statement. Only queries have `bounds`: a write continues, because a part of it may be stored. */
  begin(user: string, text: Buffer, bounds?: QueryBounds): Running {
    this.#count++;
    const id = this.#count;
    const controller = new AbortController();
    let reason: FaultError | undefined;
    const cancel = (why: FaultError | undefined): void => {
      reason ??= why;
      controller.abort();
    };
    const cancelForClient = (): void => cancel(undefined);
    const limitMs = bounds?.limitMs ?? 0;
    const timer = limitMs > 0 ? setTimeout(() => cancel(overTime(limitMs)), limitMs) : undefined;
    bounds?.aborted.addEventListener('abort', cancelForClient, { once: true });
    if (bounds?.aborted.aborted === true) cancelForClient();
    const entry: RunningEntry = { place: -1, id, user, text, began: Date.now(), kill: () => cancel(killed()) };
    this.#running.add(entry);
    const end = (): void => {
      this.#running.delete(entry);
      clearTimeout(timer);
      bounds?.aborted.removeEventListener('abort', cancelForClient);
    };
    return { signal: controller.signal, because: () => reason, end };
  }

  /** All of them. */
  get all(): readonly RunningStatement[] {
    return this.#running
      .all()
      .map(({ id, user, text, began }) => ({
        pid: process.pid,
        id,
        user,
        sql: text.toString('utf8', 0, maxShownBytes),
        began,
      }))
      .toSorted((a, b) => a.id - b.id);
  }

  /** Cancels a query that the user may see. Does nothing for a write and for a query that has finished. */
  kill(id: number, access: Access): void {
    const statement = this.#running.all().find((entry) => entry.id === id);
    if (access.isAdministrator || statement?.user === access.user) statement?.kill();
  }
}

/**
 * Statements and connections that a user may see: the user's own; an administrator sees all. Texts of statements may
 * hold written values.
 */
export function visibleTo<T extends { readonly user: string }>(access: Access, all: readonly T[]): readonly T[] {
  return access.isAdministrator ? all : all.filter(({ user }) => user === access.user);
}

function killed(): FaultError {
  return new FaultError(fault('database', Codes.queryKilled, 'Query killed'));
}

function overTime(limitMs: number): FaultError {
  const text = `Query terminated: it took longer than ${limitMs / 1000} s`;
  return new FaultError(fault('database', Codes.queryTerminated, text));
}
