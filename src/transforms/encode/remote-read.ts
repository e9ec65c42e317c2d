import { Slice, sorted } from '../../async/slice.js';
import { PoolReader } from '../../bytes/pool-reader.js';
import { putVarint, varintLength } from '../../bytes/varint.js';
import { Codes, FaultError, fault } from '../../model/fault.js';

/** Bytes of one row of samples: id, Unix ms and value. */
const rowBytes = 24;
/** Most bytes of an encoded sample. */
const maxSampleBytes = 22;
const firstChunkBytes = 16 * 1024;
const maxChunkBytes = 1024 * 1024;

/** Keys of fields that hold bytes: number 1 (results, series, labels, names) and number 2 (samples, values). */
const field1 = 0x0a;
const field2 = 0x12;

/** The bytes that an answer may still take; shared by all results of one answer. */
export class ReadBudget {
  readonly #limit: number;
  #left: number;

  constructor(limit: number) {
    this.#limit = limit;
    this.#left = limit;
  }

  /** Takes bytes; throws a FaultError of kind `parameter` when there are not as many left. */
  take(bytes: number): void {
    this.#left -= bytes;
    if (this.#left >= 0) return;
    const text = `the answer is longer than ${this.#limit} bytes (limits.remoteReadBytes); ask for less time or fewer series`;
    throw new FaultError(fault('parameter', Codes.free, text));
  }
}

/** A message in parts, and its length. */
interface Parts {
  readonly parts: Iterable<Uint8Array>;
  readonly length: number;
}

/** One series: its labels as they are encoded, and where its samples are. */
interface Series {
  /** Orders series: names and values alternate, separated by NUL, with a character for each byte. */
  readonly key: string;
  readonly labels: Uint8Array;
  /** First chunk with samples, and the first byte in it. */
  chunk: number;
  start: number;
  sampleBytes: number;
}

/**
 * Builds the answer to one query of a read request, a `prometheus.QueryResult`: first the series with their labels,
 * then their rows as the engine prints them. What it holds are the encoded bytes alone.
 */
export class ReadResult {
  readonly #budget: ReadBudget;
  readonly #series = new Map<bigint, Series>();
  readonly #all: Series[] = [];
  readonly #chunks: Uint8Array[] = [];
  readonly #chunkEnds: number[] = [];
  /** Bytes in the chunks before the current one, and in that. */
  #total = 0;
  #chunk = new Uint8Array(0);
  #view = new DataView(this.#chunk.buffer);
  #at = 0;
  /** The start of a row whose end is in the next piece. */
  readonly #rest = new Uint8Array(rowBytes);
  #restLength = 0;
  /** The current series, and the time and place of its last value. */
  #current: Series | undefined;
  #idLow = 0;
  #idHigh = 0;
  #timeLow = 0;
  #timeHigh = 0;
  #value: DataView | undefined;
  #valueAt = 0;

  constructor(budget: ReadBudget) {
    this.#budget = budget;
  }

  /**
   * Adds series, whose bytes the caller has taken from the budget, from rows of an id (8 bytes, little-endian) and the
   * JSON text of the labels (length-prefixed).
   */
  async addSeries(rows: Buffer): Promise<void> {
    const slice = new Slice();
    for (let at = 0; at < rows.length; ) {
      if (slice.isOver()) await slice.next();
      const id = rows.readBigUInt64LE(at);
      const text = new PoolReader(rows, at + 8);
      text.next();
      const labels = labelsOf(rows.toString('utf8', text.start, text.end));
      at = text.end;
      const encoded = encodeLabels(labels);
      const key = Buffer.from(labels.flat().join('\0')).toString('latin1');
      this.#series.set(id, { key, labels: encoded, chunk: 0, start: 0, sampleBytes: 0 });
    }
  }

  /** Adds the next piece of the rows, cut anywhere: id (UInt64), Unix ms (Int64), value (Float64), by id and time. */
  addRows(piece: Uint8Array): void {
    const before = this.#written();
    let at = 0;
    if (this.#restLength > 0) {
      at = Math.min(rowBytes - this.#restLength, piece.length);
      this.#rest.set(piece.subarray(0, at), this.#restLength);
      this.#restLength += at;
      if (this.#restLength < rowBytes) return;
      this.#addRow(new DataView(this.#rest.buffer), 0);
      this.#restLength = 0;
    }
    const view = new DataView(piece.buffer, piece.byteOffset, piece.byteLength);
    for (; at + rowBytes <= piece.length; at += rowBytes) this.#addRow(view, at);
    this.#rest.set(piece.subarray(at));
    this.#restLength = piece.length - at;
    this.#budget.take(this.#written() - before);
  }

  /** The encoded result in parts, series in the order of their labels, and its length. Takes no rows any more. */
  async finish(): Promise<Parts> {
    if (this.#chunks.length > 0) this.#chunkEnds[this.#chunks.length - 1] = this.#at;
    const series = await sorted(this.#all, (a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
    let length = 0;
    for (const { labels, sampleBytes } of series) length += fieldLength(labels.length + sampleBytes);
    return { parts: this.#parts(series), length };
  }

  *#parts(series: readonly Series[]): Generator<Uint8Array> {
    for (const { labels, chunk, start, sampleBytes } of series) {
      yield fieldHead(field1, labels.length + sampleBytes);
      yield labels;
      let left = sampleBytes;
      let from = start;
      for (let i = chunk; left > 0; i++) {
        const part = this.#chunks[i]!.subarray(from, Math.min(this.#chunkEnds[i]!, from + left));
        yield part;
        left -= part.length;
        from = 0;
      }
    }
  }

  /** Bytes of samples so far. */
  #written(): number {
    return this.#total + this.#at;
  }

  #addRow(row: DataView, at: number): void {
    const idLow = row.getUint32(at, true);
    const idHigh = row.getUint32(at + 4, true);
    const timeLow = row.getUint32(at + 8, true);
    const timeHigh = row.getUint32(at + 12, true);
    const isNext = idLow !== this.#idLow || idHigh !== this.#idHigh || this.#current === undefined;
    if (isNext) this.#beginSeries(row.getBigUint64(at, true), idLow, idHigh);
    const series = this.#current;
    // A series that was registered after the labels were read belongs to a later answer.
    if (series === undefined) return;
    const low = row.getUint32(at + 16, true);
    const high = row.getUint32(at + 20, true);
    if (isNext || timeLow !== this.#timeLow || timeHigh !== this.#timeHigh) {
      series.sampleBytes += this.#addSample(timeLow, timeHigh);
      this.#timeLow = timeLow;
      this.#timeHigh = timeHigh;
    }
    // Rows within one millisecond are one sample, the last of them.
    this.#value?.setUint32(this.#valueAt, low, true);
    this.#value?.setUint32(this.#valueAt + 4, high, true);
  }

  #beginSeries(id: bigint, idLow: number, idHigh: number): void {
    this.#idLow = idLow;
    this.#idHigh = idHigh;
    const series = this.#series.get(id);
    this.#current = series;
    if (series === undefined) return;
    this.#reserve();
    series.chunk = this.#chunks.length - 1;
    series.start = this.#at;
    this.#all.push(series);
  }

  #reserve(): void {
    if (this.#at + maxSampleBytes <= this.#chunk.length) return;
    if (this.#chunks.length > 0) this.#chunkEnds[this.#chunks.length - 1] = this.#at;
    this.#total += this.#at;
    this.#chunk = new Uint8Array(Math.min(maxChunkBytes, Math.max(firstChunkBytes, this.#chunk.length * 2)));
    this.#view = new DataView(this.#chunk.buffer);
    this.#chunks.push(this.#chunk);
    this.#at = 0;
  }

  /** Writes a sample without its value, and returns its length. */
  #addSample(timeLow: number, timeHigh: number): number {
    this.#reserve();
    const chunk = this.#chunk;
    const start = this.#at;
    chunk[start] = field2;
    chunk[start + 2] = 0x09;
    this.#value = this.#view;
    this.#valueAt = start + 3;
    chunk[start + 11] = 0x10;
    let at = start + 12;
    let low = timeLow;
    let high = timeHigh;
    while (high !== 0 || low >= 0x80) {
      chunk[at++] = (low & 0x7f) | 0x80;
      low = ((low >>> 7) | (high << 25)) >>> 0;
      high >>>= 7;
    }
    chunk[at++] = low;
    chunk[start + 1] = at - start - 2;
    this.#at = at;
    return at - start;
  }
}

/** A `prometheus.ReadResponse` in parts, and its length. */
export async function joinResults(results: readonly ReadResult[]): Promise<Parts> {
  const finished: Parts[] = [];
  for (const result of results) finished.push(await result.finish());
  const length = finished.reduce((sum, result) => sum + fieldLength(result.length), 0);
  function* parts(): Generator<Uint8Array> {
    for (const result of finished) {
      yield fieldHead(field1, result.length);
      yield* result.parts;
    }
  }
  return { parts: parts(), length };
}

type Label = readonly [name: string, value: string];

/** The labels of a JSON object, in the order of their names' bytes; numbers and booleans as text, others left out. */
function labelsOf(json: string): Label[] {
  const value: unknown = json === '' ? {} : JSON.parse(json);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value)
    .map(([name, member]): Label => [name, member === null || typeof member === 'object' ? '' : String(member)])
    .filter(([, member]) => member !== '')
    .sort(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
}

function encodeLabels(labels: readonly Label[]): Uint8Array {
  return Buffer.concat(
    labels.flatMap(([name, value]) => {
      const parts = [textField(field1, name), textField(field2, value)];
      return [fieldHead(field1, parts[0]!.length + parts[1]!.length), ...parts];
    }),
  );
}

function textField(key: number, text: string): Buffer {
  const bytes = Buffer.from(text);
  return Buffer.concat([fieldHead(key, bytes.length), bytes]);
}

/** Length of a bytes field with its key, which takes one byte. */
function fieldLength(bytes: number): number {
  return 1 + varintLength(bytes) + bytes;
}

function fieldHead(key: number, length: number): Uint8Array {
  const head = new Uint8Array(1 + varintLength(length));
  head[0] = key;
  putVarint(head, 1, length);
  return head;
}
