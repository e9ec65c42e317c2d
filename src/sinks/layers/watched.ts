import type { Payload } from '../../model/batch.js';
import type { Sink } from '../../model/component.js';

/**
 * A sink whose payloads are shown to `watch` once they are stored, before their senders are told: what was answered was
 * seen. `watch` must not throw and is done when it returns.
 */
export function watched<P extends Payload>(next: Sink<P>, watch: (payload: P) => void): Sink<P> {
  return {
    name: next.name,
    start: () => next.start(),
    drain: (deadline) => next.drain(deadline),
    stop: () => next.stop(),
    write: async (batch, deadline) => {
      const delivery = await next.write(batch, deadline);
      if (delivery.outcome === 'delivered') watch(batch.payload);
      return delivery;
    },
  };
}
