import { varintLength } from '../../bytes/varint.js';
import type { Chunks } from '../../model/exchange.js';
import type { Label } from '../../model/label-set.js';
import type { SeriesSamples } from '../../promql/source.js';

/** Bytes of an id and of the longest count of samples behind it. */
const headBytes = 16;

/**
 * Samples as columns from rows in the engine's binary format, which hold one series each and may be cut anywhere: an id
 * of 8 bytes, then an array of Unix ms and one of values, both Float64. `labels` has those of the series by their ids;
 * others are left out. `take` is called with the number of samples before they are held.
 */
export async function* samplePieces(
  rows: Chunks,
  labels: ReadonlyMap<bigint, readonly Label[]>,
  take: (samples: number) => void,
): AsyncGenerator<SeriesSamples, void, void> {
  for await (const { bytes, samples } of wholeRows(rows, take)) {
    const columns = new SampleColumns(samples);
    for (let at = 0; at < bytes.length; ) {
      const length = lengthAt(bytes, at + 8)!;
      const timesAt = at + 8 + varintLength(length);
      const valuesAt = timesAt + length * 8 + varintLength(length);
      const known = labels.get(bytes.readBigUInt64LE(at));
      if (known !== undefined) columns.add(known, bytes, timesAt, valuesAt, length);
      at = valuesAt + length * 8;
    }
    yield columns.finish();
  }
}

/** Gathers samples of series. */
class SampleColumns {
  readonly #labels: (readonly Label[])[] = [];
  readonly #offsets: number[] = [0];
  readonly #times: Float64Array;
  readonly #values: Float64Array;
  /** The bytes of both, as which NaN keeps its bits. */
  readonly #timeBytes: Uint8Array;
  readonly #valueBytes: Uint8Array;
  #count = 0;

  constructor(capacity: number) {
    this.#times = new Float64Array(capacity);
    this.#values = new Float64Array(capacity);
    this.#timeBytes = new Uint8Array(this.#times.buffer);
    this.#valueBytes = new Uint8Array(this.#values.buffer);
  }

  /** Adds a series with so many times and values, whose bytes begin there. */
  add(labels: readonly Label[], bytes: Buffer, timesAt: number, valuesAt: number, length: number): void {
    bytes.copy(this.#timeBytes, this.#count * 8, timesAt, timesAt + length * 8);
    bytes.copy(this.#valueBytes, this.#count * 8, valuesAt, valuesAt + length * 8);
    this.#labels.push(labels);
    this.#count = this.#withoutRepeated(this.#count, this.#count + length);
    this.#offsets.push(this.#count);
  }

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
}

/** Bytes of rows, and how many samples they have. */
interface WholeRows {
  readonly bytes: Buffer;
  readonly samples: number;
}

/** Pieces of rows as pieces that end where a row ends. No more than one row and one piece are buffered. */
async function* wholeRows(pieces: Chunks, take: (samples: number) => void): AsyncGenerator<WholeRows, void, void> {
  let waiting: Uint8Array[] = [];
  let waitingBytes = 0;
  let neededBytes = headBytes;
  /** Samples of the row that has begun, which are taken already. */
  let begun = 0;
  for await (const piece of pieces) {
    waiting.push(piece);
    waitingBytes += piece.length;
    if (waitingBytes < neededBytes) continue;
    const bytes = Buffer.concat(waiting, waitingBytes);
    const taken = begun;
    let samples = 0;
    let end = 0;
    begun = 0;
    neededBytes = headBytes;
    while (end < bytes.length) {
      const length = lengthAt(bytes, end + 8);
      if (length === undefined) break;
      const rowBytes = 8 + varintLength(length) * 2 + length * 16;
      if (end + rowBytes > bytes.length) {
        neededBytes = rowBytes;
        begun = length;
        break;
      }
      samples += length;
      end += rowBytes;
    }
    take(samples + begun - taken);
    if (end > 0) yield { bytes: bytes.subarray(0, end), samples };
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
