import { concatMap, from, type OperatorFunction } from 'rxjs';
import { type Batch, type ByteBlock, splitBatch } from '../model/batch.js';
import type { ColumnBlock } from '../model/column-block.js';
import { delivered, type RowReject } from '../model/delivery.js';
import { Codes, FaultError, fault } from '../model/fault.js';

/** What a parser makes of a block of text: column blocks of one table each, and the lines that were bad. */
export interface Parsed {
  readonly blocks: readonly ColumnBlock[];
  readonly rejectedRows: number;
  readonly rejects: readonly RowReject[];
}

/**
 * Lifts a parser into an operator: one batch of text in, one batch a table out. Bad lines are reported in the ending of
 * the text batch; a FaultError (an unknown database, say) rejects the whole text.
 */
export function parseWith(
  parse: (batch: Batch<ByteBlock>) => Parsed,
): OperatorFunction<Batch<ByteBlock>, Batch<ColumnBlock>> {
  return concatMap((batch) => from(parseBatch(batch, parse)));
}

function parseBatch(batch: Batch<ByteBlock>, parse: (batch: Batch<ByteBlock>) => Parsed): Batch<ColumnBlock>[] {
  let parsed: Parsed;
  try {
    parsed = parse(batch);
  } catch (error) {
    // Anything but a FaultError is a defect of the parser; it must cost this text alone and not the pipeline.
    if (error instanceof FaultError) batch.settle({ outcome: 'rejected', fault: error.fault });
    else
      batch.settle({ outcome: 'failed', fault: fault('database', Codes.free, 'The text could not be parsed', error) });
    return [];
  }
  const rows = parsed.blocks.reduce((sum, block) => sum + block.rows, 0);
  const parts = parsed.blocks.map((payload) => ({
    payload,
    rows: payload.rows,
    bytes: Math.ceil((batch.bytes * payload.rows) / rows),
  }));
  return splitBatch(batch, parts, delivered(0, parsed.rejectedRows, parsed.rejects));
}
