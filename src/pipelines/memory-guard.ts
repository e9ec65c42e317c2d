import {
  BehaviorSubject,
  distinctUntilChanged,
  filter,
  map,
  type Observable,
  type Subscription,
  tap,
  timer,
} from 'rxjs';
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
 * The memory guard: one state for the whole service, judged anew at every sample, without hysteresis. HTTP reads {@link
 * MemoryGuard.state}. Listeners read nothing while their gate ({@link guardedGate}) is shut, and what they had read
 * before waits at the entry of the write chain.
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

  /** True while everything is paused: now, and at every change. */
  get paused$(): Observable<boolean> {
    return this.#state$.pipe(
      map((state) => state === 'all-paused'),
      distinctUntilChanged(),
    );
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

/** The credit of an input whose reads the guard pauses: shut as long as everything is paused. */
export function guardedGate(guard: Pick<MemoryGuard, 'paused$'>, limitBytes: number): ByteCreditGate {
  const gate = new ByteCreditGate(limitBytes);
  let release: (() => void) | undefined;
  guard.paused$.subscribe((isPaused) => {
    release?.();
    release = isPaused ? gate.hold('memory') : undefined;
  });
  return gate;
}
