import { Subject } from 'rxjs';
import type { WriteMeter } from '../../model/component.js';

/** A condition or event of the service itself. */
export type Signal =
  /** A target was scraped; `problem` is why it did not answer. */
  | { readonly kind: 'target'; readonly address: string; readonly problem: string | undefined }
  /** Writes of an input were rejected or shed. */
  | { readonly kind: 'refused'; readonly input: string }
  /** Acknowledged rows of a table were rejected by the database and are in the file of rejected rows. */
  | { readonly kind: 'rejected'; readonly table: string; readonly problem: string }
  /** A group of rows was written, or not. */
  | { readonly kind: 'wrote'; readonly isStored: boolean };

/** Channel for the signals of all parts of the service; there may be no listener. */
export class ServiceSignals {
  readonly signals$ = new Subject<Signal>();
  /** Addresses that are scraped. */
  readonly targets = new Set<string>();
  /** Counts of shed writes since the start, by input, for inputs that only count them. */
  readonly shed = new Map<string, () => number>();

  /** Wraps a meter: failed and shed writes also become signals. */
  metering(meter: WriteMeter): WriteMeter {
    return {
      received: (input, bytes) => meter.received(input, bytes),
      settled: (input, outcome, rows) => {
        meter.settled(input, outcome, rows);
        if (outcome === 'shed') this.signals$.next({ kind: 'refused', input });
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
