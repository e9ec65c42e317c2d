import type { EventsStore } from '../../database/rows/events-store.js';
import type { Component, ComponentLog } from '../../model/component.js';
import type { EventLedger } from './ledger.js';

/** What the store is kept in order with. */
interface EventRetentionContext {
  readonly store: Pick<EventsStore, 'removeEnded'>;
  readonly ledger: Pick<EventLedger, 'heal'>;
  /** How long a resolved event is kept; 0 is for ever. */
  readonly retentionMs: number;
  readonly log: ComponentLog;
}

/** Soon after a start, so that what a crash has left is put right, and then now and then. */
const firstMs = 2_000;
const sweepMs = 10 * 60_000;
const retryMs = 15_000;

/** Completes what a process that died has left half done, and removes events whose time is over. */
export class EventRetention implements Component {
  readonly name = 'event-retention';
  readonly #context: EventRetentionContext;
  #timer: NodeJS.Timeout | undefined;
  #sweep: Promise<void> = Promise.resolve();
  #stopped = false;

  constructor(context: EventRetentionContext) {
    this.#context = context;
  }

  async start(): Promise<void> {
    this.#schedule(firstMs);
  }

  async drain(): Promise<void> {
    await this.stop();
    await this.#sweep;
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
  }

  #schedule(ms: number): void {
    if (this.#stopped) return;
    this.#timer = setTimeout(() => {
      this.#sweep = this.#run().then((isDone) => this.#schedule(isDone ? sweepMs : retryMs));
    }, ms);
    this.#timer.unref();
  }

  /** False when it did not work. */
  async #run(): Promise<boolean> {
    const { store, ledger, retentionMs, log } = this.#context;
    const now = Date.now();
    try {
      await ledger.heal();
      await store.removeEnded(retentionMs === 0 ? 0 : now - retentionMs, now);
      return true;
    } catch (error) {
      log.warn({ error: String(error) }, 'The events could not be put in order; it is tried again.');
      return false;
    }
  }
}
