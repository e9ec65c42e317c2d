import type { Duplex } from 'node:stream';
import { type Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Observable } from 'rxjs';
import { othersTurn } from '../../async/others-turn.js';
import type { CreditGate } from '../../model/component.js';

/** An item that took longer in ms is followed by a turn of the event loop. */
const longTurnMs = 5;

/**
 * The bridge from byte streams to observables: runs `input` through `chain` and emits what comes out, one item at a
 * time; the next is asked for only when the gate is open, so the pressure reaches the socket. Ends with the stream,
 * errors when the stream breaks, and destroys both when unsubscribed or aborted.
 */
export function fromBytes<T>(
  input: Readable | AsyncIterable<Uint8Array | readonly Uint8Array[]>,
  chain: Duplex,
  gate: CreditGate,
  aborted: AbortSignal,
): Observable<T> {
  return new Observable((subscriber) => {
    const unsubscribed = new AbortController();
    const end = new Writable({
      objectMode: true,
      highWaterMark: 1,
      write(item: T, _encoding, done) {
        const begun = performance.now();
        subscriber.next(item);
        const isLong = performance.now() - begun > longTurnMs;
        // After long work others have their turn.
        gate.opened().then(() => (isLong ? othersTurn().then(() => done()) : done()), done);
      },
    });
    pipeline(input, chain, end, { signal: AbortSignal.any([aborted, unsubscribed.signal]) }).then(
      () => subscriber.complete(),
      (error: unknown) => subscriber.error(error),
    );
    return () => unsubscribed.abort();
  });
}
