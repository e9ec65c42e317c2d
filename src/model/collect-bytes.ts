import type { Readable } from 'node:stream';
import type { BodyLease } from './body-budget.js';
import { type Fault, FaultError } from './fault.js';

/** Room that a body of unknown length begins with, in bytes. */
export const firstBytes = 64 * 1024;

/** State of a body that is collected. */
interface Collecting {
  /** Its length, where that is known; `lease` holds room for it then, and otherwise for {@link firstBytes}. */
  readonly length: number | undefined;
  readonly maxBytes: number;
  readonly lease: BodyLease;
  readonly aborted: AbortSignal;
  /** Memory for it, where that is there already; at least its length. */
  readonly into?: Buffer;
  /**
   * Where a body is too long, or has not ended after so long, what was taken of it is put back into the stream, to be read on. Left
   * out, it has all the time, and is dropped where it is too long.
   */
  readonly patienceMs?: number;
}

/** The bytes; or it is longer than it may be or takes too long, broke off, or is refused. What is left of the stream is not read then. */
export type Collected = Buffer | 'too-long' | 'broken' | Fault;

/**
 * Collects a stream in one buffer. A known length is allocated once; an unknown one grows by doubling, each time with room of the budget, while the
 * stream waits. Never rejects, and never destroys the stream.
 */
export function collectBytes(stream: Readable, collecting: Collecting): Promise<Collected> {
  const { length, maxBytes, lease, aborted, into, patienceMs } = collecting;
  return new Promise((resolve) => {
    let buffer = into ?? Buffer.allocUnsafeSlow(Math.min(length ?? firstBytes, maxBytes));
    const most = length ?? maxBytes;
    let at = 0;
    let isOver = false;
    let isGrowing = false;
    let isOverdue = false;
    const timer = patienceMs === undefined ? undefined : setTimeout(() => overdue(), patienceMs);
    const finish = (result: Collected): void => {
      clearTimeout(timer);
      stream.off('data', take).off('end', end).off('error', cut).off('close', cut);
      isOver = true;
      lease.giveUp = undefined;
      lease.ended();
      resolve(result);
    };
    const putBack = (...chunks: Buffer[]): void => {
      stream.pause();
      finish('too-long');
      stream.unshift(Buffer.concat([buffer.subarray(0, at), ...chunks]));
    };
    const overdue = (): void => {
      isOverdue = true;
      if (!isGrowing) putBack();
    };
    const grow = async (chunk: Buffer): Promise<void> => {
      stream.pause();
      isGrowing = true;
      const size = Math.min(Math.max(2 * buffer.length, at + chunk.length), maxBytes);
      try {
        await lease.more(size - lease.bytes, aborted);
      } catch (error) {
        finish(error instanceof FaultError ? error.fault : 'broken');
        return;
      }
      isGrowing = false;
      // The reader is gone, and has given back what it knew of.
      if (isOver) return lease.release();
      if (isOverdue) return putBack(chunk);
      const larger = Buffer.allocUnsafeSlow(size);
      buffer.copy(larger, 0, 0, at);
      buffer = larger;
      take(chunk);
      stream.resume();
    };
    const take = (chunk: Buffer): void => {
      if (at + chunk.length > most) {
        if (timer === undefined) finish(length === undefined ? 'too-long' : 'broken');
        else putBack(chunk);
      } else if (at + chunk.length > buffer.length) void grow(chunk);
      else {
        at += chunk.copy(buffer, at);
        lease.received = at;
      }
    };
    const end = (): void => finish(length === undefined || at === length ? buffer.subarray(0, at) : 'broken');
    const cut = (): void => finish('broken');
    lease.giveUp = finish;
    lease.unread = () => stream.readableLength;
    if (stream.destroyed) return finish('broken');
    stream.on('data', take).once('end', end).once('error', cut).once('close', cut);
    stream.resume();
  });
}
