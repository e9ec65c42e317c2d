import { randomUUID } from 'node:crypto';
import { type Observable, Subscription } from 'rxjs';
import { detached } from '../../async/detached.js';
import type { EventsStore } from '../../database/store/events-store.js';
import { newEventId, slotOf } from '../../events/event-id.js';
import { LastingFailures } from '../../events/lasting-failures.js';
import { isSystemRule, type SystemRule, systemRuleNames, systemRules } from '../../events/system-rules.js';
import type { Component, ComponentLog } from '../../model/component.js';
import type { EventFacts } from '../../model/event-log.js';
import type { GuardState } from '../../model/exchange.js';
import type { EventQueue } from './event-queue.js';
import type { ServiceSignals, Signal } from './signals.js';

/** Context of the watch over the service itself. */
export interface SystemWatchContext {
  /** Name of this service among others on the same database. */
  readonly identity: string;
  readonly guard$: Observable<GuardState>;
  /** Calls the listener now and whenever the engine comes or goes; the result ends that. */
  readonly watchEngine: (listener: (isUp: boolean) => void) => () => void;
  readonly signals: ServiceSignals;
  readonly store: Pick<EventsStore, 'open'>;
  readonly queue: Pick<EventQueue, 'add'>;
  /** How long writes must fail before that opens an event, ms. */
  readonly failingMs: number;
  readonly repeatIntervalMs: number;
  readonly log: ComponentLog;
}

const tickMs = 1_000;
/** Name of failed inserts, whatever input the rows came from. */
const databaseInput = 'database';
/** Name of requests that the memory guard rejects. */
export const httpInput = 'http';
/** Limit of open events that the start reads. */
const maxOpen = 10_000;

/** A condition that holds. */
interface ActiveCondition {
  readonly rule: SystemRule;
  readonly element: string;
  /** When it was recorded last, and how often it was detected since. */
  reportedAt: number;
  count: number;
}

/** Makes events of the conditions of the service itself: memory, database, targets, failing writes. */
export class SystemWatch implements Component {
  readonly name = 'system-events';
  readonly #context: SystemWatchContext;
  readonly #failures: LastingFailures;
  readonly #active = new Map<string, ActiveCondition>();
  readonly #shed = new Map<string, number>();
  readonly #subscription = new Subscription();
  #timer: NodeJS.Timeout | undefined;

  constructor(context: SystemWatchContext) {
    this.#context = context;
    this.#failures = new LastingFailures(context.failingMs);
  }

  /** Does not wait for the database, from which it reads the open events. */
  async start(): Promise<void> {
    detached(this.#begin());
  }

  async #begin(): Promise<void> {
    const { guard$, watchEngine, signals, log } = this.#context;
    try {
      await this.#adoptOpenEvents();
    } catch (error) {
      log.warn({ error: String(error) }, 'Events that an earlier process left open could not be read.');
    }
    if (this.#subscription.closed) return;
    this.#subscription.add(guard$.subscribe((state) => this.#guard(state)));
    this.#subscription.add(signals.signals$.subscribe((signal) => this.#take(signal)));
    this.#subscription.add(watchEngine((isUp) => this.#engine(isUp)));
    this.#timer = setInterval(() => this.#tick(), tickMs);
    this.#timer.unref();
  }

  async drain(): Promise<void> {
    await this.stop();
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#subscription.unsubscribe();
  }

  /**
   * Adopts open events of an earlier process of this name: they stay open until their condition ends or is no longer
   * watched.
   */
  async #adoptOpenEvents(): Promise<void> {
    const { store, identity, signals } = this.#context;
    for (const { rule, attributes } of await store.open(systemRuleNames, maxOpen)) {
      const { service, element = '' } = attributes;
      if (!isSystemRule(rule) || service !== identity) continue;
      this.#active.set(slotOf('system', rule, identity, element), { rule, element, reportedAt: 0, count: 0 });
    }
    for (const { rule, element } of [...this.#active.values()]) {
      const isGone = rule === 'target-unreachable' && !signals.targets.has(element);
      if (rule === 'writes-failing' || isGone) this.#report(rule, element, undefined);
    }
  }

  #engine(isUp: boolean): void {
    this.#report('engine-down', '', isUp ? undefined : 'Writes and queries fail until it is back.');
  }

  #guard(state: GuardState): void {
    if (state !== 'all-paused') this.#failures.succeeded(httpInput);
    this.#report(
      'memory-queries',
      '',
      state === 'normal' ? undefined : 'Queries are refused until memory is free again.',
    );
    this.#report(
      'memory-all',
      '',
      state === 'all-paused' ? 'Writes are refused too, until memory is free.' : undefined,
    );
  }

  #take(signal: Signal): void {
    const now = Date.now();
    switch (signal.kind) {
      case 'target':
        this.#report('target-unreachable', signal.address, signal.problem);
        break;
      case 'rejected':
        this.#report('rows-rejected', signal.table, signal.problem);
        break;
      case 'refused':
        this.#failures.failed(signal.input, now);
        break;
      case 'wrote':
        if (signal.isStored) this.#failures.succeeded(databaseInput);
        else this.#failures.failed(databaseInput, now);
    }
  }

  #tick(): void {
    const now = Date.now();
    for (const [input, read] of this.#context.signals.shed) {
      const count = read();
      if (count > (this.#shed.get(input) ?? 0)) this.#failures.failed(input, now);
      this.#shed.set(input, count);
    }
    const lasting = this.#failures.lasting(now);
    for (const [input, since] of lasting) {
      this.#report('writes-failing', input, `It began at ${new Date(since).toISOString()}.`, since);
    }
    for (const { rule, element } of [...this.#active.values()]) {
      if (rule === 'writes-failing' && !lasting.has(element)) this.#report(rule, element, undefined);
    }
  }

  /** Records that a condition holds, with its problem, or that it does not hold. */
  #report(rule: SystemRule, element: string, problem: string | undefined, since = Date.now()): void {
    const { identity, queue, repeatIntervalMs } = this.#context;
    const slot = slotOf('system', rule, identity, element);
    const known = this.#active.get(slot);
    const at = Date.now();
    if (problem === undefined) {
      if (known === undefined) return;
      this.#active.delete(slot);
      const key = randomUUID();
      queue.add(async () => [{ op: 'clear', key, slot, at, time: at }]);
      return;
    }
    const condition = known ?? { rule, element, reportedAt: 0, count: 0 };
    this.#active.set(slot, condition);
    condition.count++;
    if (at - condition.reportedAt < repeatIntervalMs) return;
    const { count } = condition;
    condition.reportedAt = at;
    condition.count = 0;
    const first = known === undefined ? since : at;
    const facts = factsOf(rule, identity, element, problem);
    const seen = {
      op: 'seen',
      key: randomUUID(),
      slot,
      at,
      id: newEventId(first),
      facts,
      count,
      first,
      last: at,
      value: null,
    } as const;
    queue.add(async () => [seen]);
  }
}

function factsOf(rule: SystemRule, identity: string, element: string, problem: string): EventFacts {
  const { severity, title } = systemRules[rule];
  return {
    severity,
    elementId: element === '' || rule === 'writes-failing' ? [identity, element].filter(Boolean).join('/') : element,
    title: element === '' ? title : `${title}: ${element}`,
    description: problem,
    source: 'system',
    rule,
    threshold: null,
    attributes: { service: identity, ...(element === '' ? {} : { element }) },
    database: '',
    table: '',
    series: '',
  };
}
