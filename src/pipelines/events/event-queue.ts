import type { Component, ComponentLog } from '../../model/component.js';
import type { EventOperation } from '../../model/event-log.js';
import { isTransientError } from '../../model/fault.js';
import { backOffMs } from '../../text/duration.js';
import { pause } from '../pause.js';
import type { EventLogWriter } from './event-log-writer.js';

/**
 * Makes the operations to record, which may need the database. After a rejection it may be called again, and returns
 * operations with the same keys and ids.
 */
type OperationSource = () => Promise<readonly EventOperation[]>;

const firstDelayMs = 200;
const maxDelayMs = 5_000;
/** Limit of sources per batch. */
const maxBatch = 2_000;

/**
 * Queue of operations on events. Records them in order and retries while the database is away until they are stored,
 * once each. Operations beyond the limit are lost, counted and logged.
 */
export class EventQueue implements Component {
  readonly name = 'event-queue';
  /** Sources that were lost because too many waited. */
  lost = 0;
  readonly #eventLog: Pick<EventLogWriter, 'record'>;
  readonly #maxWaiting: number;
  readonly #log: ComponentLog;
  readonly #onWaiting: (operations: readonly EventOperation[]) => void;
  readonly #waiting: OperationSource[] = [];
  #working: Promise<void> | undefined;
  readonly #stopped = new AbortController();

  /** `onWaiting` is called with operations whose attempt failed, after each attempt; it must not throw. */
  constructor(
    eventLog: Pick<EventLogWriter, 'record'>,
    maxWaiting: number,
    log: ComponentLog,
    onWaiting: (operations: readonly EventOperation[]) => void = () => {},
  ) {
    this.#eventLog = eventLog;
    this.#onWaiting = onWaiting;
    this.#maxWaiting = maxWaiting;
    this.#log = log;
  }

  /** Sources that are not stored yet. */
  get waiting(): number {
    return this.#waiting.length;
  }

  add(notice: OperationSource): void {
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
    // Operations of one turn of the event loop share a batch.
    await new Promise<void>((resolve) => setImmediate(resolve));
    while (this.#waiting.length > 0 && !this.#stopped.signal.aborted) {
      const batch = this.#waiting.slice(0, maxBatch);
      if (await this.#record(batch, attempt > 0)) {
        this.#waiting.splice(0, batch.length);
        attempt = 0;
      } else {
        attempt++;
        await pause(backOffMs(attempt, firstDelayMs, maxDelayMs), this.#stopped.signal);
      }
    }
  }

  /** True when the batch is finished: stored, or failed for good. */
  async #record(batch: readonly OperationSource[], isRetry: boolean): Promise<boolean> {
    const operations: EventOperation[] = [];
    try {
      const results = await Promise.allSettled(batch.map((notice) => notice()));
      let transient: unknown;
      for (const one of results) {
        if (one.status === 'fulfilled') operations.push(...one.value);
        else if (isTransientError(one.reason)) transient ??= one.reason;
        else this.#log.error({ error: String(one.reason) }, 'An event could not be made and is lost.');
      }
      if (transient !== undefined) throw transient;
      if (operations.length > 0) await this.#eventLog.record(operations, isRetry);
      return true;
    } catch (error) {
      const events = batch.length;
      if (!isTransientError(error))
        this.#log.error({ error: String(error), events }, 'Events could not be stored and are lost.');
      else {
        this.#onWaiting(operations);
        if (!isRetry) this.#log.warn({ error: String(error), events }, 'Events wait for the database.');
      }
      return !isTransientError(error);
    }
  }
}
