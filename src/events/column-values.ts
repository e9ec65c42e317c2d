import { wholeParts } from '../bytes/whole-parts.js';
import { two32 } from '../bytes/words.js';
import type { Column } from '../model/column-block.js';

/** The values of a column as doubles, and their range; NULL is NaN. */
export interface ColumnValues {
  readonly values: Float64Array;
  /** Infinity and -Infinity where there is no value. */
  readonly min: number;
  readonly max: number;
}

/** True for types whose values are numbers, or 0 and 1. */
function isNumeric({ type, values }: Column): boolean {
  return values !== undefined && type.name !== 'TIMESTAMP' && !(type.name === 'DECIMAL' && type.length > 18);
}

/**
 * Reads a column once for all rules about it; undefined when its values are not numbers. `scratch` is filled where the
 * column does not hold plain doubles and must have room for all rows. 64-bit integers beyond 2^53 are rounded.
 */
export function columnValues(column: Column, rows: number, scratch: Float64Array): ColumnValues | undefined {
  if (!isNumeric(column)) return undefined;
  const values = doublesOf(column, rows, scratch);
  let min = Number.POSITIVE_INFINITY;
  let max = Number.NEGATIVE_INFINITY;
  for (let i = 0; i < rows; i++) {
    const value = values[i]!;
    if (value < min) min = value;
    if (value > max) max = value;
  }
  return { values, min, max };
}

function doublesOf({ values, nulls, full, type }: Column, rows: number, scratch: Float64Array): Float64Array {
  if (values instanceof Float64Array && full) return values;
  if (values instanceof BigInt64Array || values instanceof BigUint64Array) {
    const words = new Uint32Array(values.buffer, values.byteOffset, rows * 2);
    const isSigned = values instanceof BigInt64Array;
    const scale = type.name === 'DECIMAL' ? 10 ** (type.scale ?? 0) : 1;
    for (let i = 0; i < rows; i++) {
      const high = isSigned ? words[2 * i + 1]! | 0 : words[2 * i + 1]!;
      scratch[i] = (high * two32 + words[2 * i]!) / scale;
    }
  } else if (values !== undefined) {
    for (let i = 0; i < rows; i++) scratch[i] = Number(values[i]);
  }
  if (!full) for (let i = 0; i < rows; i++) if (nulls[i] === 1) scratch[i] = Number.NaN;
  return scratch;
}

/** The time of a row in whole Unix ms. `words` are the low and high words of the times of all rows. */
export function timeMs(words: Uint32Array, row: number, ticksPerMs: number): number {
  return wholeParts(words[2 * row]!, words[2 * row + 1]!, ticksPerMs);
}
