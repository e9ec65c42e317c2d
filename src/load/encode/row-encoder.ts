import type { WireFormat } from '../../model/batch.js';
import { Codes, FaultError, fault } from '../../model/fault.js';
import type { RowPool, RowRequest } from '../model/row-request.js';
import { ByteWriter } from './byte-writer.js';
import { ColumnCells } from './column-cells.js';

/** Text around the rows of one table. */
interface PartText {
  /** Before the first row of the part. */
  readonly opening?: Uint8Array;
  /** Before and after each row. */
  readonly head: Uint8Array;
  readonly tail: Uint8Array;
}

/**
 * A text format of rows. A request is its beginning, then for each part an opening and the rows, each a head, time and
 * body in this or the other order, and a tail, then the end.
 */
export interface RowFormat {
  readonly wire: WireFormat;
  /** Formats of one name print bodies alike, so that their encoders share them. */
  readonly bodyName: string;
  readonly beginning?: Uint8Array;
  readonly end?: Uint8Array;
  /** Bytes of the last tail that are dropped before the end. */
  readonly dropped?: number;
  /** The time stands behind the body. */
  readonly timeLast?: boolean;
  part(table: number): PartText;
  readonly writeTime: (out: ByteWriter, low: number, high: number) => void;
  /** Writes the values of a row; `cells` are its columns. */
  writeBody(out: ByteWriter, cells: readonly ColumnCells[], row: number): void;
}

/** Text of rows, valid until the next rows are encoded, and how many of them it holds. */
interface EncodedRows {
  readonly bytes: Buffer;
  readonly rows: number;
}

/** The bodies of all rows of a pool. */
interface Bodies {
  readonly bytes: Uint8Array;
  readonly offsets: Uint32Array;
}

/** Printed pools by the name of the format, for all threads of a run; undefined for those over the limit. */
const printedPools = new WeakMap<RowPool, Map<string, Bodies | undefined>>();

/** Pools whose bodies would take more are printed row by row instead. */
const maxBodiesBytes = 256 * 1024 * 1024;
const none = new Uint8Array(0);

/**
 * Encodes rows into one buffer that is used again and again. Rows out of a pool are printed once, and after that only
 * their times vary.
 */
export class RowEncoder {
  readonly #format: RowFormat;
  readonly #maxBytes: number;
  readonly #out: ByteWriter;

  /** `maxBytes` bounds the text of one request; a row is never cut. */
  constructor(format: RowFormat, maxBytes: number) {
    this.#format = format;
    this.#maxBytes = maxBytes;
    this.#out = new ByteWriter(maxBytes + 4096);
  }

  /** How parsers name the text. */
  get format(): WireFormat {
    return this.#format.wire;
  }

  /**
   * Encodes the rows of a request from `from` on, as many as there is room for. Throws a FaultError when a single row
   * is longer than a request may be, or cannot be written in the format.
   */
  encode(request: RowRequest, from = 0): EncodedRows {
    const out = this.#out;
    const { beginning = none, end = none, dropped = 0 } = this.#format;
    out.at = 0;
    out.copy(beginning);
    const rows = this.#writeParts(request, from, this.#maxBytes - end.length + dropped);
    if (rows === 0 && from < request.block.rows) {
      throw refused(`a row takes more than the ${this.#maxBytes} bytes that a request may have`);
    }
    out.at -= dropped;
    out.copy(end);
    return { bytes: out.bytes.subarray(0, out.at), rows };
  }

  #writeParts(request: RowRequest, from: number, limit: number): number {
    const { block, tables, starts } = request;
    const out = this.#out;
    const writeBody = this.#bodyWriter(request, from);
    const words = new Uint32Array(block.times.buffer, block.times.byteOffset, block.rows * 2);
    let part = 0;
    while (part < tables.length && starts[part + 1]! <= from) part++;
    let row = from;
    for (; part < tables.length; part++) {
      const text = this.#format.part(tables[part]!);
      const partStart = out.at;
      const partFrom = row;
      const partEnd = starts[part + 1]!;
      out.copy(text.opening ?? none);
      row = this.#writeRows(writeBody, text, words, row, partEnd, limit);
      if (row === partFrom) out.at = partStart;
      if (row < partEnd) break;
    }
    return row - from;
  }

  /** Writes rows `[from, to)` as far as there is room; returns the first one without. */
  #writeRows(
    writeBody: (row: number) => void,
    { head, tail }: PartText,
    words: Uint32Array,
    from: number,
    to: number,
    limit: number,
  ): number {
    const out = this.#out;
    const { timeLast = false, writeTime } = this.#format;
    for (let row = from; row < to; row++) {
      const rowStart = out.at;
      out.copy(head);
      if (timeLast) writeBody(row);
      writeTime(out, words[2 * row]!, words[2 * row + 1]!);
      if (!timeLast) writeBody(row);
      out.copy(tail);
      if (out.at > limit) {
        out.at = rowStart;
        return row;
      }
    }
    return to;
  }

  /** What writes the bodies of rows from `from` on: copies out of the printed pool, or their columns anew. */
  #bodyWriter({ pooled, block }: RowRequest, from: number): (row: number) => void {
    const out = this.#out;
    const bodies = pooled && this.#bodiesOf(pooled.pool);
    if (pooled === undefined || bodies === undefined) {
      const cells = block.columns.map((column) => new ColumnCells(column));
      return (row) => this.#format.writeBody(out, cells, row);
    }
    const { bytes, offsets } = bodies;
    const { rows } = pooled.pool;
    let entry = (pooled.first + from) % rows;
    return () => {
      out.copy(bytes, offsets[entry], offsets[entry + 1]);
      if (++entry === rows) entry = 0;
    };
  }

  #bodiesOf(pool: RowPool): Bodies | undefined {
    const { bodyName } = this.#format;
    const printed = printedPools.get(pool) ?? new Map<string, Bodies | undefined>();
    printedPools.set(pool, printed);
    if (!printed.has(bodyName)) printed.set(bodyName, this.#printPool(pool));
    return printed.get(bodyName);
  }

  #printPool(pool: RowPool): Bodies | undefined {
    const out = new ByteWriter(pool.rows * 32);
    const cells = pool.columns.map((column) => new ColumnCells(column));
    const offsets = new Uint32Array(pool.rows + 1);
    for (let row = 0; row < pool.rows; row++) {
      this.#format.writeBody(out, cells, row);
      if (out.at > maxBodiesBytes) return undefined;
      offsets[row + 1] = out.at;
    }
    return { bytes: out.bytes.subarray(0, out.at), offsets };
  }
}

/** The fault of rows that cannot be written as a text. */
export function refused(message: string): FaultError {
  return new FaultError(fault('parameter', Codes.invalidParameters, message));
}
