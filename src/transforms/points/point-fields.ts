import { integerTypes, type TypeName } from '../../model/schema.js';
import { countCharacters } from '../wire/utf8.js';
import { maxNcharCharacters, maxValueBytes } from './point-limits.js';

/** Kinds of field values as small numbers; 0 is a column that lines cannot write. */
export const Kind = {
  none: 0,
  bool: 1,
  tinyint: 2,
  smallint: 3,
  int: 4,
  bigint: 5,
  tinyintUnsigned: 6,
  smallintUnsigned: 7,
  intUnsigned: 8,
  bigintUnsigned: 9,
  float: 10,
  double: 11,
  varchar: 12,
  nchar: 13,
  geometry: 14,
  varbinary: 15,
} as const;

/** Type names by kind. */
export const kindTypes: readonly TypeName[] = [
  'BLOB',
  'BOOL',
  ...integerTypes,
  'FLOAT',
  'DOUBLE',
  'VARCHAR',
  'NCHAR',
  'GEOMETRY',
  'VARBINARY',
];

/** Bytes a value takes in a row, by kind; variable kinds are counted by their length. */
export const kindWidths = Uint8Array.of(0, 1, 1, 2, 4, 8, 1, 2, 4, 8, 4, 8, 2, 2, 2, 2);

/** Kind of a column type; {@link Kind.none} for types that lines cannot write. */
export function kindOf(type: TypeName): number {
  return Math.max(Kind.none, kindTypes.indexOf(type, 1));
}

/** Kind of an integer of 8, 16, 32 or 64 bits. */
export function integerKind(bits: number, unsigned: boolean): number {
  const signed = bits === 64 ? Kind.bigint : bits === 32 ? Kind.int : bits === 16 ? Kind.smallint : Kind.tinyint;
  return unsigned ? signed + Kind.tinyintUnsigned - Kind.tinyint : signed;
}

const largestFloat = 3.4028234663852886e38;

/** True for a finite number that a FLOAT can hold, rounded. */
export function isFloat(value: number): boolean {
  return value <= largestFloat && value >= -largestFloat;
}

const initialFields = 64;

/**
 * The values of one line on their way into the builders, in arrays that are used again for every line. A line is
 * read whole into them and committed only when all of it is good, so that a bad line leaves no trace.
 */
export class PointFields {
  /** Column of the table, by field; the complement of it (`~slot`) where the value is NULL. */
  slots = new Int32Array(initialFields);
  /** {@link Kind} of the value, by field. */
  kinds = new Uint8Array(initialFields);
  /** Fixed-width values: 64-bit integers as two words, low first; smaller integers and BOOL in the low word. */
  words = new Uint32Array(initialFields * 2);
  /** FLOAT and DOUBLE values: the same memory as `words`. */
  doubles = new Float64Array(this.words.buffer);
  /** Variable values: bytes `[start, end)` of the text, or of `scratch` where `inScratch` is 1. */
  starts = new Int32Array(initialFields);
  ends = new Int32Array(initialFields);
  inScratch = new Uint8Array(initialFields);
  /** Length of variable values in characters. */
  characters = new Int32Array(initialFields);
  /** Bytes of values that differ from their text: unescaped, from hexadecimal, or made. */
  scratch = new Uint8Array(256);
  scratchLength = 0;

  /** Makes room for the field at `index`. */
  reserve(index: number): void {
    if (index < this.slots.length) return;
    const size = this.slots.length * 2;
    this.slots = grownTo(this.slots, new Int32Array(size));
    this.kinds = grownTo(this.kinds, new Uint8Array(size));
    this.words = grownTo(this.words, new Uint32Array(size * 2));
    this.doubles = new Float64Array(this.words.buffer);
    this.starts = grownTo(this.starts, new Int32Array(size));
    this.ends = grownTo(this.ends, new Int32Array(size));
    this.inScratch = grownTo(this.inScratch, new Uint8Array(size));
    this.characters = grownTo(this.characters, new Int32Array(size));
  }

  /** Lets the value at `index` be a copy of `bytes`, in the scratch. */
  putScratch(index: number, bytes: Uint8Array): void {
    this.reserveScratch(bytes.length);
    this.scratch.set(bytes, this.scratchLength);
    this.starts[index] = this.scratchLength;
    this.scratchLength += bytes.length;
    this.ends[index] = this.scratchLength;
    this.inScratch[index] = 1;
  }

  /** Counts the characters of the text at `index`, which lies in `bytes` or the scratch; false when it is not UTF-8. */
  measureText(index: number, bytes: Uint8Array, ascii: boolean): boolean {
    const start = this.starts[index]!;
    const end = this.ends[index]!;
    const source = this.inScratch[index] === 1 ? this.scratch : bytes;
    const characters = ascii ? end - start : countCharacters(source, start, end);
    this.characters[index] = characters;
    return characters >= 0;
  }

  /** True when the value of variable length at `index` is longer than its kind may be. */
  isTooLong(index: number): boolean {
    if (this.kinds[index] === Kind.nchar) return this.characters[index]! > maxNcharCharacters;
    return this.ends[index]! - this.starts[index]! > maxValueBytes;
  }

  /** Makes room for `more` bytes in `scratch`. */
  reserveScratch(more: number): void {
    const need = this.scratchLength + more;
    if (need <= this.scratch.length) return;
    this.scratch = grownTo(this.scratch, new Uint8Array(Math.max(need, this.scratch.length * 2)));
  }
}

function grownTo<T extends Uint8Array | Int32Array | Uint32Array>(old: T, next: T): T {
  next.set(old);
  return next;
}
