import type { ColumnMeta } from '../../model/exchange.js';
import { typeLength, typeText } from '../../model/schema.js';

const newline = 10;
const comma = 44;

/** `[name, type, length]` of every column, as `column_meta` shows it. */
function metaText(meta: readonly ColumnMeta[]): string {
  return JSON.stringify(
    meta.map(({ name, type, isNull = false }) => [name, isNull ? 'NULL' : typeText(type), typeLength(type)]),
  );
}

/**
 * Body of a statement without a result set: one column `affected_rows`, one row; an object when keyed.
 * Clients rely on this shape.
 */
export function affectedBody(rows: number, keyed: boolean): string {
  const row = keyed ? `{"affected_rows":${rows}}` : `[${rows}]`;
  return `{"code":0,"column_meta":[["affected_rows","INT",4]],"data":[${row}],"rows":1}`;
}

/**
 * Builds the body of a result set around rows that the engine printed already: one JSON value a line. A raw line break
 * never occurs inside such a value, so every line break is a row's end, and the body is the same bytes with commas in
 * their place: nothing is parsed and nothing is allocated per row. Chunks may be cut anywhere.
 *
 * Call {@link SqlBodyEncoder.head}, then {@link SqlBodyEncoder.rows} for every chunk until {@link SqlBodyEncoder.full},
 * then {@link SqlBodyEncoder.tail}.
 */
export class SqlBodyEncoder {
  readonly #meta: readonly ColumnMeta[];
  readonly #limit: number;
  #finished = 0;
  /** A line break ended the last chunk; it becomes a comma only when another row follows. */
  #commaOwed = false;
  /** Bytes since the last line break: a row that its line break has not ended yet. */
  #open = false;

  /** `rowLimit`: rows after which the body ends; negative is no limit. */
  constructor(meta: readonly ColumnMeta[], rowLimit: number) {
    this.#meta = meta;
    this.#limit = rowLimit < 0 ? Number.POSITIVE_INFINITY : rowLimit;
  }

  /** True when the row limit is reached: further chunks would add nothing. */
  get full(): boolean {
    return this.#finished >= this.#limit;
  }

  /** Everything before the first row. */
  head(): string {
    return `{"code":0,"column_meta":${metaText(this.#meta)},"data":[`;
  }

  /** The bytes that a chunk adds to the body. The chunk is changed in place and may be returned in part. */
  rows(chunk: Uint8Array): Uint8Array {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    if (bytes.length === 0 || this.full) return bytes.subarray(0, 0);
    const end = this.#separate(bytes);
    const owed = this.#commaOwed && end > 0;
    this.#commaOwed = end < bytes.length;
    return owed ? withComma(bytes, end) : bytes.subarray(0, end);
  }

  /** Everything after the last row. */
  tail(): string {
    return `],"rows":${this.#finished + (this.#open ? 1 : 0)}}`;
  }

  /** Turns line breaks into commas up to the limit; returns how many bytes belong to the body. */
  #separate(bytes: Buffer): number {
    const limit = this.#limit;
    let finished = this.#finished;
    let last = -1;
    let at = bytes.indexOf(newline);
    while (at !== -1) {
      bytes[at] = comma;
      last = at;
      if (++finished >= limit) break;
      at = bytes.indexOf(newline, at + 1);
    }
    this.#finished = finished;
    const atEnd = last === bytes.length - 1 || finished >= limit;
    this.#open = !atEnd;
    return atEnd ? last : bytes.length;
  }
}

function withComma(bytes: Buffer, end: number): Buffer {
  const joined = Buffer.allocUnsafe(end + 1);
  joined[0] = comma;
  bytes.copy(joined, 1, 0, end);
  return joined;
}

/** The body of a result set whose rows are all there. */
export function wholeSqlBody(meta: readonly ColumnMeta[], rowLimit: number, lines: readonly Uint8Array[]): Buffer {
  const encoder = new SqlBodyEncoder(meta, rowLimit);
  const rows = lines.map((chunk) => encoder.rows(chunk));
  return Buffer.concat([Buffer.from(encoder.head()), ...rows, Buffer.from(encoder.tail())]);
}

/**
 * The body of a result set, pulled chunk by chunk from `lines`, starting with a chunk (or the end) that was pulled
 * before so that an early failure could still be answered properly. Leaving the generator returns `lines`, which
 * cancels the statement; an error of `lines` passes through.
 */
export async function* sqlBody(
  meta: readonly ColumnMeta[],
  rowLimit: number,
  first: IteratorResult<Uint8Array, unknown>,
  lines: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array, void, undefined> {
  const encoder = new SqlBodyEncoder(meta, rowLimit);
  let ended = first.done === true;
  try {
    const head = Buffer.from(encoder.head());
    yield first.done === true ? head : Buffer.concat([head, encoder.rows(first.value)]);
    while (!ended && !encoder.full) {
      const next: IteratorResult<Uint8Array, unknown> = await lines.next();
      if (next.done === true) ended = true;
      else {
        const bytes = encoder.rows(next.value);
        if (bytes.length > 0) yield bytes;
      }
    }
  } finally {
    if (!ended) await lines.return?.();
  }
  yield Buffer.from(encoder.tail());
}
