import type { BlockGroup, Payload } from '../model/batch.js';
import type { Sink, WriteMeter } from '../model/component.js';

/** A sink whose writes are measured: rows, seconds and how each ended, once a write. */
export function observed<P extends Payload>(next: Sink<P>, meter: WriteMeter): Sink<P> {
  return {
    write: async (batch, deadline) => {
      const begun = performance.now();
      const delivery = await next.write(batch, deadline);
      meter.wrote(delivery.outcome, batch.rows, (performance.now() - begun) / 1000);
      return delivery;
    },
  };
}

/**
 * A sink whose blocks are shown to `watch` once they are stored, before they are acknowledged: what was answered was
 * seen. `watch` must not throw and is done when it returns.
 */
export function watched(next: Sink<BlockGroup>, watch: (group: BlockGroup) => void): Sink<BlockGroup> {
  return {
    write: async (batch, deadline) => {
      const delivery = await next.write(batch, deadline);
      if (delivery.outcome !== 'delivered') return delivery;
      const { apart } = delivery;
      const { blocks } = batch.payload;
      watch({ kind: 'group', blocks: apart === undefined ? blocks : blocks.filter((_, place) => !apart.has(place)) });
      return delivery;
    },
  };
}
