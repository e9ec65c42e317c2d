import { BatchedCalls } from '../../database/engine/batched-calls.js';
import type { EventsStore } from '../../database/store/events-store.js';
import { foldLog, type Step } from '../../events/event.js';
import type { EventOperation } from '../../model/event-log.js';

/** Operations of one call. */
interface RecordCall {
  readonly operations: readonly EventOperation[];
  /** True when an earlier attempt with an unknown outcome may have appended them. */
  readonly isRetry: boolean;
}

/** Called with recorded operations and their outcomes, by key. Must not throw. */
type RecordedListener = (operations: readonly EventOperation[], outcomes: ReadonlyMap<string, Step>) => void;

type LogStore = Pick<EventsStore, 'append' | 'newest' | 'entries' | 'put' | 'unfolded'>;

/**
 * Writes operations on events: appends them to the log, reads the entries before them, folds, and stores the newest
 * states. The order of the log decides between concurrent moves, and all processes read the same order.
 */
export class EventLogWriter {
  readonly #store: LogStore;
  readonly #onRecorded: RecordedListener;
  readonly #calls = new BatchedCalls((entries: readonly RecordCall[]) => this.#record(entries));

  /** `onRecorded` is called with all operations that are recorded here. */
  constructor(store: LogStore, onRecorded: RecordedListener = () => {}) {
    this.#store = store;
    this.#onRecorded = onRecorded;
  }

  /**
   * Result of each operation, by its key. Concurrent calls share statements. Rejects with a FaultError when the engine
   * is away; then it is unknown whether the operations are in the log, and a retry with `isRetry` is safe.
   */
  async record(operations: readonly EventOperation[], isRetry = false): Promise<ReadonlyMap<string, Step>> {
    const outcomes = await this.#calls.call({ operations, isRetry: isRetry });
    this.#onRecorded(operations, outcomes);
    return outcomes;
  }

  /** Folds log entries that are newer than the stored states of their events. */
  async foldRest(): Promise<void> {
    const slots = await this.#store.unfolded();
    if (slots.length > 0) await this.#fold(slots, await this.#store.newest(slots));
  }

  async #record(entries: readonly RecordCall[]): Promise<readonly ReadonlyMap<string, Step>[]> {
    const store = this.#store;
    const operations = entries.flatMap((entry) => entry.operations);
    const slots = [...new Set(operations.map(({ slot }) => slot))];
    // Read before the append: a state that is read later may include the operation, but not its outcome.
    const newest = await store.newest(slots);
    const known = entries.some(({ isRetry: again }) => again) ? await this.#keys(slots) : new Set<string>();
    const missing = operations.filter(({ key }) => !known.has(key));
    if (missing.length > 0) await store.append(missing);
    const outcomes = await this.#fold(slots, newest);
    return entries.map(() => outcomes);
  }

  async #keys(slots: readonly string[]): Promise<ReadonlySet<string>> {
    const entries = await this.#store.entries(slots, 0);
    return new Set(entries.map(({ operation }) => operation.key));
  }

  async #fold(
    slots: readonly string[],
    newest: Awaited<ReturnType<LogStore['newest']>>,
  ): Promise<ReadonlyMap<string, Step>> {
    const versions = new Map(newest.map(({ slot, version }) => [slot, version]));
    const after = slots.reduce((least, slot) => Math.min(least, versions.get(slot) ?? 0), Number.MAX_SAFE_INTEGER);
    const { changed, outcomes } = foldLog(newest, await this.#store.entries(slots, after));
    await this.#store.put(changed);
    return outcomes;
  }
}
