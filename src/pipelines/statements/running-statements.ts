import { type Openable, OpenList } from '../../async/open-list.js';
import type { Access } from '../../database/catalogue/rights.js';
import type { StatementPlace } from '../../database/system-tables/kill-id.js';
import type { RunningStatement } from '../../database/system-tables/system-table.js';
import { Codes, FaultError, fault } from '../../model/fault.js';
import type { SlowStatement } from '../../model/slow-statement.js';

/** As much of a statement's text as is shown. */
const maxShownBytes = 2048;

/** A statement in hand; `end` must be called once it is over. */
export interface Running {
  /** Fires when the statement is to be broken off. */
  readonly signal: AbortSignal;
  /** Why it was broken off; undefined when it was not, or when its client has left. */
  because(): FaultError | undefined;
  end(): void;
}

/** The statements of the other processes of the service. */
export interface OtherStatements {
  running(): Promise<readonly RunningStatement[]>;
  slow(): Promise<readonly SlowStatement[]>;
  /** Breaks one off that the user may see. */
  kill(place: StatementPlace, user: string): Promise<void>;
}

/** Bounds that end a query, beside KILL QUERY. */
interface QueryBounds {
  /** Fires when the asking side went away. */
  readonly aborted: AbortSignal;
  /** How long it may take until its last row has left; 0 is no limit. */
  readonly limitMs: number;
}

/** A statement in hand, and what ends it. */
interface Begun extends Openable, Omit<RunningStatement, 'pid' | 'sql'> {
  readonly text: Buffer;
  readonly kill: () => void;
}

/** The queries and writes that run now, for lists and for KILL QUERY. */
export class RunningStatements {
  readonly #running = new OpenList<Begun>();
  #count = 0;

  /** How many statements were begun. */
  get count(): number {
    return this.#count;
  }

  /** `bounds` only for queries: a write goes on, for it may be stored in part. */
  begin(user: string, text: Buffer, bounds?: QueryBounds): Running {
    this.#count++;
    const id = this.#count;
    const controller = new AbortController();
    let reason: FaultError | undefined;
    const breakOff = (why: FaultError | undefined): void => {
      reason ??= why;
      controller.abort();
    };
    const leave = (): void => breakOff(undefined);
    const limitMs = bounds?.limitMs ?? 0;
    const timer = limitMs > 0 ? setTimeout(() => breakOff(overTime(limitMs)), limitMs) : undefined;
    bounds?.aborted.addEventListener('abort', leave, { once: true });
    if (bounds?.aborted.aborted === true) leave();
    const begun: Begun = { place: -1, id, user, text, began: Date.now(), kill: () => breakOff(killed()) };
    this.#running.add(begun);
    const end = (): void => {
      this.#running.delete(begun);
      clearTimeout(timer);
      bounds?.aborted.removeEventListener('abort', leave);
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

  /** Breaks a query off that the user may see; nothing happens when it is over already, or is a write. */
  kill(id: number, access: Access): void {
    const statement = this.#running.all().find((begun) => begun.id === id);
    if (access.isAdministrator || statement?.user === access.user) statement?.kill();
  }
}

/** Statements that a user may see: the own ones, and the administrator all, for their texts hold what was written. */
export function visibleTo(access: Access, statements: readonly RunningStatement[]): readonly RunningStatement[] {
  return access.isAdministrator ? statements : statements.filter(({ user }) => user === access.user);
}

function killed(): FaultError {
  return new FaultError(fault('database', Codes.queryKilled, 'Query killed'));
}

function overTime(limitMs: number): FaultError {
  const text = `Query terminated: it took longer than ${limitMs / 1000} s`;
  return new FaultError(fault('database', Codes.queryTerminated, text));
}
