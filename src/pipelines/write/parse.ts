import { filter, map, type OperatorFunction } from 'rxjs';
import type { Batch, ByteBlock, RowSet } from '../../model/batch.js';
import { Codes, FaultError, fault } from '../../model/fault.js';
import type { ParsedPoints } from '../../transforms/parse/parse-options.js';

/** Reads a text of points; throws a FaultError that rejects the whole text (an unknown database, say). */
export type ParsePoints = (batch: Batch<ByteBlock>) => ParsedPoints;

/**
 * Text to the rows of its tables. Bad lines stay with the rows; a text that cannot be read at all ends here, and a defect of
 * the parser costs this text alone and not the pipeline.
 */
export function parse(read: ParsePoints): OperatorFunction<Batch<ByteBlock>, Batch<RowSet>> {
  return (source) =>
    source.pipe(
      map((batch) => parsed(batch, read)),
      filter((batch) => batch !== undefined),
    );
}

function parsed(batch: Batch<ByteBlock>, read: ParsePoints): Batch<RowSet> | undefined {
  const { format, bytes, part } = batch.payload;
  try {
    const { blocks, rejectedRows, rejects } = read(batch);
    const rows = blocks.reduce((sum, block) => sum + block.rows, 0);
    return { ...batch, payload: { kind: 'rows', blocks, text: { format, bytes, part }, rejectedRows, rejects }, rows };
  } catch (error) {
    if (error instanceof FaultError) batch.settle({ outcome: 'rejected', fault: error.fault });
    else {
      const found = fault('database', Codes.free, 'The text could not be parsed', error);
      batch.settle({ outcome: 'failed', fault: found });
    }
    return undefined;
  }
}
