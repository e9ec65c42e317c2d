import { detached } from '../../../async/detached.js';
import { Codes } from '../../../model/fault.js';
import { raisedText } from '../../../sql/engine/raise.js';
import { grownText } from '../../engine/log-table.js';
import { EngineException } from '../connection/exception.js';

/** Words of a statement that may change the log; parameters may hold any name. */
const logWords = /sluice|catalogue/i;

/** Changes that follow each other are told together. */
const tellAfterMs = 100;

/** True when a statement may change the log. */
export function mayChangeLog(statement: string, parameters: number): boolean {
  return parameters > 0 || logWords.test(statement);
}

/**
 * How many entries the catalogue's log has: counted once for all INSERTs and for everybody who looks for new entries, until a statement has run that may have changed
 * it. Every statement of an engine goes through its host, so nothing else changes the log.
 */
export class LogCount {
  readonly #count: () => Promise<number>;
  #known: number | undefined;
  /** Statements that run and may change the log, and how many have begun. */
  #running = 0;
  #begun = 0;
  readonly #listeners = new Set<(entries: number) => void>();
  #timer: NodeJS.Timeout | undefined;

  constructor(count: () => Promise<number>) {
    this.#count = count;
  }

  /** Tells how many entries there are a moment after statements that may have changed it. */
  watch(listener: (entries: number) => void): void {
    this.#listeners.add(listener);
  }

  /** Tells nothing any more. */
  stop(): void {
    this.#listeners.clear();
    clearTimeout(this.#timer);
  }

  /**
   * Passes when the log has so many entries.
   * @throws EngineException what the condition ends with that other engines evaluate.
   */
  async expect(entries: number): Promise<void> {
    if ((await this.entries()) === entries) return;
    throw new EngineException(395, 'FUNCTION_THROW_IF_VALUE_IS_NON_ZERO', raisedText(Codes.free, grownText));
  }

  /** How many entries the log has. */
  async entries(): Promise<number> {
    return this.#known ?? (await this.#counted());
  }

  /** Runs a statement that may change the log. */
  async changedBy<T>(run: () => Promise<T>): Promise<T> {
    this.#begun++;
    this.#running++;
    this.#known = undefined;
    try {
      return await run();
    } finally {
      this.#running--;
      if (this.#listeners.size > 0) this.#timer ??= setTimeout(() => detached(this.#tell()), tellAfterMs).unref();
    }
  }

  async #tell(): Promise<void> {
    this.#timer = undefined;
    // Who asks gets the error; here the next change is waited for.
    const entries = await this.entries().catch(() => undefined);
    if (entries !== undefined) for (const listener of this.#listeners) listener(entries);
  }

  async #counted(): Promise<number> {
    const begun = this.#begun;
    const alone = this.#running === 0;
    const entries = await this.#count();
    if (alone && begun === this.#begun) this.#known = entries;
    return entries;
  }
}
