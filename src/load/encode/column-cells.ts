import { PoolReader } from '../../bytes/pool-reader.js';
import type { Column } from '../../model/column-block.js';
import type { DataType } from '../../model/schema.js';
import type { ByteWriter } from './byte-writer.js';

const noBytes = new Uint8Array(0);

/** Reads the cells of a column in rising order of their rows, and prints numbers. */
export class ColumnCells {
  readonly name: string;
  readonly type: DataType;
  /** Values are texts, which formats quote in their own ways. */
  readonly isText: boolean;
  /** The text that {@link ColumnCells.seek} has found. */
  readonly entry: PoolReader;
  readonly #nulls: Uint8Array;
  readonly #numbers: ArrayLike<number>;
  readonly #words: Uint32Array;
  #nextRow = 0;

  constructor({ name, type, nulls, values, pool }: Column) {
    this.name = name;
    this.type = type;
    this.isText = pool !== undefined;
    this.#nulls = nulls;
    this.entry = new PoolReader(pool ?? noBytes);
    const isWide = values instanceof BigInt64Array || values instanceof BigUint64Array;
    this.#numbers = values === undefined || isWide ? [] : values;
    this.#words = isWide
      ? new Uint32Array(values.buffer, values.byteOffset, values.byteLength / 4)
      : new Uint32Array(0);
  }

  /** Goes to a row, which must not lie before the last one; false when it is NULL there, or not finite. */
  seek(row: number): boolean {
    if (this.isText) for (; this.#nextRow <= row; this.#nextRow++) this.entry.next();
    if (this.#nulls[row] === 1) return false;
    const { name } = this.type;
    return (name !== 'FLOAT' && name !== 'DOUBLE') || Number.isFinite(this.#numbers[row]);
  }

  /** The text that {@link ColumnCells.seek} has found. */
  text(): string {
    const { bytes, start, end } = this.entry;
    return Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString();
  }

  /** Prints a number, or true or false. */
  write(out: ByteWriter, row: number): void {
    const { name } = this.type;
    switch (name) {
      case 'BOOL':
        out.text(this.#numbers[row] === 0 ? 'false' : 'true');
        break;
      case 'BIGINT':
      case 'TIMESTAMP':
      case 'BIGINT UNSIGNED':
        out.wide(this.#words[2 * row]!, this.#words[2 * row + 1]!, name !== 'BIGINT UNSIGNED');
        break;
      case 'FLOAT':
      case 'DOUBLE':
        out.real(this.#numbers[row]!, name);
        break;
      case 'DECIMAL':
        out.text(this.#decimal(row));
        break;
      default:
        out.integer(this.#numbers[row]!);
    }
  }

  /** A DECIMAL, with all digits behind its point. */
  #decimal(row: number): string {
    const { length, scale = 0 } = this.type;
    const wordsPerRow = length > 18 ? 4 : 2;
    let bits = 0n;
    for (let word = wordsPerRow - 1; word >= 0; word--) {
      bits = (bits << 32n) | BigInt(this.#words[wordsPerRow * row + word]!);
    }
    const scaled = BigInt.asIntN(32 * wordsPerRow, bits);
    const digits = String(scaled < 0n ? -scaled : scaled).padStart(scale + 1, '0');
    const sign = scaled < 0n ? '-' : '';
    return scale === 0 ? sign + digits : `${sign}${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
  }
}
