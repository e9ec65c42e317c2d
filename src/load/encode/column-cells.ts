import { PoolReader } from '../../bytes/pool-reader.js';
import type { Column } from '../../model/column-block.js';
import type { DataType, TypeName } from '../../model/schema.js';
import type { ByteWriter } from './byte-writer.js';

const noBytes = new Uint8Array(0);

/** How a value is printed: by these kinds formats tell apart what they have to write around it. */
export const CellKind = {
  bool: 0,
  integer: 1,
  signedWide: 2,
  unsignedWide: 3,
  float: 4,
  double: 5,
  decimal: 6,
  text: 7,
  other: 8,
} as const;
export type CellKind = (typeof CellKind)[keyof typeof CellKind];

/** Of all other types `other`. */
const kinds: Partial<Record<TypeName, CellKind>> = {
  BOOL: CellKind.bool,
  TINYINT: CellKind.integer,
  SMALLINT: CellKind.integer,
  INT: CellKind.integer,
  'TINYINT UNSIGNED': CellKind.integer,
  'SMALLINT UNSIGNED': CellKind.integer,
  'INT UNSIGNED': CellKind.integer,
  BIGINT: CellKind.signedWide,
  TIMESTAMP: CellKind.signedWide,
  'BIGINT UNSIGNED': CellKind.unsignedWide,
  FLOAT: CellKind.float,
  DOUBLE: CellKind.double,
  DECIMAL: CellKind.decimal,
  VARCHAR: CellKind.text,
  NCHAR: CellKind.text,
  JSON: CellKind.text,
};

/** Reads the cells of a column in rising order of their rows, and prints numbers. */
export class ColumnCells {
  readonly name: string;
  readonly type: DataType;
  readonly kind: CellKind;
  /** The variable value that {@link ColumnCells.seek} found. */
  readonly entry: PoolReader;
  readonly #nulls: Uint8Array;
  readonly #numbers: ArrayLike<number>;
  readonly #words: Uint32Array;
  readonly #isVariable: boolean;
  #nextRow = 0;

  constructor({ name, type, nulls, values, pool }: Column) {
    this.name = name;
    this.type = type;
    this.kind = kinds[type.name] ?? CellKind.other;
    this.#nulls = nulls;
    this.entry = new PoolReader(pool ?? noBytes);
    this.#isVariable = pool !== undefined;
    const isWide = values instanceof BigInt64Array || values instanceof BigUint64Array;
    this.#numbers = values === undefined || isWide ? [] : values;
    this.#words = isWide
      ? new Uint32Array(values.buffer, values.byteOffset, values.byteLength / 4)
      : new Uint32Array(0);
  }

  /** Goes to a row, which must not lie before the last one; false when it is NULL there, or not finite. */
  seek(row: number): boolean {
    if (this.#isVariable) for (; this.#nextRow <= row; this.#nextRow++) this.entry.next();
    if (this.#nulls[row] === 1) return false;
    const isReal = this.kind === CellKind.float || this.kind === CellKind.double;
    return !isReal || Number.isFinite(this.#numbers[row]);
  }

  isTrue(row: number): boolean {
    return this.#numbers[row] !== 0;
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

  /** Prints a number, or true or false. */
  write(out: ByteWriter, row: number): void {
    const words = this.#words;
    switch (this.kind) {
      case CellKind.bool:
        out.text(this.isTrue(row) ? 'true' : 'false');
        break;
      case CellKind.integer:
        out.integer(this.#numbers[row]!);
        break;
      case CellKind.signedWide:
        out.wide(words[2 * row]!, words[2 * row + 1]!, true);
        break;
      case CellKind.unsignedWide:
        out.wide(words[2 * row]!, words[2 * row + 1]!, false);
        break;
      case CellKind.float:
        out.real(this.#numbers[row]!, 'FLOAT');
        break;
      case CellKind.double:
        out.real(this.#numbers[row]!, 'DOUBLE');
        break;
      case CellKind.decimal:
        out.text(this.#decimal(row));
        break;
      default:
        throw new Error(`A value of type ${this.type.name} is no number.`);
    }
  }
}
