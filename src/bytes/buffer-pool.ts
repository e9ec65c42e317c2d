/**
 * Large buffers that are used again. A fresh buffer of some hundred kilobytes costs page faults and, through the memory
 * it makes the collector account for, whole collections; at full write speed that was a third of the adapter's time.
 */
export class BufferPool {
  readonly #free: Buffer[] = [];
  readonly #maxBytes: number;
  #bytes = 0;

  /** Keeps free buffers of at most `maxBytes` bytes together. */
  constructor(maxBytes = 32 * 1024 * 1024) {
    this.#maxBytes = maxBytes;
  }

  /** A buffer of at least `bytes` bytes with any content; cut to length by the caller, given back whole. */
  take(bytes: number): Buffer {
    const at = this.#free.findIndex((buffer) => buffer.length >= bytes);
    if (at >= 0) {
      const [buffer] = this.#free.splice(at, 1);
      this.#bytes -= buffer!.length;
      return buffer!;
    }
    let size = 4096;
    while (size < bytes) size *= 2;
    return Buffer.allocUnsafeSlow(size > this.#maxBytes ? bytes : size);
  }

  /** Returns a buffer to the pool; no reference to it or to a part of it may remain. */
  give(buffer: Buffer): void {
    if (this.#bytes + buffer.length > this.#maxBytes) return;
    this.#free.push(buffer);
    this.#bytes += buffer.length;
  }

  /**
   * Calls with bytes; where they come in pieces, with all of them in a buffer, which is kept once the call has
   * succeeded: one that broke off may still hold on to it.
   */
  async joined(data: Uint8Array | readonly Uint8Array[], use: (bytes: Uint8Array) => Promise<unknown>): Promise<void> {
    if (data instanceof Uint8Array) {
      await use(data);
      return;
    }
    const length = data.reduce((sum, piece) => sum + piece.length, 0);
    const buffer = this.take(length);
    let at = 0;
    for (const piece of data) {
      buffer.set(piece, at);
      at += piece.length;
    }
    await use(buffer.subarray(0, length));
    this.give(buffer);
  }
}
