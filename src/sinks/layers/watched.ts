import type { BlockGroup } from '../../model/batch.js';
import type { Sink } from '../../model/component.js';
import { wrapped } from './wrapped.js';

/**
 * A sink whose blocks are shown to `watch` once they are stored, before their senders are told: what was answered was
 * seen. `watch` must not throw and is done when it returns.
 */
export function watched(next: Sink<BlockGroup>, watch: (group: BlockGroup) => void): Sink<BlockGroup> {
  return wrapped(next, async (batch, deadline) => {
    const delivery = await next.write(batch, deadline);
    if (delivery.outcome !== 'delivered') return delivery;
    const { apart } = delivery;
    const { blocks } = batch.payload;
    watch({ kind: 'group', blocks: apart === undefined ? blocks : blocks.filter((_, place) => !apart.has(place)) });
    return delivery;
  });
}
