import type { RunLog } from '../model/ports.js';

/** A query under way. */
interface RunningQuery {
  /** Fires when the query is to be broken off. */
  readonly signal: AbortSignal;
  /** True when it was broken off for being slow. */
  readonly wasKilled: () => boolean;
  /** Must be called when it is over. */
  readonly end: () => void;
}

/** Which queries of a run are killed for their length. */
interface KillRule {
  /** Running time from which a query is killed; 0 is never. */
  readonly slowerThanMs: number;
  /** From look to look. */
  readonly intervalMs: number;
}

interface Entry {
  readonly sql: string;
  readonly begun: number;
  readonly controller: AbortController;
  killed: boolean;
}

/** Least time between two looks at what runs. */
const leastIntervalMs = 10;
/** Killed queries that are told of; the others are only counted. */
const maxShown = 50;

/**
 * The queries that this run has under way: it breaks them off when the run is stopped, and, at intervals, those that are slow.
 * Queries of others are never touched, because only the run's own are in here.
 */
export class RunningQueries {
  readonly #running = new Set<Entry>();
  readonly #rule: KillRule;
  readonly #log: RunLog;
  readonly #stop: AbortSignal;
  readonly #timer: NodeJS.Timeout | undefined;
  #killed = 0;
  readonly #onStop = (): void => {
    for (const { controller } of this.#running) controller.abort();
  };

  constructor(rule: KillRule, log: RunLog, stop: AbortSignal) {
    this.#rule = rule;
    this.#log = log;
    this.#stop = stop;
    stop.addEventListener('abort', this.#onStop, { once: true });
    if (rule.slowerThanMs > 0) {
      this.#timer = setInterval(() => this.#killSlow(), Math.max(leastIntervalMs, rule.intervalMs));
    }
  }

  begin(sql: string): RunningQuery {
    const entry: Entry = { sql, begun: performance.now(), controller: new AbortController(), killed: false };
    this.#running.add(entry);
    if (this.#stop.aborted) entry.controller.abort();
    return {
      signal: entry.controller.signal,
      wasKilled: () => entry.killed,
      end: () => {
        this.#running.delete(entry);
      },
    };
  }

  /** Looks no more. */
  close(): void {
    clearInterval(this.#timer);
    this.#stop.removeEventListener('abort', this.#onStop);
  }

  #killSlow(): void {
    for (const entry of this.#running) {
      const ms = performance.now() - entry.begun;
      if (entry.killed || ms < this.#rule.slowerThanMs) continue;
      entry.killed = true;
      this.#log[++this.#killed <= maxShown ? 'warn' : 'debug'](
        `A query is killed after ${(ms / 1000).toFixed(3)} s: ${entry.sql}`,
      );
      entry.controller.abort();
    }
  }
}
