import { setImmediate } from 'node:timers/promises';
import { deferred } from '../async/deferred.js';
import type { Component, ComponentLog } from '../model/component.js';

/** How much of the stop deadline draining may use. */
const drainShare = 0.75;
/** When releasing ends at the latest, as a part of the stop deadline; the rest is for what the components stand on. */
const releaseShare = 0.9;
/** Deadline for releasing the started components when a start fails. */
const failedStartMs = 5_000;

type Step = 'drain' | 'stop';

/**
 * Starts components in order (sinks before sources) and stops them in reverse. A start that fails stops what was
 * started. A stop drains everything first, so that what was taken is settled. Whatever a component waits for, each wait
 * ends at the deadline, and every component drains and stops.
 */
export class Lifecycle {
  readonly #components: readonly Component[];
  readonly #log: ComponentLog;
  readonly #started: Component[] = [];
  #stopping: Promise<void> | undefined;

  constructor(components: readonly Component[], log: ComponentLog) {
    this.#components = components;
    this.#log = log;
  }

  async start(): Promise<void> {
    for (const component of this.#components) {
      this.#started.push(component);
      try {
        await component.start?.();
      } catch (error) {
        await this.#release(new Deadline(failedStartMs));
        throw error;
      }
    }
  }

  /**
   * Drains and stops everything that was started; a second call waits for the first. Resolves after nine tenths of the
   * deadline at the latest, in ms.
   */
  stop(deadlineMs: number): Promise<void> {
    this.#stopping ??= this.#stop(deadlineMs);
    return this.#stopping;
  }

  async #stop(deadlineMs: number): Promise<void> {
    const draining = new Deadline(deadlineMs * drainShare);
    const releasing = new Deadline(deadlineMs * releaseShare);
    for (const component of this.#started.toReversed()) {
      await this.#within(draining, component, 'drain', async () => component.drain?.());
    }
    draining.clear();
    await this.#release(releasing);
  }

  async #release(deadline: Deadline): Promise<void> {
    for (const component of this.#started.splice(0).reverse()) {
      await this.#within(deadline, component, 'stop', async () => component.stop?.());
    }
    deadline.clear();
  }

  /**
   * Waits for the work, but not beyond the deadline; neither its failure nor the deadline keeps the next component
   * waiting.
   */
  async #within(deadline: Deadline, { name }: Component, step: Step, work: () => Promise<void>): Promise<void> {
    let isOver = false;
    const done = work()
      .catch((error: unknown) => this.#log.warn({ component: name, step, error: String(error) }, failedText))
      .then(() => {
        isOver = true;
      });
    await deadline.orDone(done);
    if (!isOver) this.#log.warn({ component: name, step }, 'A component was cut off at the deadline of the stop.');
  }
}

const failedText = 'A component could not be stopped in order.';

/** A time by which waiting ends. It keeps the process alive until it is over or cleared. */
class Deadline {
  readonly #over = deferred();
  #isOver = false;
  readonly #timer: NodeJS.Timeout;

  constructor(ms: number) {
    this.#timer = setTimeout(() => {
      this.#isOver = true;
      this.#over.resolve();
    }, ms);
  }

  clear(): void {
    clearTimeout(this.#timer);
  }

  /** Resolves with the work, or when the time is over. Work of one turn of the event loop is waited for then too. */
  orDone(work: Promise<void>): Promise<void> {
    return Promise.race([work, this.#isOver ? setImmediate() : this.#over.promise]);
  }
}
