import type { OperatorFunction } from 'rxjs';
import { stage } from '../../async/stage.js';
import type { Batch, ByteBlock, RowSet, Target } from '../../model/batch.js';
import { type Delivery, delivered, type RowReject } from '../../model/delivery.js';
import { Codes, FaultError, fault } from '../../model/fault.js';
import type { MergedRows, ParsedPoints } from '../../transforms/points/parse-options.js';
import type { Definer } from './define.js';
import { cutsOf, eachAlone } from './runs.js';

/** Parses a payload of points; throws a FaultError that rejects the whole payload (an unknown database, say). */
interface Reader {
  read(payload: ByteBlock, target: Target): ParsedPoints;
}

/**
 * Payloads to the rows of their tables. Bad lines stay with the rows; a payload that cannot be read at all ends here,
 * and a defect of the parser costs this payload alone and not the pipeline.
 *
 * Merged payloads are read as one, and each sender gets the result of its own rows. Those that make a table that is not
 * `isDefined` yet come alone, so that none answers for another one's definitions. So do all of them where rows are
 * refused later, and the answers have waited for that.
 */
export function parse(
  reader: Reader,
  definer: Pick<Definer, 'isDefined'>,
): OperatorFunction<Batch<ByteBlock>, Batch<RowSet>> {
  return stage(({ next }) => ({
    take: (batch) => {
      const { merged } = batch.payload;
      if (merged === undefined) {
        const rows = parsed(batch, reader);
        if (rows !== undefined) next(rows);
        return;
      }
      const divide = (cuts: readonly number[]): void => {
        merged.divide(cuts, batch.target.reading);
        batch.settle(delivered(0));
      };
      const count = merged.ends.length;
      const points = readMerged(batch, reader);
      if (points === undefined) {
        divide(eachAlone(count));
        return;
      }
      const rejects = rejectsOf(points);
      const alone = aloneIn(points, rejects, definer);
      if (alone.size > 0) {
        divide(cutsOf(count, [], alone, () => 0));
        return;
      }
      const { rows: texts } = points.joined;
      merged.shares = texts.map(({ rows, rejectedRows }, text) => delivered(rows, rejectedRows, rejects[text]));
      const settle = (delivery: Delivery): void => {
        if (isRefused(delivery, points.rejectedRows)) divide(eachAlone(count));
        else batch.settle(delivery);
      };
      next(rowsOf(batch, points, settle));
    },
  }));
}

/**
 * True when more rows were refused for good than those. Rows that are stored by then are stored again, which changes
 * nothing.
 */
function isRefused(delivery: Delivery, rejectedRows: number): boolean {
  return delivery.outcome === 'rejected' || (delivery.outcome === 'delivered' && delivery.rejectedRows > rejectedRows);
}

/** Points of merged payloads. */
type MergedPoints = ParsedPoints & { readonly joined: MergedRows };

/** The rows of merged payloads; undefined when each of them must be read alone. */
function readMerged(batch: Batch<ByteBlock>, reader: Reader): MergedPoints | undefined {
  try {
    const points = reader.read(batch.payload, batch.target);
    const { joined, usesNow } = points;
    // Rows without a time have that of their own payload's arrival, and the log has one for all of them.
    return joined === undefined || joined.isTorn || usesNow ? undefined : { ...points, joined };
  } catch {
    // They are read one by one to find out which of them fails.
    return undefined;
  }
}

/** The described bad lines of each payload, with the index that they have in it. */
function rejectsOf({ joined: { rows: texts, rejectTexts }, rejects }: MergedPoints): readonly (readonly RowReject[])[] {
  if (rejects.length === 0) return [];
  const own: RowReject[][] = texts.map(() => []);
  for (const [at, reject] of rejects.entries()) {
    const text = rejectTexts[at]!;
    own[text]!.push({ ...reject, row: reject.row - texts[text]!.firstLine });
  }
  return own;
}

/** Payloads that must come alone: those that need a definition, and those whose bad lines are not all described. */
function aloneIn(
  { blocks, rejectedRows, joined: { texts, rows } }: MergedPoints,
  rejects: readonly (readonly RowReject[])[],
  definer: Pick<Definer, 'isDefined'>,
): ReadonlySet<number> {
  const alone = new Set<number>();
  for (const [at, block] of blocks.entries()) {
    if (!definer.isDefined(block)) for (const text of texts[at]!) alone.add(text);
  }
  if (rejectedRows === 0) return alone;
  for (const [text, own] of rows.entries()) if (own.rejectedRows > (rejects[text]?.length ?? 0)) alone.add(text);
  return alone;
}

function parsed(batch: Batch<ByteBlock>, reader: Reader): Batch<RowSet> | undefined {
  try {
    const points = reader.read(batch.payload, batch.target);
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
