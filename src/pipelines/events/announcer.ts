import { applyOperation, type Step } from '../../events/event.js';
import type { EventOperation, StoredEvent } from '../../model/event-log.js';
import type { EventChange } from '../../model/notification.js';
import { shownEvent } from './shown-event.js';

/**
 * Finds in what is recorded what people are to be told: events that open and that are over. What the service notices about itself
 * is told although the database is away: that is often the very thing it is about.
 */
export class Announcer {
  readonly #tell: (change: EventChange) => void;
  /** Slots of what was told before it was recorded. */
  readonly #early = new Set<string>();

  constructor(tell: (change: EventChange) => void) {
    this.#tell = tell;
  }

  /** Operations were recorded. */
  recorded(operations: readonly EventOperation[], outcomes: ReadonlyMap<string, Step>): void {
    for (const operation of operations) {
      const step = outcomes.get(operation.key);
      if (step?.event === undefined) continue;
      const wasTold = this.#early.delete(operation.slot);
      if (step.outcome === 'opened' && !wasTold) this.#announce('opened', step.event);
      if (step.outcome === 'moved' && operation.op !== 'acknowledge') this.#announce('resolved', step.event);
    }
  }

  /** Operations wait for the database. */
  waiting(operations: readonly EventOperation[]): void {
    for (const operation of operations) {
      const { slot } = operation;
      if (operation.op !== 'seen' || operation.facts.source !== 'system' || this.#early.has(slot)) continue;
      const { event } = applyOperation(undefined, { position: 0, operation });
      if (event === undefined) continue;
      this.#early.add(slot);
      this.#announce('opened', event);
    }
  }

  #announce(change: EventChange['change'], event: StoredEvent): void {
    this.#tell({ change, event: shownEvent(event) });
  }
}
