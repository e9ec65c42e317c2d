import { type Openable, OpenList } from '../async/open-list.js';
import type { SqlRequest } from '../model/exchange.js';
import { Codes, FaultError } from '../model/fault.js';
import type { SlowStatement, SlowStatementList } from '../model/slow-statement.js';
import { withoutSecrets } from '../telemetry/sql-record.js';

/** Bytes of a statement's text that a record holds. */
const maxTextBytes = 2048;
/** Records of finished statements. */
const maxRecords = 200;

/** The parts of a request that a record shows. */
type Watched = Pick<SqlRequest, 'statement' | 'database'>;

interface TimedStatement extends Openable {
  readonly id: number;
  readonly user: string;
  readonly request: Watched;
  readonly startTime: number;
  /** On the monotonic clock, in ms. */
  readonly began: number;
  waitedMs: number;
}

/** The timer of a running statement. */
interface StatementTimer {
  /** Adds a wait for a slot, in ms. */
  waited(ms: number): void;
  /** Ends the statement; `failure` is its error. Returns its waits in all, in ms. */
  end(failure?: unknown): number;
}

/** The newest slow statements, finished and running. The text of a fast statement is not read. */
export class SlowStatements {
  readonly #thresholdMs: number;
  readonly #clock: () => number;
  readonly #running = new OpenList<TimedStatement>();
  readonly #finished: SlowStatement[] = [];
  #count = 0;

  /** `thresholdMs` 0 records none; `clock` is monotonic, in ms. */
  constructor(thresholdMs: number, clock: () => number = () => performance.now()) {
    this.#thresholdMs = thresholdMs;
    this.#clock = clock;
  }

  /** Starts the timer of a statement that has waited for `waitedMs` already. The caller must end it. */
  begin(user: string, request: Watched, waitedMs = 0): StatementTimer {
    this.#count++;
    const [startTime, began] = [Date.now() - Math.round(waitedMs), this.#clock() - waitedMs];
    const timed: TimedStatement = { id: this.#count, user, request, startTime, began, waitedMs, place: -1 };
    this.#running.add(timed);
    return {
      waited: (ms) => {
        timed.waitedMs += ms;
      },
      end: (failure) => {
        if (this.#running.delete(timed)) this.#end(timed, failure);
        return timed.waitedMs;
      },
    };
  }

  /** Slow statements, running and finished, of this process and, from `others`, of other processes. */
  list(others: readonly SlowStatement[] = []): SlowStatementList {
    const running = this.#running
      .all()
      .filter((timed) => this.#isSlow(this.#clock() - timed.began))
      .map((timed) => this.#shown(timed, 'running', null));
    const own = [...running, ...this.#finished.toReversed()];
    return { thresholdMs: this.#thresholdMs, records: others.length === 0 ? own : inOrder([...own, ...others]) };
  }

  #end(timed: TimedStatement, failure: unknown): void {
    if (!this.#isSlow(this.#clock() - timed.began)) return;
    const error = failure === undefined ? null : errorOf(failure);
    this.#finished.push(this.#shown(timed, error === null ? 'done' : 'failed', error));
    if (this.#finished.length > maxRecords) this.#finished.shift();
  }

  #isSlow(durationMs: number): boolean {
    return this.#thresholdMs > 0 && durationMs >= this.#thresholdMs;
  }

  #shown(timed: TimedStatement, state: SlowStatement['state'], error: SlowStatement['error']): SlowStatement {
    const { id, user, request, startTime } = timed;
    const sql = withoutSecrets(request.statement.toString('utf8', 0, maxTextBytes));
    const durationMs = Math.round(this.#clock() - timed.began);
    const waitedMs = Math.round(timed.waitedMs);
    return { id, user, database: request.database ?? null, sql, state, startTime, durationMs, waitedMs, error };
  }
}

/** Running statements first, the longest first; then finished ones, the newest first. */
function inOrder(statements: readonly SlowStatement[]): readonly SlowStatement[] {
  const isFinished = ({ state }: SlowStatement): number => Number(state !== 'running');
  const endOf = ({ state, startTime, durationMs }: SlowStatement): number =>
    state === 'running' ? durationMs : startTime + durationMs;
  return statements.toSorted((a, b) => isFinished(a) - isFinished(b) || endOf(b) - endOf(a));
}

function errorOf(failure: unknown): SlowStatement['error'] {
  if (failure instanceof FaultError) return { code: failure.fault.code, desc: withoutSecrets(failure.fault.message) };
  return { code: Codes.free, desc: 'Internal error' };
}
