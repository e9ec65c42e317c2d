import type { Payload } from '../../model/batch.js';
import type { Sink } from '../../model/component.js';

/** A layer over a sink: `write` takes the place of the sink's own, and everything else is handed on to it. */
export function wrapped<P extends Payload>(next: Sink<P>, write: Sink<P>['write']): Sink<P> {
  return {
    name: next.name,
    start: async () => next.start?.(),
    drain: async (deadline) => next.drain?.(deadline),
    stop: async () => next.stop?.(),
    write,
  };
}
