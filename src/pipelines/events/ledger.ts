import { BatchedCalls } from '../../database/engine/batched-calls.js';
import type { EventsStore } from '../../database/rows/events-store.js';
import { foldLog, type Step } from '../../events/event.js';
import type { EventOperation } from '../../model/event-log.js';

/** Operations that one caller records together. */
interface Entry {
  readonly operations: readonly EventOperation[];
  /** True when they may have been appended before, by an attempt whose end is unknown. */
  readonly again: boolean;
}

/** Hears what became of operations, by their keys. Must not throw. */
type RecordedListener = (operations: readonly EventOperation[], outcomes: ReadonlyMap<string, Step>) => void;

type Ledgered = Pick<EventsStore, 'append' | 'newest' | 'entries' | 'put' | 'unfolded'>;

/**
 * Records what happens to events: appends it to the log, reads back what came before it, folds, and stores the newest
 * states. Of moves that race, in one process or in several, the log's order decides, and everybody reads the same one.
 */
export class EventLedger {
  readonly #store: Ledgered;
  readonly #told: RecordedListener;
  readonly #entries = new BatchedCalls((entries: readonly Entry[]) => this.#record(entries));

  /** `told` hears of everything that is recorded here. */
  constructor(store: Ledgered, told: RecordedListener = () => {}) {
    this.#store = store;
    this.#told = told;
  }

  /**
   * Result of each operation, by its key. Callers that record at the same time share statements. Rejects with a
   * FaultError when the engine is away; whether the operations are in the log is then unknown, and recording them `again`
   * is safe.
   */
  async record(operations: readonly EventOperation[], again = false): Promise<ReadonlyMap<string, Step>> {
    const outcomes = await this.#entries.call({ operations, again });
    this.#told(operations, outcomes);
    return outcomes;
  }

  /** Stores the states of events whose log goes on after them. */
  async heal(): Promise<void> {
    const slots = await this.#store.unfolded();
    if (slots.length > 0) await this.#fold(slots, await this.#store.newest(slots));
  }

  async #record(entries: readonly Entry[]): Promise<readonly ReadonlyMap<string, Step>[]> {
    const store = this.#store;
    const operations = entries.flatMap((entry) => entry.operations);
    const slots = [...new Set(operations.map(({ slot }) => slot))];
    // As it is before the append, because what is read after it may hold the outcome already, but not say which it was.
    const newest = await store.newest(slots);
    const known = entries.some(({ again }) => again) ? await this.#keys(slots) : new Set<string>();
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
    newest: Awaited<ReturnType<Ledgered['newest']>>,
  ): Promise<ReadonlyMap<string, Step>> {
    const versions = new Map(newest.map(({ slot, version }) => [slot, version]));
    const after = slots.reduce((least, slot) => Math.min(least, versions.get(slot) ?? 0), Number.MAX_SAFE_INTEGER);
    const { changed, outcomes } = foldLog(newest, await this.#store.entries(slots, after));
    await this.#store.put(changed);
    return outcomes;
  }
}
