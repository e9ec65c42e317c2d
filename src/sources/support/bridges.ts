import type { Duplex } from 'node:stream';
import { type Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Observable } from 'rxjs';
import { yieldToEventLoop } from '../../async/event-loop.js';
import type { ReadGate } from '../../model/component.js';

/** After an item that took longer in ms the bridge yields to the event loop. */
const longTurnMs = 5;

/**
 * The bridge from byte streams to observables: runs `input` through `chain` and emits what comes out, one item at a
 * time, while the gate is open. The next is read only then, so the pressure reaches the socket. Ends with the stream,
 * errors when the stream breaks, and destroys both when unsubscribed or aborted.
 */
export function fromBytes<T>(
  input: Readable | AsyncIterable<Uint8Array | readonly Uint8Array[]>,
  chain: Duplex,
  gate: ReadGate,
  aborted: AbortSignal,
): Observable<T> {
  return new Observable((subscriber) => {
    const unsubscribed = new AbortController();
    const pass = async (item: T): Promise<void> => {
      // The gate may have shut since the item was requested, and the first of those that wait may use up its credit.
      while (!gate.isOpen()) await gate.opened();
      const begun = performance.now();
      subscriber.next(item);
      const isLong = performance.now() - begun > longTurnMs;
      await gate.opened();
      // Yields to the event loop after long work.
      if (isLong) await yieldToEventLoop();
    };
    const end = new Writable({
      objectMode: true,
      highWaterMark: 1,
      write: (item: T, _encoding, done) => {
        pass(item).then(() => done(), done);
      },
    });
    pipeline(input, chain, end, { signal: AbortSignal.any([aborted, unsubscribed.signal]) }).then(
      () => subscriber.complete(),
      (error: unknown) => subscriber.error(error),
    );
    return () => unsubscribed.abort();
  });
}
