import type { BlockGroup, ByteBlock, Payload } from '../../model/batch.js';
import type { Sink } from '../../model/component.js';
import { delivered } from '../../model/delivery.js';
import { deliveryOf } from '../../sinks/outcome.js';
import { untilAborted } from '../../sinks/until-aborted.js';
import type { RunSql, WriteBlocks, WriteLines } from '../model/ports.js';

/** Column blocks straight to the database, where blocks of several writers are committed together. */
export function blocksSink(write: WriteBlocks): Sink<BlockGroup> {
  return untilDeadline('blocks', ({ payload, bytes }) => write(payload.blocks, bytes));
}

/** Text of the schemaless formats through the service's own parsers, in this process. */
export function linesSink(write: WriteLines): Sink<ByteBlock> {
  return untilDeadline('lines', ({ payload: { format, bytes }, target: { database, precision } }) =>
    write({ database, format, precision, text: bytes }),
  );
}

/** INSERT statements, each a batch of bytes, through whatever runs statements: the SQL front-end or the HTTP service. */
export function sqlTextSink(run: RunSql): Sink<ByteBlock> {
  return untilDeadline('sql-text', async ({ payload, target: { database } }, signal) => {
    const { buffer, byteOffset, byteLength } = payload.bytes;
    const answer = await run(Buffer.from(buffer, byteOffset, byteLength), { database, signal });
    return delivered(answer.kind === 'affected' ? answer.rows : 0);
  });
}

function untilDeadline<P extends Payload>(name: string, write: Sink<P>['write']): Sink<P> {
  return { name, write: (batch, deadline) => deliveryOf(untilAborted(write(batch, deadline), deadline)) };
}
