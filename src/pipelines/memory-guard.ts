import { BehaviorSubject, filter, map, type Observable, type Subscription, tap, timer } from 'rxjs';
import type { Component, ComponentLog } from '../model/component.js';
import type { GuardState } from '../model/exchange.js';
import { ByteCreditGate } from './credit-gate.js';

/** From what memory use on the guard pauses, and how often it looks. */
interface MemoryGuardOptions {
  /** `monitor.pauseQueryMemoryThreshold`. */
  readonly pauseQueryPercent: number;
  /** `monitor.pauseAllMemoryThreshold`. */
  readonly pauseAllPercent: number;
  /** `monitor.collectDuration`. */
  readonly intervalMs: number;
  /** Memory in use as percent of what is there. A reading that throws leaves the state as it is. */
  readonly readPercent: () => number;
  /** Makes what is not used any more count no longer; called at times while anything is paused. */
  readonly relieve?: () => void;
  readonly log: ComponentLog;
}

/** Between two attempts at making memory free. */
const relieveMs = 2_000;

/**
 * The memory guard: one state for the whole service, judged anew at every
 * sample, without hysteresis. Inputs read {@link MemoryGuard.state}; waiting readers are held by {@link holdWhile}.
 */
export class MemoryGuard implements Component {
  readonly name = 'memory-guard';
  readonly #options: MemoryGuardOptions;
  readonly #state$ = new BehaviorSubject<GuardState>('normal');
  #subscription: Subscription | undefined;
  #relievedAt = 0;

  constructor(options: MemoryGuardOptions) {
    this.#options = options;
  }

  get state(): GuardState {
    return this.#state$.value;
  }

  /** The state now, and every change. */
  get state$(): Observable<GuardState> {
    return this.#state$.asObservable();
  }

  async start(): Promise<void> {
    const { intervalMs, log } = this.#options;
    this.#subscription = timer(0, intervalMs)
      .pipe(
        map(() => this.#judge()),
        tap((state) => {
          if (state !== 'normal') this.#relieve();
        }),
        filter((to) => to !== this.state),
      )
      .subscribe((to) => {
        log.warn({ from: this.state, to }, 'The memory guard changes.');
        this.#state$.next(to);
      });
  }

  async stop(): Promise<void> {
    this.#subscription?.unsubscribe();
    this.#state$.complete();
  }

  #relieve(): void {
    const now = performance.now();
    if (now - this.#relievedAt < relieveMs) return;
    this.#relievedAt = now;
    this.#options.relieve?.();
  }

  #judge(): GuardState {
    const { readPercent, pauseAllPercent, pauseQueryPercent, log } = this.#options;
    try {
      const percent = readPercent();
      if (percent >= pauseAllPercent) return 'all-paused';
      return percent >= pauseQueryPercent ? 'query-paused' : 'normal';
    } catch (error) {
      log.warn({ error: String(error) }, 'Memory use cannot be measured; the memory guard stays as it is.');
      return this.#state$.value;
    }
  }
}

/** Holds a gate as long as everything is paused, until unsubscribed: the pausing operator of the pipelines. */
export function holdWhile(state$: Observable<GuardState>, hold: (reason: string) => () => void): Subscription {
  let release: (() => void) | undefined;
  return state$.subscribe((state) => {
    if (state === 'all-paused') {
      release ??= hold('memory');
      return;
    }
    release?.();
    release = undefined;
  });
}

/** The credit of an input that the guard pauses: shut as long as everything is paused. */
export function guardedGate(guard: MemoryGuard, limitBytes: number): ByteCreditGate {
  const gate = new ByteCreditGate(limitBytes);
  holdWhile(guard.state$, (reason) => gate.hold(reason));
  return gate;
}
