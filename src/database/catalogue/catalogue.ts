import { randomBytes } from 'node:crypto';
import { Slice } from '../../async/slice.js';
import type { ComponentLog } from '../../model/component.js';
import type { Fault } from '../../model/fault.js';
import { Codes, FaultError, fault } from '../../model/fault.js';
import { BatchedCalls } from '../engine/batched-calls.js';
import type { Engine } from '../engine/engine.js';
import { KeeperLog } from './keeper-log.js';
import { type CatalogueLog, TableLog } from './log.js';
import type { Operation } from './operations.js';
import { CatalogueState } from './state.js';

/** How often other processes' entries are looked for; DDL must be visible within a second. */
const pollMs = 400;
/** The same where the engine reports new entries. */
const watchedPollMs = 10_000;

/** How a catalogue is kept current. */
export interface Polling {
  /** Called when the log could not be read. */
  readonly failed?: () => void;
  /**
   * Reports how many entries the log has whenever that may have changed; undefined for an engine that does not report
   * it.
   */
  readonly watchLog?: ((listener: (entries: number) => void) => void) | undefined;
  /** Called with the number of entries of the log after each entry of this process, before its submitter continues. */
  readonly submitted?: ((entries: number) => Promise<unknown>) | undefined;
}

/** The catalogue's log, where an engine keeps it. */
export function logOf(engine: Engine): CatalogueLog {
  return engine.keeper !== undefined ? new KeeperLog(engine) : new TableLog(engine);
}

/**
 * The catalogue of one process: the folded log, kept current by polling and by reading up to the end of the log around
 * every submission. Usable only after {@link Catalogue.sync} succeeded once; until then names are unknown.
 */
export class Catalogue extends CatalogueState {
  readonly #log: CatalogueLog;
  readonly #report: ComponentLog;
  #position = 0;
  #entries = 0;
  #timer: NodeJS.Timeout | undefined;
  #polling = false;
  readonly #readings = new BatchedCalls((calls: readonly undefined[]) => this.#readOn().then(() => calls));
  readonly #submissions = new BatchedCalls((lists: readonly (readonly Operation[])[]) => this.#append(lists));
  readonly #waiting = new Set<string>();
  readonly #results = new Map<string, readonly (Fault | undefined)[]>();
  #submitted: Polling['submitted'];

  constructor(engine: Engine, report: ComponentLog) {
    super();
    this.#log = logOf(engine);
    this.#report = report;
  }

  /** Begins polling. A failed poll is reported, and retried by the next one: what is known stays usable. */
  start({ failed, watchLog, submitted }: Polling = {}): void {
    this.#polling = true;
    this.#submitted = submitted;
    const everyMs = watchLog === undefined ? pollMs : watchedPollMs;
    const poll = (): void => {
      this.sync().then(
        () => this.#schedule(poll, everyMs),
        (error: unknown) => {
          failed?.();
          this.#report.debug({ error: String(error) }, 'The catalogue could not be refreshed.');
          this.#schedule(poll, pollMs);
        },
      );
    };
    // The first poll finds all entries that are there already.
    this.#schedule(poll, pollMs);
    watchLog?.((entries) => {
      if (!this.#polling || entries === this.#entries) return;
      clearTimeout(this.#timer);
      poll();
    });
  }

  stop(): void {
    this.#polling = false;
    clearTimeout(this.#timer);
  }

  /**
   * Reads the log up to its end as of now. Reads never overlap, as an entry must be applied once; calls that arrive
   * while one runs share the one after it.
   */
  sync(): Promise<void> {
    return this.#readings.call(undefined);
  }

  /**
   * Appends operations and waits until they are folded. Lists that several callers submit at once become one entry, in
   * which each is whole and in the order of the calls.
   * @returns for each operation, the fault with which it was refused, or undefined.
   */
  submit(operations: readonly Operation[]): Promise<readonly (Fault | undefined)[]> {
    return this.#submissions.call(operations);
  }

  async #append(lists: readonly (readonly Operation[])[]): Promise<readonly (readonly (Fault | undefined)[])[]> {
    const key = await this.#log.append(lists.flat());
    this.#waiting.add(key);
    try {
      if (!this.#results.has(key)) await this.sync();
      const results = this.#results.get(key);
      if (results === undefined) {
        throw new FaultError(fault('network', Codes.networkUnavailable, 'The catalogue entry was not found again'));
      }
      const rest = [...results];
      await this.#submitted?.(this.#entries);
      return lists.map(({ length }) => rest.splice(0, length));
    } finally {
      this.#waiting.delete(key);
      this.#results.delete(key);
    }
  }

  /** How many entries of the log are folded: all of them, while {@link logHas} as many. */
  get entries(): number {
    return this.#entries;
  }

  /** How far the log is folded: the position of the last entry. */
  get position(): number {
    return this.#position;
  }

  /** The {@link secret}, which the first call makes. */
  async sharedSecret(): Promise<Buffer> {
    await this.sync();
    if (this.secret === undefined) {
      await this.submit([{ op: 'create-secret', secret: randomBytes(32).toString('base64') }]);
    }
    return Buffer.from(this.secret ?? '', 'base64');
  }

  #schedule(poll: () => void, afterMs: number): void {
    if (!this.#polling) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(poll, afterMs);
    this.#timer.unref();
  }

  async #readOn(): Promise<void> {
    // A caller that waits for its own entry knows that there is more.
    if (this.#waiting.size === 0 && (await this.#log.count()) === this.#entries) return;
    const entries = await this.#log.read(this.#position);
    const slice = new Slice();
    for (const entry of entries) {
      if (slice.isOver()) await slice.next();
      const results = this.apply(entry);
      this.#position = entry.position;
      this.#entries++;
      // An entry may be read by a poll before its submitter has come back from appending it.
      this.#results.set(entry.key, results);
    }
    this.#forgetOldResults();
  }

  /** Keeps the newest results only; submitters that wait are never forgotten. */
  #forgetOldResults(): void {
    const keep = 1000;
    if (this.#results.size <= keep) return;
    for (const key of this.#results.keys()) {
      if (this.#results.size <= keep) return;
      if (!this.#waiting.has(key)) this.#results.delete(key);
    }
  }
}
