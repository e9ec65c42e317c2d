import type { MonoTypeOperatorFunction } from 'rxjs';
import { stage } from '../../async/stage.js';
import {
  type Batch,
  type ByteBlock,
  batchFrom,
  type MergedPayloads,
  type Reading,
  targetAt,
} from '../../model/batch.js';
import { type Delivery, delivered } from '../../model/delivery.js';
import { Codes, fault } from '../../model/fault.js';
import { bringsTime, isSameTarget, maxMergedBytes, mayMerge, mergeLines } from './merging.js';

const nothing = delivered(0);
const ended: Delivery = { outcome: 'failed', fault: fault('resource', Codes.free, 'The service is about to end') };

/**
 * Merges the short payloads of an input that come in one turn of the event loop and have the same target: all stages
 * together cost little more with it than with one of them. The parser says which payloads these are. Where a stage
 * needs some of them alone, these come once more. `begun` is called when the first payload of a turn has come: what it
 * plans for the end of the turn is done when the turn has gone on.
 */
export function coalesce(begun: () => void = () => {}): MonoTypeOperatorFunction<Batch<ByteBlock>> {
  return stage((output) => {
    let isScheduled = false;
    let turn = new Turn();
    const emit = (batch: Batch<ByteBlock>): void => {
      // No later stage is there any more that would end it.
      if (output.closed) batch.settle(ended);
      else output.next(batch);
    };
    /** Passes payloads on as one, which may still be divided until it has ended. */
    const emitAsOne = (batches: readonly Batch<ByteBlock>[]): void => {
      const [first] = batches;
      if (first === undefined) return;
      if (batches.length === 1) {
        emit(first);
        return;
      }
      output.begin();
      emit(merged(batches, divide, output.end));
    };
    const divide: Divide = (batches, cuts) => {
      for (let part = 1; part < cuts.length; part++) emitAsOne(batches.slice(cuts[part - 1], cuts[part]));
    };
    const emitTurn = (): void => {
      const { batches } = turn;
      if (batches.length === 0) return;
      turn = new Turn();
      emitAsOne(batches);
    };
    const scheduled = (): void => {
      isScheduled = false;
      try {
        emitTurn();
      } catch (error) {
        output.fail(error);
      }
    };
    return {
      take: (batch) => {
        if (!mayWait(batch)) {
          emitTurn();
          emit(batch);
          return;
        }
        if (!turn.takes(batch)) emitTurn();
        turn.add(batch);
        if (isScheduled) return;
        isScheduled = true;
        setImmediate(scheduled);
        begun();
      },
      finish: emitTurn,
    };
  });
}

/** Payloads of one turn. */
class Turn {
  readonly batches: Batch<ByteBlock>[] = [];
  #bytes = 0;

  takes({ payload, target, bytes }: Batch<ByteBlock>): boolean {
    const [first] = this.batches;
    if (first === undefined) return true;
    if (this.#bytes + bytes > maxMergedBytes || payload.format !== first.payload.format) return false;
    return isSameTarget(first.target, target) && first.target.ack === target.ack;
  }

  add(batch: Batch<ByteBlock>): void {
    this.batches.push(batch);
    this.#bytes += batch.bytes;
  }
}

/** True for a payload that may be merged, and whose sender gets no more than the result of its rows. */
function mayWait({ payload, target }: Batch<ByteBlock>): boolean {
  if (target.ack === 'stored' || target.tally !== undefined || target.isWhole === true) return false;
  return mayMerge(payload) && bringsTime(payload);
}

/** Sends batches on in parts, as {@link MergedPayloads.divide} does. */
type Divide = (batches: readonly Batch<ByteBlock>[], cuts: readonly number[]) => void;

/** A batch that came at a time, which differs from that of the others: their rows must not replace each other. */
function arrivedAt(batch: Batch<ByteBlock>, { epoch, nowMicros }: Reading, place: number): Batch<ByteBlock> {
  return batchFrom(batch, targetAt(batch.target, { epoch, nowMicros: nowMicros + BigInt(place) }));
}

/** Batches as one. `ended` is called when it has ended. */
function merged(batches: readonly Batch<ByteBlock>[], divide: Divide, over: () => void): Batch<ByteBlock> {
  const { origin, target, payload } = batches[0]!;
  const { bytes, ends } = mergeLines(batches.map((batch) => batch.payload.bytes));
  let [rows, weight] = [0, 0];
  for (const batch of batches) {
    // Their lines are not always known.
    rows += Math.max(1, batch.rows);
    weight += batch.bytes;
  }
  let isDivided = false;
  const own: MergedPayloads = {
    ends,
    shares: undefined,
    divide: (cuts, arrived) => {
      isDivided = true;
      const dated = arrived === undefined ? batches : batches.map((batch, i) => arrivedAt(batch, arrived, i));
      divide(dated, cuts);
    },
  };
  const settle = (delivery: Delivery): void => {
    if (!isDivided) {
      const { shares } = own;
      const isShared = delivery.outcome === 'delivered' && shares !== undefined;
      for (const [place, batch] of batches.entries()) batch.settle(isShared ? (shares[place] ?? nothing) : delivery);
    }
    over();
  };
  const block = { kind: 'bytes', format: payload.format, bytes, part: undefined, merged: own } as const;
  return { origin, target, payload: block, rows, bytes: weight, settle };
}
