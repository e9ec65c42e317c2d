import type { MonoTypeOperatorFunction } from 'rxjs';
import type { Batch, ByteBlock } from '../../model/batch.js';
import type { Source } from '../../model/component.js';

/** The same source, whose batches pass an operator. */
export function through(
  source: Source<ByteBlock>,
  operator: MonoTypeOperatorFunction<Batch<ByteBlock>>,
): Source<ByteBlock> {
  return {
    name: source.name,
    batches$: source.batches$.pipe(operator),
    start: async () => source.start?.(),
    drain: () => source.drain(),
    stop: () => source.stop(),
  };
}
