import type { RunLog } from '../model/ports.js';

/** Which queries of a run are killed. */
interface KillRule {
  /** Running time from which a query is killed; 0 is never. */
  readonly slowerThanMs: number;
  /** From check to check. */
  readonly intervalMs: number;
}

/** Least time between two checks of what runs. */
const leastIntervalMs = 10;
/** Killed queries that are logged; the others are only counted. */
const maxShown = 50;

/** A query in flight. */
class RunningQuery {
  readonly sql: string;
  readonly begun = performance.now();
  readonly controller = new AbortController();
  /** True when it was cancelled for being slow. */
  isKilled = false;
  readonly #all: Set<RunningQuery>;

  constructor(sql: string, all: Set<RunningQuery>) {
    this.sql = sql;
    this.#all = all.add(this);
  }

  /** Fires when the query is cancelled. */
  get signal(): AbortSignal {
    return this.controller.signal;
  }

  /** Must be called when it is over. */
  end(): void {
    this.#all.delete(this);
  }
}

/**
 * The queries of this run in flight: cancels them when the run is stopped, and, at intervals, those that are slow.
 * Queries of others are never touched, because only the run's own are in here.
 */
export class RunningQueries {
  readonly #running = new Set<RunningQuery>();
  readonly #stop: AbortSignal;
  readonly #timer: NodeJS.Timeout | undefined;
  readonly #onStop = (): void => {
    for (const { controller } of this.#running) controller.abort();
  };

  constructor({ slowerThanMs, intervalMs }: KillRule, log: RunLog, stop: AbortSignal) {
    this.#stop = stop;
    stop.addEventListener('abort', this.#onStop, { once: true });
    if (slowerThanMs <= 0) return;
    let killed = 0;
    const killSlow = (): void => {
      for (const query of this.#running) {
        const ms = performance.now() - query.begun;
        if (query.isKilled || ms < slowerThanMs) continue;
        query.isKilled = true;
        const level = ++killed <= maxShown ? 'warn' : 'debug';
        log[level](`A query is killed after ${(ms / 1000).toFixed(3)} s: ${query.sql}`);
        query.controller.abort();
      }
    };
    this.#timer = setInterval(killSlow, Math.max(leastIntervalMs, intervalMs));
  }

  begin(sql: string): RunningQuery {
    const query = new RunningQuery(sql, this.#running);
    if (this.#stop.aborted) query.controller.abort();
    return query;
  }

  /** Ends the checks. */
  close(): void {
    clearInterval(this.#timer);
    this.#stop.removeEventListener('abort', this.#onStop);
  }
}
