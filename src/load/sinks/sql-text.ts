import type { Batch, ByteBlock } from '../../model/batch.js';
import type { Sink } from '../../model/component.js';
import { type Delivery, delivered } from '../../model/delivery.js';
import { deliveryOf } from '../../sinks/outcome.js';
import { untilAborted } from '../../sinks/until-aborted.js';
import type { RunSql } from '../model/ports.js';

/** INSERT statements, each a batch of bytes, through whatever runs statements: the SQL front-end or the HTTP service. */
export class SqlTextSink implements Sink<ByteBlock> {
  readonly name = 'sql-text';
  readonly #run: RunSql;

  constructor(run: RunSql) {
    this.#run = run;
  }

  write(batch: Batch<ByteBlock>, deadline: AbortSignal): Promise<Delivery> {
    return deliveryOf(untilAborted(this.#write(batch, deadline), deadline));
  }

  async #write({ payload, target: { database } }: Batch<ByteBlock>, signal: AbortSignal): Promise<Delivery> {
    const { buffer, byteOffset, byteLength } = payload.bytes;
    const answer = await this.#run(Buffer.from(buffer, byteOffset, byteLength), { database, signal });
    return delivered(answer.kind === 'affected' ? answer.rows : 0);
  }
}
