import type { Component, ComponentLog } from '../model/component.js';

/** How much of the stop deadline draining may use; the rest is for releasing. */
const drainShare = 0.75;

/**
 * Starts components in order (sinks before sources) and stops them in reverse. A start that fails stops what was
 * started. A stop drains everything first, so that what was taken is settled, within one deadline.
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
      try {
        await component.start();
      } catch (error) {
        await this.#release(component);
        await this.stop(0);
        throw error;
      }
      this.#started.push(component);
    }
  }

  /** Drains and stops everything that was started; a second call waits for the first. */
  stop(deadlineMs: number): Promise<void> {
    this.#stopping ??= this.#stop(deadlineMs);
    return this.#stopping;
  }

  async #stop(deadlineMs: number): Promise<void> {
    const order = this.#started.splice(0).reverse();
    const deadline = AbortSignal.timeout(deadlineMs * drainShare);
    for (const component of order) {
      try {
        if (deadlineMs > 0) await component.drain(deadline);
      } catch (error) {
        this.#log.warn({ component: component.name, error: String(error) }, 'A component could not be drained.');
      }
    }
    for (const component of order) await this.#release(component);
  }

  async #release(component: Component): Promise<void> {
    try {
      await component.stop();
    } catch (error) {
      this.#log.warn({ component: component.name, error: String(error) }, 'A component could not be stopped.');
    }
  }
}
