import { Codes, type Fault, fault } from './fault.js';
import { type DataType, isVariable, type TypeName } from './schema.js';

/** A column or tag, as far as its length goes. */
interface Typed {
  readonly type: DataType;
}

/** Longest declared widths, as column and as tag: bytes, characters for NCHAR. */
const widest: Partial<Record<TypeName, { readonly column: number; readonly tag: number }>> = {
  VARCHAR: { column: 65517, tag: 16382 },
  VARBINARY: { column: 65517, tag: 16382 },
  GEOMETRY: { column: 65517, tag: 16382 },
  NCHAR: { column: 16379, tag: 4095 },
};

/** Longest row and longest tags of a sub-table, in bytes. */
const maxRowBytes = 65531;
const maxTagsBytes = 16384;

/**
 * Longest declared width of a type that is declared with one: bytes, characters for NCHAR; undefined for all others.
 */
export function longestWidth(name: TypeName, role: 'column' | 'tag'): number | undefined {
  return widest[name]?.[role];
}

/** The fault of columns or tags that are together too long for one row; undefined when they fit. */
export function lengthFault(columns: readonly Typed[], tags: readonly Typed[]): Fault | undefined {
  if (bytesOf(columns) + 8 > maxRowBytes) {
    return fault('syntax', Codes.rowTooLong, `Row length exceeds max length ${maxRowBytes}`);
  }
  if (bytesOf(tags) > maxTagsBytes) {
    return fault('syntax', Codes.tagsTooLong, `Tags length exceeds max length ${maxTagsBytes}`);
  }
  return undefined;
}

function bytesOf(columns: readonly Typed[]): number {
  return columns.reduce((sum, { type }) => sum + rowBytes(type), 0);
}

/** Bytes of a value in the row limit: variable types cost two bytes more, NCHAR four a character, BLOB a pointer. */
function rowBytes(type: DataType): number {
  if (type.name === 'BLOB') return 8;
  if (type.name === 'DECIMAL') return type.length <= 18 ? 8 : 16;
  if (type.name === 'NCHAR') return type.length * 4 + 2;
  return isVariable(type.name) ? type.length + 2 : type.length;
}
