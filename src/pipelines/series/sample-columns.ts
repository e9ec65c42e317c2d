import { varintLength } from '../../bytes/varint.js';
import type { Chunks } from '../../model/exchange.js';
import type { Label } from '../../model/label-set.js';
import type { SeriesSamples } from '../../promql/source.js';

const firstCapacity = 1_024;
/** Bytes of an id and of the longest count of samples behind it. */
const headBytes = 16;

/**
 * Gathers samples of series as columns from rows that hold one series each. What it holds are typed arrays.
 */
export class SampleColumns {
  readonly #labels: (readonly Label[])[] = [];
  readonly #offsets: number[] = [0];
  #times = new Float64Array(firstCapacity);
  #values = new Float64Array(firstCapacity);
  /** The bytes of both, as which NaN keeps its bits. */
  #timeBytes = bytesOf(this.#times);
  #valueBytes = bytesOf(this.#values);
  #count = 0;

  /**
   * Adds rows in the engine's binary format, which may be cut anywhere: an id of 8 bytes, then an array of Unix ms and
   * one of values, both Float64. `labels` has those of the series by their ids; others are left out. `take` is called
   * with the number of samples before they are held.
   */
  async add(
    rows: Chunks,
    labels: ReadonlyMap<bigint, readonly Label[]>,
    take: (samples: number) => void,
  ): Promise<void> {
    let series = 0;
    for await (const bytes of wholeRows(rows, take)) {
      for (let at = 0; at < bytes.length; ) {
        const length = lengthAt(bytes, at + 8)!;
        const valuesAt = at + 8 + varintLength(length) * 2 + length * 8;
        const known = labels.get(bytes.readBigUInt64LE(at));
        if (known !== undefined) {
          this.#reserve(length, labels.size - series++);
          bytes.copy(this.#timeBytes, this.#count * 8, valuesAt - varintLength(length) - length * 8, valuesAt);
          bytes.copy(this.#valueBytes, this.#count * 8, valuesAt, valuesAt + length * 8);
          this.#labels.push(known);
          this.#count = this.#withoutRepeated(this.#count, this.#count + length);
          this.#offsets.push(this.#count);
        }
        at = valuesAt + length * 8;
      }
    }
  }

  /** The columns; nothing may be added any more. */
  finish(): SeriesSamples {
    return {
      labels: this.#labels,
      offsets: Uint32Array.from(this.#offsets),
      times: this.#times.subarray(0, this.#count),
      values: this.#values.subarray(0, this.#count),
    };
  }

  /** Leaves the last one of samples within one millisecond, and returns where the samples then end. */
  #withoutRepeated(from: number, to: number): number {
    const times = this.#times;
    let end = from;
    for (let i = from; i < to; i++) {
      if (i + 1 < to && times[i] === times[i + 1]) continue;
      if (end < i) {
        times[end] = times[i]!;
        this.#valueBytes.copyWithin(end * 8, i * 8, i * 8 + 8);
      }
      end++;
    }
    return end;
  }

  /** Makes room for so many samples: for as many in each of the series to come as in those so far, if that is more. */
  #reserve(length: number, seriesToCome: number): void {
    const needed = this.#count + length;
    if (needed <= this.#times.length) return;
    const mean = needed / this.#offsets.length;
    const capacity = Math.max(needed, this.#times.length * 2, Math.ceil(this.#count + mean * seriesToCome * 1.02));
    this.#times = grown(this.#timeBytes, this.#count, capacity);
    this.#values = grown(this.#valueBytes, this.#count, capacity);
    this.#timeBytes = bytesOf(this.#times);
    this.#valueBytes = bytesOf(this.#values);
  }
}

/** The first numbers of these bytes in a longer array. */
function grown(bytes: Uint8Array, count: number, capacity: number): Float64Array<ArrayBuffer> {
  const longer = new Float64Array(capacity);
  bytesOf(longer).set(bytes.subarray(0, count * 8));
  return longer;
}

function bytesOf({ buffer, byteOffset, byteLength }: Float64Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

/** Pieces of rows as pieces that end where a row ends. No more than one row and one piece are buffered. */
async function* wholeRows(pieces: Chunks, take: (samples: number) => void): AsyncGenerator<Buffer, void, void> {
  let waiting: Uint8Array[] = [];
  let waitingBytes = 0;
  let neededBytes = 0;
  /** Samples of a row that has begun, which are taken already. */
  let taken = 0;
  for await (const piece of pieces) {
    waiting.push(piece);
    waitingBytes += piece.length;
    if (waitingBytes < neededBytes) continue;
    const bytes = Buffer.concat(waiting, waitingBytes);
    let end = 0;
    let samples = -taken;
    taken = 0;
    neededBytes = headBytes;
    while (end < bytes.length) {
      const length = lengthAt(bytes, end + 8);
      if (length === undefined) break;
      samples += length;
      const rowBytes = 8 + varintLength(length) * 2 + length * 16;
      if (end + rowBytes > bytes.length) {
        neededBytes = rowBytes;
        taken = length;
        break;
      }
      end += rowBytes;
    }
    take(samples);
    if (end > 0) yield bytes.subarray(0, end);
    waiting = [bytes.subarray(end)];
    waitingBytes -= end;
  }
  if (waitingBytes > 0) throw new Error('Rows of samples end early.');
}

/** The length of an array that begins there; undefined where the bytes end within it. */
function lengthAt(bytes: Uint8Array, from: number): number | undefined {
  let length = 0;
  let scale = 1;
  for (let at = from; ; at++, scale *= 128) {
    const byte = bytes[at];
    if (byte === undefined) return undefined;
    length += (byte & 0x7f) * scale;
    if (byte < 0x80) return length;
  }
}
