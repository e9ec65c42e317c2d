import { type Fault, fault } from './fault.js';

/** One row that was not taken, by its index in what the source handed over (a line number for text, from 0). */
export interface RowReject {
  readonly row: number;
  readonly fault: Fault;
  /** The row as it came, cut off where it is long; only formats with senders that are shown it have it. */
  readonly text?: string;
}

/**
 * How a batch ended.
 * - `delivered`: `rows` are stored; `rejectedRows` were bad, and `rejects` says why for the first of them.
 * - `shed`: never begun.
 * - `failed`: transient, the sender may try again.
 * - `rejected`: permanent, trying again is useless.
 */
export type Delivery =
  | {
      readonly outcome: 'delivered';
      readonly rows: number;
      readonly rejectedRows: number;
      readonly rejects: readonly RowReject[];
      /** The rest of the text was not read, because next to all of its rows were bad. */
      readonly isCut?: boolean;
      /** Of a group: the blocks that ended in another way, by their place; `rows` leave them out. */
      readonly apart?: ReadonlyMap<number, Delivery>;
    }
  | { readonly outcome: 'shed'; readonly reason: 'memory' | 'queue-full' | 'draining' }
  | { readonly outcome: 'failed'; readonly fault: Fault }
  | { readonly outcome: 'rejected'; readonly fault: Fault };

/** Rejected rows that are described one by one; the rest are only counted. */
const maxDescribedRejects = 100;

/** Bad rows of one text after which it is not read on, unless a tenth of the rows are good. */
const manyBadRows = 100_000;

/**
 * True once very many rows of a text were bad, and next to none were not: reading the rest would be work for nothing.
 */
export function isHopeless(rows: number, rejectedRows: number): boolean {
  return rejectedRows >= manyBadRows && rejectedRows > 10 * rows;
}

/** A delivery of `rows` stored rows, with the rejected ones where there are any. */
export function delivered(rows: number, rejectedRows = 0, rejects: readonly RowReject[] = []): Delivery {
  return { outcome: 'delivered', rows, rejectedRows, rejects };
}

/** The faults of what failed and may be tried again, each once. */
export function failuresOf(delivery: Delivery): ReadonlySet<Fault> {
  if (delivery.outcome === 'failed') return new Set([delivery.fault]);
  const parts = delivery.outcome === 'delivered' ? [...(delivery.apart?.values() ?? [])] : [];
  return new Set(parts.flatMap((part) => (part.outcome === 'failed' ? [part.fault] : [])));
}

/** Trying again is useful as long as one part may still pass, so what is permanent never hides what is transient. */
const severity = { delivered: 0, rejected: 1, shed: 2, failed: 3 } as const;

/** Joins the endings of the parts of one batch: the worst wins; rows and rejects of delivered parts add up. */
export function worstOf(a: Delivery, b: Delivery): Delivery {
  if (a.outcome === 'delivered' && b.outcome === 'delivered') {
    const rejects = [...a.rejects, ...b.rejects].slice(0, maxDescribedRejects);
    return { outcome: 'delivered', rows: a.rows + b.rows, rejectedRows: a.rejectedRows + b.rejectedRows, rejects };
  }
  return severity[b.outcome] > severity[a.outcome] ? b : a;
}

/** The reject of a bad row, with a note that the rest of the text was not read. */
export function cutOff({ row, fault: { kind, code, message } }: RowReject): RowReject {
  return { row, fault: fault(kind, code, `${message}; next to all rows are bad, so the rest was not read`) };
}
