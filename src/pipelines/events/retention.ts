import type { EventsStore } from '../../database/rows/events-store.js';
import type { Component, ComponentLog } from '../../model/component.js';
import { RepeatedWork } from '../../work/repeated-work.js';
import type { EventLedger } from './ledger.js';

/** Context of the store's retention. */
interface EventRetentionContext {
  readonly store: Pick<EventsStore, 'removeEnded'>;
  readonly ledger: Pick<EventLedger, 'heal'>;
  /** How long a resolved event is kept; 0 is for ever. */
  readonly retentionMs: number;
  readonly log: ComponentLog;
}

/** Soon after a start, so that what a crash has left is put right, and then now and then. */
const firstMs = 2_000;
const sweepMs = 10 * 60_000;
const retryMs = 15_000;

/** Completes what a process that died has left half done, and removes events whose time is over. */
export function eventRetention({ store, ledger, retentionMs, log }: EventRetentionContext): Component {
  return new RepeatedWork('event-retention', firstMs, async () => {
    const now = Date.now();
    try {
      await ledger.heal();
      await store.removeEnded(retentionMs === 0 ? 0 : now - retentionMs, now);
      return sweepMs;
    } catch (error) {
      log.warn({ error: String(error) }, 'The events could not be put in order; it is tried again.');
      return retryMs;
    }
  });
}
