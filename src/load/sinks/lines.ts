import type { Batch, ByteBlock } from '../../model/batch.js';
import type { Sink } from '../../model/component.js';
import type { Delivery } from '../../model/delivery.js';
import { deliveryOf } from '../../sinks/outcome.js';
import { untilAborted } from '../../sinks/until-aborted.js';
import type { WriteLines } from '../model/ports.js';

/** Text of the schemaless formats through the service's own parsers, in this process. */
export class LinesSink implements Sink<ByteBlock> {
  readonly name = 'lines';
  readonly #write: WriteLines;

  constructor(write: WriteLines) {
    this.#write = write;
  }

  write({ payload, target }: Batch<ByteBlock>, deadline: AbortSignal): Promise<Delivery> {
    const { format, bytes } = payload;
    const { database, precision } = target;
    return deliveryOf(untilAborted(this.#write({ database, format, precision, text: bytes }), deadline));
  }
}
