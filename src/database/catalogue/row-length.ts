import { Codes, type Fault, fault } from '../../model/fault.js';
import { type DataType, isVariable } from '../../model/schema.js';
import type { ColumnSpec } from './operations.js';

/** Longest row and longest tags of a sub-table, in bytes (SQL reference, limits). */
const maxRowBytes = 65531;
const maxTagsBytes = 16384;

/** The fault of columns or tags that are together too long for one row; undefined when they fit. */
export function lengthFault(columns: readonly ColumnSpec[], tags: readonly ColumnSpec[]): Fault | undefined {
  if (bytesOf(columns) + 8 > maxRowBytes) {
    return fault('syntax', Codes.rowTooLong, `Row length exceeds max length ${maxRowBytes}`);
  }
  if (bytesOf(tags) > maxTagsBytes) {
    return fault('syntax', Codes.tagsTooLong, `Tags length exceeds max length ${maxTagsBytes}`);
  }
  return undefined;
}

function bytesOf(columns: readonly ColumnSpec[]): number {
  return columns.reduce((sum, { type }) => sum + rowBytes(type), 0);
}

/** What a value takes of the row limit: variable types cost two bytes more, NCHAR four a character, BLOB a pointer. */
function rowBytes(type: DataType): number {
  if (type.name === 'BLOB') return 8;
  if (type.name === 'DECIMAL') return type.length <= 18 ? 8 : 16;
  if (type.name === 'NCHAR') return type.length * 4 + 2;
  return isVariable(type.name) ? type.length + 2 : type.length;
}
