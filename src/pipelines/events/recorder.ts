import type { Component, ComponentLog } from '../../model/component.js';
import type { EventOperation } from '../../model/event-log.js';
import { isPassing } from '../../model/fault.js';
import { backOffMs } from '../../text/duration.js';
import { pause } from '../pause.js';
import type { EventLedger } from './ledger.js';

/**
 * Something that was noticed: gives the operations to be recorded, once the database can tell what is needed for them. It may be
 * called again after it rejected, and gives operations of the same keys and ids then.
 */
type Notice = () => Promise<readonly EventOperation[]>;

const firstDelayMs = 200;
const maxDelayMs = 5_000;
/** Notices that are recorded together. */
const batchNotices = 2_000;

/**
 * Records what was noticed, in its order, and keeps it while the database is away: it is tried again until it is stored,
 * and stored once. What does not fit into memory meanwhile is lost, counted and logged.
 */
export class EventRecorder implements Component {
  readonly name = 'event-recorder';
  /** Notices that were lost because too many waited. */
  lost = 0;
  readonly #ledger: Pick<EventLedger, 'record'>;
  readonly #maxWaiting: number;
  readonly #log: ComponentLog;
  readonly #waits: (operations: readonly EventOperation[]) => void;
  readonly #waiting: Notice[] = [];
  #working: Promise<void> | undefined;
  readonly #stopped = new AbortController();

  /** `waits` hears of operations that cannot be recorded for now, each time they are tried; it must not throw. */
  constructor(
    ledger: Pick<EventLedger, 'record'>,
    maxWaiting: number,
    log: ComponentLog,
    waits: (operations: readonly EventOperation[]) => void = () => {},
  ) {
    this.#ledger = ledger;
    this.#waits = waits;
    this.#maxWaiting = maxWaiting;
    this.#log = log;
  }

  /** Notices that are not stored yet. */
  get waiting(): number {
    return this.#waiting.length;
  }

  add(notice: Notice): void {
    if (this.#stopped.signal.aborted) return;
    if (this.#waiting.length >= this.#maxWaiting) {
      if (this.lost === 0)
        this.#log.error({ limit: this.#maxWaiting }, 'Events are lost: too many wait for the database.');
      this.lost++;
      return;
    }
    this.#waiting.push(notice);
    this.#working ??= this.#work().finally(() => {
      this.#working = undefined;
    });
  }

  /** Waits until all is stored, however long the database is away. */
  async drain(): Promise<void> {
    while (this.#working !== undefined) await this.#working;
  }

  async stop(): Promise<void> {
    if (this.#stopped.signal.aborted) return;
    this.#stopped.abort();
    if (this.#waiting.length > 0) this.#log.error({ events: this.#waiting.length }, 'Events could not be stored.');
  }

  async #work(): Promise<void> {
    let attempt = 0;
    // Operations of one turn of the event loop are recorded together.
    await new Promise<void>((resolve) => setImmediate(resolve));
    while (this.#waiting.length > 0 && !this.#stopped.signal.aborted) {
      const batch = this.#waiting.slice(0, batchNotices);
      if (await this.#record(batch, attempt > 0)) {
        this.#waiting.splice(0, batch.length);
        attempt = 0;
      } else {
        attempt++;
        await pause(backOffMs(attempt, firstDelayMs, maxDelayMs), this.#stopped.signal);
      }
    }
  }

  /** True when the batch is done with: stored, or of a kind that can never be. */
  async #record(batch: readonly Notice[], again: boolean): Promise<boolean> {
    const operations: EventOperation[] = [];
    try {
      const results = await Promise.allSettled(batch.map((notice) => notice()));
      let passing: unknown;
      for (const one of results) {
        if (one.status === 'fulfilled') operations.push(...one.value);
        else if (isPassing(one.reason)) passing ??= one.reason;
        else this.#log.error({ error: String(one.reason) }, 'An event could not be made and is lost.');
      }
      if (passing !== undefined) throw passing;
      if (operations.length > 0) await this.#ledger.record(operations, again);
      return true;
    } catch (error) {
      const events = batch.length;
      if (!isPassing(error))
        this.#log.error({ error: String(error), events }, 'Events could not be stored and are lost.');
      else {
        this.#waits(operations);
        if (!again) this.#log.warn({ error: String(error), events }, 'Events wait for the database.');
      }
      return !isPassing(error);
    }
  }
}
