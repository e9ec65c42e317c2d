import { applyOperation, type Step } from '../../events/event.js';
import type { EventOperation, StoredEvent } from '../../model/event-log.js';
import type { EventChange } from '../../model/notification.js';
import { shownEvent } from './shown-event.js';

/**
 * Dispatches notifications for recorded operations: when an event opens and when it ends. Events about the service
 * itself are notified while the database is away, because they are often about just that.
 */
export class NotificationDispatcher {
  readonly #notify: (change: EventChange) => void;
  /** Slots of events that were notified before they were recorded. */
  readonly #notifiedSlots = new Set<string>();

  constructor(notify: (change: EventChange) => void) {
    this.#notify = notify;
  }

  /** Handles recorded operations. */
  recorded(operations: readonly EventOperation[], outcomes: ReadonlyMap<string, Step>): void {
    for (const operation of operations) {
      const step = outcomes.get(operation.key);
      if (step?.event === undefined) continue;
      const wasNotified = this.#notifiedSlots.delete(operation.slot);
      if (step.outcome === 'opened' && !wasNotified) this.#dispatch('opened', step.event);
      if (step.outcome === 'moved' && operation.op !== 'acknowledge') this.#dispatch('resolved', step.event);
    }
  }

  /** Handles operations that wait for the database. */
  waiting(operations: readonly EventOperation[]): void {
    for (const operation of operations) {
      const { slot } = operation;
      if (operation.op !== 'seen' || operation.facts.source !== 'system' || this.#notifiedSlots.has(slot)) continue;
      const { event } = applyOperation(undefined, { position: 0, operation });
      if (event === undefined) continue;
      this.#notifiedSlots.add(slot);
      this.#dispatch('opened', event);
    }
  }

  #dispatch(change: EventChange['change'], event: StoredEvent): void {
    this.#notify({ change, event: shownEvent(event) });
  }
}
