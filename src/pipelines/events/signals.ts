import { Subject } from 'rxjs';
import type { WriteMeter } from '../../model/component.js';

/** Something that the service noticed about itself. */
export type Signal =
  /** A target was asked; `problem` is why it did not answer. */
  | { readonly kind: 'target'; readonly address: string; readonly problem: string | undefined }
  /** Writes of a door were turned away, or shed. */
  | { readonly kind: 'refused'; readonly door: string }
  /** Rows of a table that were answered are in the file of rejected rows, for a reason. */
  | { readonly kind: 'rejected'; readonly table: string; readonly problem: string }
  /** A group of rows was written, or not. */
  | { readonly kind: 'wrote'; readonly isStored: boolean };

/** Where the parts of the service tell what they notice; there may be no listener. */
export class ServiceSignals {
  readonly signals$ = new Subject<Signal>();
  /** Addresses that are asked for data. */
  readonly targets = new Set<string>();
  /** Counts of shed writes since the start, by door, for doors that only count them. */
  readonly shed = new Map<string, () => number>();

  /** The meter, and what it is told about writes that fail or are shed. */
  metering(meter: WriteMeter): WriteMeter {
    return {
      received: (door, bytes) => meter.received(door, bytes),
      settled: (door, outcome, rows) => {
        meter.settled(door, outcome, rows);
        if (outcome === 'shed') this.signals$.next({ kind: 'refused', door });
      },
      leftOut: (format, count) => meter.leftOut(format, count),
      wrote: (outcome, rows, seconds) => {
        meter.wrote(outcome, rows, seconds);
        if (outcome === 'delivered' || outcome === 'failed') {
          this.signals$.next({ kind: 'wrote', isStored: outcome === 'delivered' });
        }
      },
    };
  }
}
