import { type MonoTypeOperatorFunction, Observable } from 'rxjs';
import { backslash, quote } from '../../bytes/ascii.js';
import { type Batch, type ByteBlock, batchFrom, type Reading, type TextTurn, targetAt } from '../../model/batch.js';
import { type Delivery, delivered } from '../../model/delivery.js';
import { Codes, fault } from '../../model/fault.js';
import { guarded } from '../guarded.js';
import { joinLines, lineFormats, maxJoinedBytes, maxTextBytes } from './joined.js';

/** Texts that go on one by one after some could not be read as one. */
const textsApart = 256;
const nothing = delivered(0);
const ended: Delivery = { outcome: 'failed', fault: fault('resource', Codes.free, 'The service is about to end') };

/**
 * Makes one text of short ones of a door that come in one turn of the event loop and go to the same place: all stages together cost little more
 * with it than with one of them. Where it turns out that they cannot be read as one, each of them comes once more, alone.
 * `begun` is told when the first text of a turn has come: what it plans for the end of the turn is done when the turn has gone on.
 */
export function gather(begun: () => void = () => {}): MonoTypeOperatorFunction<Batch<ByteBlock>> {
  return (source) =>
    new Observable((subscriber) => {
      let [isScheduled, isOver] = [false, false];
      let apart = 0;
      /** Batches of several texts that have not ended, and may still be divided. */
      let open = 0;
      let turn = new Turn();
      const emit = guarded(subscriber, (batch: Batch<ByteBlock>) => {
        // No later stage is there any more that would end it.
        if (subscriber.closed) batch.settle(ended);
        else subscriber.next(batch);
      });
      const leave = (): void => {
        if (isOver && open === 0) subscriber.complete();
      };
      const emitAll = (): void => {
        const { texts } = turn;
        if (texts.length === 0) return;
        turn = new Turn();
        if (texts.length === 1) {
          emit(texts[0]!);
          return;
        }
        open++;
        emit(joined(texts, divide, over));
      };
      const divide: Divide = (texts, arrived) => {
        apart = textsApart;
        for (const [place, text] of texts.entries())
          emit(arrived === undefined ? text : arrivedAt(text, arrived, place));
      };
      const over = (): void => {
        open--;
        leave();
      };
      const scheduled = (): void => {
        isScheduled = false;
        emitAll();
      };
      return source.subscribe({
        next: (batch) => {
          if (apart > 0 || !mayBeJoined(batch)) {
            apart = Math.max(0, apart - 1);
            emitAll();
            emit(batch);
            return;
          }
          if (!turn.takes(batch)) emitAll();
          turn.add(batch);
          if (isScheduled) return;
          isScheduled = true;
          setImmediate(scheduled);
          begun();
        },
        error: (error) => subscriber.error(error),
        complete: () => {
          emitAll();
          isOver = true;
          leave();
        },
      });
    });
}

/** Texts of one turn. */
class Turn {
  readonly texts: Batch<ByteBlock>[] = [];
  #bytes = 0;

  takes(batch: Batch<ByteBlock>): boolean {
    const [first] = this.texts;
    return first === undefined || (this.#bytes + batch.bytes <= maxJoinedBytes && isAlike(first, batch));
  }

  add(batch: Batch<ByteBlock>): void {
    this.texts.push(batch);
    this.#bytes += batch.bytes;
  }
}

/** A string may hold line breaks, so that one without an end could end in the next text. */
function mayBeJoined({ payload, target, bytes: length }: Batch<ByteBlock>): boolean {
  const { format, bytes, part } = payload;
  if (length > maxTextBytes || !lineFormats.has(format) || target.ack === 'stored' || target.tally !== undefined)
    return false;
  if (target.isWhole === true) return false;
  if (part !== undefined && !(part.first && part.last)) return false;
  return bytes.at(-1) !== backslash && !bytes.includes(quote);
}

function isAlike({ payload, target: a }: Batch<ByteBlock>, { payload: next, target: b }: Batch<ByteBlock>): boolean {
  if (payload.format !== next.format || a.database !== b.database || a.user !== b.user) return false;
  return a.precision === b.precision && a.ttl === b.ttl && a.createDatabase === b.createDatabase && a.ack === b.ack;
}

/** Has texts come alone that came at a time. */
type Divide = (texts: readonly Batch<ByteBlock>[], arrived: Reading | undefined) => void;

/** A text of a turn with its time of arrival, which differs from that of the others: their rows must not replace each other. */
function arrivedAt(text: Batch<ByteBlock>, { epoch, nowMicros }: Reading, place: number): Batch<ByteBlock> {
  return batchFrom(text, targetAt(text.target, { epoch, nowMicros: nowMicros + BigInt(place) }));
}

/**
 * Texts as one. Its rows are told to the first sender alone: none of those formats is told how many rows are stored. `divide` has each of them come
 * alone, and `over` is called when it has ended.
 */
function joined(texts: readonly Batch<ByteBlock>[], divide: Divide, over: () => void): Batch<ByteBlock> {
  const { origin, target, payload } = texts[0]!;
  const { bytes } = joinLines(texts.map(({ payload: text }) => text.bytes));
  let [rows, weight] = [0, 0];
  for (const text of texts) {
    // Their lines are not always known.
    rows += Math.max(1, text.rows);
    weight += text.bytes;
  }
  let isDivided = false;
  const turn: TextTurn = {
    divide: (arrived) => {
      isDivided = true;
      divide(texts, arrived);
    },
  };
  const tell = (delivery: Delivery): void => {
    let told = delivery;
    for (const text of texts) {
      text.settle(told);
      if (told.outcome === 'delivered') told = nothing;
    }
  };
  const settle = (delivery: Delivery): void => {
    if (!isDivided) tell(delivery);
    over();
  };
  const block = { kind: 'bytes', format: payload.format, bytes, part: undefined, turn } as const;
  return { origin, target, payload: block, rows, bytes: weight, settle };
}
