import { map } from 'rxjs';
import type { Batch, ByteBlock } from '../../../src/model/batch.js';
import type { Source } from '../../../src/model/component.js';
import { type Delivery, worstOf } from '../../../src/model/delivery.js';

/** Far more than anything takes, also on a busy machine. */
const patienceMs = 60_000;

/** A source whose senders are never answered, with what they would be told. */
export interface Overheard {
  readonly source: Source<ByteBlock>;
  /** Forgets what was settled so far. */
  begin(): void;
  /** Waits until `bytes` bytes of payload are settled since `begin`; undefined when they are not within a minute. */
  ending(bytes: number): Promise<Delivery | undefined>;
}

/** Listens in on how the batches of a source end. */
export function overheard(source: Source<ByteBlock>): Overheard {
  let settledBytes = 0;
  let worst: Delivery | undefined;
  let woken = (): void => {};
  const listened = (batch: Batch<ByteBlock>): Batch<ByteBlock> => ({
    ...batch,
    settle: (delivery) => {
      batch.settle(delivery);
      settledBytes += batch.payload.bytes.length;
      worst = worst === undefined ? delivery : worstOf(worst, delivery);
      woken();
    },
  });
  return {
    source: {
      name: source.name,
      batches$: source.batches$.pipe(map(listened)),
      start: async () => source.start?.(),
      drain: () => source.drain(),
      stop: () => source.stop(),
    },
    begin: () => {
      settledBytes = 0;
      worst = undefined;
    },
    ending: (bytes) =>
      new Promise((resolve) => {
        const timer = setTimeout(() => resolve(undefined), patienceMs).unref();
        woken = () => {
          if (settledBytes < bytes) return;
          clearTimeout(timer);
          resolve(worst);
        };
        woken();
      }),
  };
}
