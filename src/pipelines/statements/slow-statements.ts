import { type Openable, OpenList } from '../../async/open-list.js';
import type { SqlRequest } from '../../model/exchange.js';
import { Codes, FaultError } from '../../model/fault.js';
import type { SlowStatement, SlowStatementList } from '../../model/slow-statement.js';
import { withoutSecrets } from '../../telemetry/sql-record.js';

/** As much of a statement's text as is kept. */
const maxKeptBytes = 2048;
/** How many statements that are over are kept. */
const maxKept = 200;

/** Facts by which a statement is judged. */
type Watched = Pick<SqlRequest, 'statement' | 'database'>;

interface Begun extends Openable {
  readonly id: number;
  readonly user: string;
  readonly request: Watched;
  readonly startTime: number;
  /** On the clock that is not set back. */
  readonly began: number;
  waitedMs: number;
}

/** A statement in hand. */
interface BegunStatement {
  /** It has waited for its turn once more. */
  waited(ms: number): void;
  /** It is over; `failure` is what it failed of. Gives how many ms it waited in all. */
  end(failure?: unknown): number;
}

/** Keeps the newest statements that took long, with those that run and do. Nothing is done with the text of a fast one. */
export class SlowStatements {
  readonly #thresholdMs: number;
  readonly #clock: () => number;
  readonly #running = new OpenList<Begun>();
  readonly #over: SlowStatement[] = [];
  #count = 0;

  /** `thresholdMs` 0 keeps none; `clock` tells milliseconds and never goes back. */
  constructor(thresholdMs: number, clock: () => number = () => performance.now()) {
    this.#thresholdMs = thresholdMs;
    this.#clock = clock;
  }

  /** A statement begins that has waited for so long already; it must be ended. */
  begin(user: string, request: Watched, waitedMs = 0): BegunStatement {
    this.#count++;
    const [startTime, began] = [Date.now() - Math.round(waitedMs), this.#clock() - waitedMs];
    const begun: Begun = { id: this.#count, user, request, startTime, began, waitedMs, place: -1 };
    this.#running.add(begun);
    return {
      waited: (ms) => {
        begun.waitedMs += ms;
      },
      end: (failure) => {
        if (this.#running.delete(begun)) this.#end(begun, failure);
        return begun.waitedMs;
      },
    };
  }

  /** Statements that are slow now or were, here and, by `others`, in other processes. */
  list(others: readonly SlowStatement[] = []): SlowStatementList {
    const running = this.#running
      .all()
      .filter((begun) => this.#isSlow(this.#clock() - begun.began))
      .map((begun) => this.#shown(begun, 'running', null));
    const own = [...running, ...this.#over.toReversed()];
    return { thresholdMs: this.#thresholdMs, records: others.length === 0 ? own : inOrder([...own, ...others]) };
  }

  #end(begun: Begun, failure: unknown): void {
    if (!this.#isSlow(this.#clock() - begun.began)) return;
    const error = failure === undefined ? null : errorOf(failure);
    this.#over.push(this.#shown(begun, error === null ? 'done' : 'failed', error));
    if (this.#over.length > maxKept) this.#over.shift();
  }

  #isSlow(durationMs: number): boolean {
    return this.#thresholdMs > 0 && durationMs >= this.#thresholdMs;
  }

  #shown(begun: Begun, state: SlowStatement['state'], error: SlowStatement['error']): SlowStatement {
    const { id, user, request, startTime } = begun;
    const sql = withoutSecrets(request.statement.toString('utf8', 0, maxKeptBytes));
    const durationMs = Math.round(this.#clock() - begun.began);
    const waitedMs = Math.round(begun.waitedMs);
    return { id, user, database: request.database ?? null, sql, state, startTime, durationMs, waitedMs, error };
  }
}

/** Those that run, the longest first; then the others, the newest first. */
function inOrder(statements: readonly SlowStatement[]): readonly SlowStatement[] {
  const isOver = ({ state }: SlowStatement): number => Number(state !== 'running');
  const endOf = ({ state, startTime, durationMs }: SlowStatement): number =>
    state === 'running' ? durationMs : startTime + durationMs;
  return statements.toSorted((a, b) => isOver(a) - isOver(b) || endOf(b) - endOf(a));
}

function errorOf(failure: unknown): SlowStatement['error'] {
  if (failure instanceof FaultError) return { code: failure.fault.code, desc: withoutSecrets(failure.fault.message) };
  return { code: Codes.free, desc: 'Internal error' };
}
