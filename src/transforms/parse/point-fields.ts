import type { TypeName } from '../../model/schema.js';

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
  'TINYINT',
  'SMALLINT',
  'INT',
  'BIGINT',
  'TINYINT UNSIGNED',
  'SMALLINT UNSIGNED',
  'INT UNSIGNED',
  'BIGINT UNSIGNED',
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

const initialFields = 64;

/**
 * The values of one line on their way into the builders, in arrays that are used again for every line. A line is
 * read whole into them and committed only when all of it is good, so that a bad line leaves no trace.
 */
export class PointFields {
  /** Column of the table, by field. */
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
