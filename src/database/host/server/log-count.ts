import { detached } from '../../../async/detached.js';
import { Codes } from '../../../model/fault.js';
import { raisedText } from '../../../sql/engine/raise.js';
import { grownText } from '../../engine/log-table.js';
import { EngineException } from '../connection/exception.js';

/** Changes within this time are notified once, in ms. */
const notifyDelayMs = 100;

/**
 * Caches how many entries the catalogue's log has, until a statement that may change it has run. Every statement of an
 * engine passes its host, so nothing else changes the log.
 */
export class LogCount {
  readonly #count: () => Promise<number>;
  #cached: number | undefined;
  /** Statements that run and may change the log, and how many have begun. */
  #running = 0;
  #begun = 0;
  readonly #listeners = new Set<(entries: number) => void>();
  #timer: NodeJS.Timeout | undefined;

  constructor(count: () => Promise<number>) {
    this.#count = count;
  }

  /** Calls the listener with the number of entries shortly after statements that may have changed it. */
  watch(listener: (entries: number) => void): void {
    this.#listeners.add(listener);
  }

  /** Calls no listener from now on. */
  stop(): void {
    this.#listeners.clear();
    clearTimeout(this.#timer);
  }

  /**
   * Resolves if the log has exactly so many entries.
   * @throws EngineException with the same code and text as the condition that other engines evaluate.
   */
  async expect(entries: number): Promise<void> {
    if ((await this.entries()) === entries) return;
    throw new EngineException(395, 'FUNCTION_THROW_IF_VALUE_IS_NON_ZERO', raisedText(Codes.free, grownText));
  }

  /** How many entries the log has. */
  async entries(): Promise<number> {
    return this.#cached ?? (await this.#counted());
  }

  /** Runs a statement that may change the log. */
  async changedBy<T>(run: () => Promise<T>): Promise<T> {
    this.#begun++;
    this.#running++;
    this.#cached = undefined;
    try {
      return await run();
    } finally {
      this.#running--;
      if (this.#listeners.size > 0) this.#timer ??= setTimeout(() => detached(this.#notify()), notifyDelayMs).unref();
    }
  }

  async #notify(): Promise<void> {
    this.#timer = undefined;
    // Callers of `entries` get the error; listeners wait for the next change.
    const entries = await this.entries().catch(() => undefined);
    if (entries !== undefined) for (const listener of this.#listeners) listener(entries);
  }

  async #counted(): Promise<number> {
    const begun = this.#begun;
    const isOnly = this.#running === 0;
    const entries = await this.#count();
    if (isOnly && begun === this.#begun) this.#cached = entries;
    return entries;
  }
}
