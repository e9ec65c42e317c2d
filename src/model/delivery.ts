import type { Fault } from './fault.js';

/** One row that was not taken, by its index in what the source handed over (a line number for text, from 0). */
export interface RowReject {
  readonly row: number;
  readonly fault: Fault;
}

/**
 * How a batch ended.
 * - `delivered`: `rows` are stored; `rejects` are the rows that were bad.
 * - `shed`: never begun.
 * - `failed`: transient, the sender may try again.
 * - `rejected`: permanent, trying again is useless.
 */
export type Delivery =
  | { readonly outcome: 'delivered'; readonly rows: number; readonly rejects: readonly RowReject[] }
  | { readonly outcome: 'shed'; readonly reason: 'memory' | 'queue-full' | 'draining' }
  | { readonly outcome: 'failed'; readonly fault: Fault }
  | { readonly outcome: 'rejected'; readonly fault: Fault };

const severity = { delivered: 0, shed: 1, failed: 2, rejected: 3 } as const;

/** Joins the endings of the parts of one batch: the worst wins; rows and rejects of delivered parts add up. */
export function worstOf(a: Delivery, b: Delivery): Delivery {
  if (a.outcome === 'delivered' && b.outcome === 'delivered') {
    return { outcome: 'delivered', rows: a.rows + b.rows, rejects: [...a.rejects, ...b.rejects] };
  }
  return severity[b.outcome] > severity[a.outcome] ? b : a;
}
