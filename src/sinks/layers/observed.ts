import type { Payload } from '../../model/batch.js';
import type { Sink, WriteMeter } from '../../model/component.js';
import { wrapped } from './wrapped.js';

/** A sink whose writes are measured: rows, seconds and how each ended, once a write. */
export function observed<P extends Payload>(next: Sink<P>, meter: WriteMeter): Sink<P> {
  return wrapped(next, async (batch, deadline) => {
    const begun = performance.now();
    const delivery = await next.write(batch, deadline);
    meter.wrote(delivery.outcome, batch.rows, (performance.now() - begun) / 1000);
    return delivery;
  });
}
