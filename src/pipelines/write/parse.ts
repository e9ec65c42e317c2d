import type { OperatorFunction } from 'rxjs';
import { stage } from '../../async/stage.js';
import type { Batch, ByteBlock, RowSet } from '../../model/batch.js';
import type { ColumnBlock } from '../../model/column-block.js';
import { type Delivery, delivered } from '../../model/delivery.js';
import { Codes, FaultError, fault } from '../../model/fault.js';
import type { ParsedPoints } from '../../transforms/points/parse-options.js';

/** Reads a text of points; throws a FaultError that rejects the whole text (an unknown database, say). */
type ParsePoints = (batch: Batch<ByteBlock>) => ParsedPoints;

/**
 * Text to the rows of its tables. Bad lines stay with the rows; a text that cannot be read at all ends here, and a defect of
 * the parser costs this text alone and not the pipeline.
 *
 * The texts of a turn are read as one as long as all of it is good and its tables are `isDefined`: otherwise each of them comes alone, so
 * that nobody answers for another one's lines. So they do where rows are refused later, and the answers have waited for that.
 */
export function parse(
  read: ParsePoints,
  isDefined: (block: ColumnBlock) => boolean,
): OperatorFunction<Batch<ByteBlock>, Batch<RowSet>> {
  return stage(({ next }) => ({
    take: (batch) => {
      const { turn } = batch.payload;
      if (turn === undefined) {
        const rows = parsed(batch, read);
        if (rows !== undefined) next(rows);
        return;
      }
      const divide = (): void => {
        turn.divide(batch.target.reading);
        batch.settle(delivered(0));
      };
      const settle = (delivery: Delivery): void => (isRefused(delivery) ? divide() : batch.settle(delivery));
      const rows = parsedTogether(batch, read, isDefined, settle);
      if (rows === undefined) divide();
      else next(rows);
    },
  }));
}

/** True when some rows were refused for good. Those of the others that are stored by then are written once more, which changes nothing. */
function isRefused(delivery: Delivery): boolean {
  return delivery.outcome === 'rejected' || (delivery.outcome === 'delivered' && delivery.rejectedRows > 0);
}

/** The rows of several texts; undefined when one of them must be looked at by itself. */
function parsedTogether(
  batch: Batch<ByteBlock>,
  read: ParsePoints,
  isDefined: (block: ColumnBlock) => boolean,
  settle: Batch['settle'],
): Batch<RowSet> | undefined {
  try {
    const points = read(batch);
    // Rows without a time have that of their own text's arrival.
    if (points.rejectedRows > 0 || points.usesNow || !points.blocks.every(isDefined)) return undefined;
    return rowsOf(batch, points, settle);
  } catch {
    // Whose fault it is is found out when they are read one by one.
    return undefined;
  }
}

function parsed(batch: Batch<ByteBlock>, read: ParsePoints): Batch<RowSet> | undefined {
  try {
    const points = read(batch);
    const { rows, rejectedRows, rejects } = points;
    if (rejectedRows === 0 || batch.target.isWhole !== true) return rowsOf(batch, points);
    batch.settle(delivered(0, rows + rejectedRows, rejects));
    return undefined;
  } catch (error) {
    if (error instanceof FaultError) batch.settle({ outcome: 'rejected', fault: error.fault });
    else {
      const failure = fault('database', Codes.free, 'The text could not be parsed', error);
      batch.settle({ outcome: 'failed', fault: failure });
    }
    return undefined;
  }
}

function rowsOf(
  batch: Batch<ByteBlock>,
  { blocks, rows, rejectedRows, rejects }: ParsedPoints,
  settle: Batch['settle'] = (delivery) => batch.settle(delivery),
): Batch<RowSet> {
  const { origin, target, payload, bytes } = batch;
  const text = { format: payload.format, bytes: payload.bytes, part: payload.part };
  return {
    origin,
    target,
    payload: { kind: 'rows', blocks, text, rejectedRows, rejects },
    rows,
    bytes,
    settle,
  };
}
