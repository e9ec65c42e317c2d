import type { Batch, BlockGroup } from '../../model/batch.js';
import type { Sink } from '../../model/component.js';
import type { Delivery } from '../../model/delivery.js';
import { deliveryOf } from '../../sinks/outcome.js';
import { untilAborted } from '../../sinks/until-aborted.js';
import type { WriteBlocks } from '../model/ports.js';

/** Column blocks straight to the database, where blocks of several writers are committed together. */
export class BlocksSink implements Sink<BlockGroup> {
  readonly name = 'blocks';
  readonly #write: WriteBlocks;

  constructor(write: WriteBlocks) {
    this.#write = write;
  }

  write({ payload, bytes }: Batch<BlockGroup>, deadline: AbortSignal): Promise<Delivery> {
    return deliveryOf(untilAborted(this.#write(payload.blocks, bytes), deadline));
  }
}
