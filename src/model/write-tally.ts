import type { Delivery } from './delivery.js';

/**
 * Rows of one message that are no samples or points; counted as its parts are parsed, and true once all of it is
 * stored.
 */
export interface WriteTally {
  histograms: number;
  exemplars: number;
  metadata: number;
}

/** The tally of a message that was not parsed yet. */
export function newTally(): WriteTally {
  return { histograms: 0, exemplars: 0, metadata: 0 };
}

/** A delivery as its sender counts rows: without metadata, which is about them. */
export function withoutMetadata(delivery: Delivery, tally: WriteTally | undefined): Delivery {
  if (delivery.outcome !== 'delivered' || tally === undefined || tally.metadata === 0) return delivery;
  return { ...delivery, rows: Math.max(0, delivery.rows - tally.metadata) };
}
