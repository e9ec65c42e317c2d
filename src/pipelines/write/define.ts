import type { MonoTypeOperatorFunction, Subject } from 'rxjs';
import { yieldToEventLoop } from '../../async/event-loop.js';
import { Slice } from '../../async/slice.js';
import { stage } from '../../async/stage.js';
import type { Batch, ByteBlock, RowSet } from '../../model/batch.js';
import type { ColumnBlock } from '../../model/column-block.js';
import type { Delivery } from '../../model/delivery.js';
import { expectedFault, type Fault, isTransient } from '../../model/fault.js';

/** How rows find their tables. */
export interface Definer {
  /** True when the table of a block has every column and tag of it, or need not: rows of statements have theirs. */
  isDefined(block: ColumnBlock): boolean;
  /** Makes or grows the table of a block; throws a FaultError. */
  define(block: ColumnBlock): Promise<void>;
}

/** How long an answer waits for definitions; a database that is away or slow makes them when the rows are written. */
const maxWaitMs = 10_000;
/** How often a payload is read again where others have changed its tables meanwhile. */
const mostReadings = 3;

/**
 * Makes the tables and columns that arriving rows need, before they are answered: so a type that does not fit is
 * refused at once. Where the database is away, the rows go on and it is done when they are written.
 */
export function define(definer: Definer, again$: Subject<Batch<ByteBlock>>): MonoTypeOperatorFunction<Batch<RowSet>> {
  return stage(({ next, work }) => {
    /** How often payloads were read again, by their bytes. */
    const readings = new WeakMap<Uint8Array, number>();
    const reread = (batch: Batch<RowSet>): boolean => {
      const { text } = batch.payload;
      // A payload with a time of its own is a statement.
      if (text === undefined || text.nowNs !== undefined || !again$.observed) return false;
      const { format, bytes, part } = text;
      const count = readings.get(bytes) ?? 0;
      if (count === mostReadings) return false;
      readings.set(bytes, count + 1);
      // The first reading has counted its rows by kind.
      const target = { ...batch.target, tally: undefined };
      again$.next({ ...batch, target, payload: { kind: 'bytes', format, bytes, part } });
      return true;
    };
    const make = async (batch: Batch<RowSet>): Promise<void> => {
      const rest = await defined(batch, definer, reread);
      if (rest !== undefined) next(rest);
    };
    return {
      take: (batch) => {
        const { text, blocks } = batch.payload;
        // Rows without a payload are acknowledged once they are stored, which makes their tables, too.
        if (text === undefined || blocks.every((block) => definer.isDefined(block))) next(batch);
        else work(make(batch));
      },
    };
  });
}

/**
 * The rows whose tables there are, or may be made later; undefined when none are left. The ending of the others is
 * kept. Where payloads that are read at the same time need columns that do not fit together, `reread` reads the payload
 * again, which then loses single rows and not all of a table.
 */
async function defined(
  batch: Batch<RowSet>,
  definer: Definer,
  reread: (batch: Batch<RowSet>) => boolean,
): Promise<Batch<RowSet> | undefined> {
  const refused = new Map<ColumnBlock, Fault>();
  const definitions: Promise<void>[] = [];
  const make = async (block: ColumnBlock): Promise<void> => {
    try {
      await definer.define(block);
    } catch (error) {
      const fault = expectedFault(error);
      if (!isTransient(fault)) refused.set(block, fault);
    }
  };
  const slice = new Slice();
  for (const block of batch.payload.blocks) {
    if (slice.isOver()) await slice.next();
    if (!definer.isDefined(block)) definitions.push(make(block));
  }
  await within(Promise.all(definitions));
  const [first] = refused.values();
  if (first === undefined) return batch;
  if (reread(batch)) return undefined;
  const ending: Delivery = { outcome: 'rejected', fault: first };
  const blocks = batch.payload.blocks.filter((block) => !refused.has(block));
  if (blocks.length === 0 || batch.target.isWhole === true) {
    batch.settle(ending);
    return undefined;
  }
  const rows = blocks.reduce((sum, block) => sum + block.rows, 0);
  const settle = (delivery: Delivery): void => batch.settle(delivery.outcome === 'delivered' ? ending : delivery);
  return { ...batch, payload: { ...batch.payload, blocks }, rows, settle };
}

/** Waits for definitions, unless they take too long. */
async function within(definitions: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<'late'>((resolve) => {
    timer = setTimeout(() => resolve('late'), maxWaitMs);
  });
  try {
    // Batches with thousands of tables that came together are late together.
    if ((await Promise.race([definitions, late])) === 'late') await yieldToEventLoop();
  } finally {
    clearTimeout(timer);
  }
}
