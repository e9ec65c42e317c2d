import { delivered } from '../../model/delivery.js';
import { deliveryOf } from '../../sinks/outcome.js';
import { untilAborted } from '../../sinks/until-aborted.js';
import type { RowBlocks, RowSink, RowText, RunSql, WriteBlocks, WriteLines } from '../model/ports.js';

/** Column blocks straight to the database, where blocks of several writers are committed together. */
export function blocksSink(write: WriteBlocks): RowSink<RowBlocks> {
  return untilDeadline(({ blocks, bytes }) => write(blocks, bytes));
}

/** Text of the schemaless formats through the service's own parsers, in this process. */
export function linesSink(write: WriteLines): RowSink<RowText> {
  return untilDeadline<RowText>(write);
}

/** INSERT statements through the SQL front-end or the HTTP service. */
export function sqlSink(run: RunSql): RowSink<RowText> {
  return untilDeadline(async ({ text, database }, signal) => {
    const result = await run(Buffer.from(text.buffer, text.byteOffset, text.byteLength), { database, signal });
    return delivered(result.kind === 'affected' ? result.rows : 0);
  });
}

function untilDeadline<R extends RowText | RowBlocks>(write: RowSink<R>['write']): RowSink<R> {
  return { write: (rows, deadline) => deliveryOf(untilAborted(write(rows, deadline), deadline)) };
}
