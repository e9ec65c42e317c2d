import { two32, two53 } from '../../bytes/words.js';
import type { ColumnBuilder } from '../../model/column-block.js';
import { type DataType, integerRanges, type TypeName } from '../../model/schema.js';
import { below, bits32 } from './random.js';

/**
 * Writes the values of pool entries `first`, `first + 1`, … to `count` rows from `row` on, which are reserved.
 * `timeWords` are the times of the rows as low and high words, row 0 first.
 */
export type Fill = (
  column: ColumnBuilder,
  row: number,
  count: number,
  seed: number,
  first: number,
  timeWords: Uint32Array,
) => void;

/** The number of an entry. */
type Produce = (seed: number, entry: number) => number;

/** Decimal places of random numbers, as a factor. */
const placesOf: Partial<Record<TypeName, number>> = { FLOAT: 1e3, DOUBLE: 1e6 };

/** True for the types whose values are 64 bits wide and whole. */
export function isWide(type: TypeName): boolean {
  return type === 'BIGINT' || type === 'BIGINT UNSIGNED' || type === 'TIMESTAMP';
}

/** Random values from `min` up to but without `max`; equal bounds are a constant. */
export function rangeFill(type: TypeName, min: number | bigint, max: number | bigint): Fill {
  const [low, high] = [Number(min), Number(max)];
  if (type === 'BOOL') return plainFill(low === high ? () => Math.sign(low) : bit);
  if (type === 'FLOAT' || type === 'DOUBLE') return plainFill(realOf(type, low, high));
  const [least, end] = [Math.trunc(low), Math.trunc(high)];
  const isExact = Number.isSafeInteger(least) && Number.isSafeInteger(end) && end - least <= two53;
  if (!isExact) return wideFill(wholeOf(min), wholeOf(max));
  const span = Math.max(1, end - least);
  const produce: Produce = (seed, entry) => least + below(seed, entry, span);
  return isWide(type) ? numberFill(type, produce) : plainFill(produce);
}

/** `first + step × k`, k a whole number below `count`. */
export function stepsFill(type: TypeName, first: number, step: number, count: number): Fill {
  const places = placesOf[type] === undefined ? 1 : 1e6;
  // Sums of decimal fractions are rounded to what a person would have written.
  const values = Array.from({ length: count }, (_, k) => Math.round((first + step * k) * places) / places);
  return numberFill(type, (seed, entry) => values[below(seed, entry, count)]!);
}

/** Values of a function of entry and time; those of integer types are truncated and clamped to their range. */
export function numberFill(
  type: TypeName,
  produce: (seed: number, entry: number, low: number, high: number) => number,
): Fill {
  const isWhole = isWide(type);
  const range = isWhole ? undefined : integerRanges[type];
  const [min, max] = [Number(range?.min), Number(range?.max)];
  return (column, row, count, seed, first, timeWords) => {
    const { words, values } = column;
    for (let i = 0; i < count; i++) {
      const at = 2 * (row + i);
      let value = produce(seed, first + i, timeWords[at] ?? 0, timeWords[at + 1] ?? 0);
      if (range !== undefined) value = Math.max(min, Math.min(max, Math.trunc(value)));
      if (words !== undefined && isWhole) {
        const whole = Math.trunc(value);
        words[at] = whole >>> 0;
        words[at + 1] = Math.floor(whole / two32);
      } else if (isNumeric(values)) values[row + i] = value;
    }
    wrote(column, row, count);
  };
}

/** Values that are in the range of a type of at most 32 bits, or real numbers. */
function plainFill(produce: Produce): Fill {
  return (column, row, count, seed, first) => {
    const { values } = column;
    if (!isNumeric(values)) return;
    for (let i = 0; i < count; i++) values[row + i] = produce(seed, first + i);
    wrote(column, row, count);
  };
}

/** Every row the same 64-bit value, which a function gives when the rows are made. */
export function wideConstantFill(valueNow: () => bigint): Fill {
  return (column, row, count) => {
    const { values } = column;
    if (values instanceof BigInt64Array || values instanceof BigUint64Array) values.fill(valueNow(), row, row + count);
    wrote(column, row, count);
  };
}

/** Random DECIMALs from `min` up to but without `max`, both scaled to whole numbers of 64 or 128 bits. */
export function decimalFill({ length }: DataType, min: bigint, max: bigint): Fill {
  return wideFill(min, max, length > 18 ? 4 : 2);
}

/** Marks rows of a fixed-width column as holding values. */
function wrote(column: ColumnBuilder, row: number, count: number): void {
  column.nulls.fill(0, row, row + count);
  column.filled += count;
}

type NumericArray = Exclude<ColumnBuilder['values'], BigInt64Array | BigUint64Array | undefined>;

function isNumeric(values: ColumnBuilder['values']): values is NumericArray {
  return values !== undefined && !(values instanceof BigInt64Array) && !(values instanceof BigUint64Array);
}

function wholeOf(value: number | bigint): bigint {
  return typeof value === 'bigint' ? value : BigInt(Math.trunc(value));
}

const bit: Produce = (seed, entry) => bits32(seed, entry) & 1;

/** Numbers with three decimal places, DOUBLE with six, where the bounds leave room for them. */
function realOf(type: 'FLOAT' | 'DOUBLE', min: number, max: number): Produce {
  const round = type === 'FLOAT' ? floatWithin(min, max) : (value: number) => (value < max ? value : min);
  if (max <= min) return () => (type === 'FLOAT' ? Math.fround(min) : min);
  const places = placesOf[type] ?? 1;
  const steps = Math.ceil((max - min) * places);
  const base = Math.round(min * places);
  const isEven = base / places === min && Math.abs(base) + steps < two53;
  if (isEven) return (seed, entry) => round((base + below(seed, entry, steps)) / places);
  return (seed, entry) => round(between(min, max, below(seed, entry, two53) / two53));
}

/** The number at a share of the way; the way itself may be longer than a number can say. */
function between(min: number, max: number, share: number): number {
  const span = max - min;
  return Number.isFinite(span) ? min + share * span : min * (1 - share) + max * share;
}

/** Rounds to 32 bits without leaving `[min, max)`, as far as it holds such a number at all. */
function floatWithin(min: number, max: number): (value: number) => number {
  const lowest = neighbour(min, 1);
  const highest = neighbour(max, -1);
  if (lowest >= max || highest < min) return () => Math.fround(min);
  return (value) => {
    const rounded = Math.fround(value);
    return rounded >= max ? highest : rounded < min ? lowest : rounded;
  };
}

/** The first 32-bit number at or above a number (`direction` 1), or below it (-1). */
function neighbour(value: number, direction: 1 | -1): number {
  const float = new Float32Array([value]);
  const bits = new Int32Array(float.buffer);
  const isThere = direction === 1 ? float[0]! >= value : float[0]! < value;
  if (isThere) return float[0]!;
  if (float[0] === 0) return direction === 1 ? 1e-45 : Math.fround(-1e-45);
  bits[0] = bits[0]! + (float[0]! > 0 ? direction : -direction);
  return float[0]!;
}

/** Random whole numbers of 64 or 128 bits, as words. */
function wideFill(min: bigint, max: bigint, wordsPerRow: 2 | 4 = 2): Fill {
  const span = max > min ? max - min : 1n;
  return (column, row, count, seed, first) => {
    const words = column.words!;
    for (let i = 0; i < count; i++) {
      let value = min + wideBelow(seed, first + i, span);
      for (let word = 0; word < wordsPerRow; word++, value >>= 32n) {
        words[wordsPerRow * (row + i) + word] = Number(BigInt.asUintN(32, value));
      }
    }
    wrote(column, row, count);
  };
}

/** A whole number from 0 up to but without `span` of at most 128 bits; draws again so that all are equally likely. */
function wideBelow(seed: number, entry: number, span: bigint): bigint {
  if (span <= BigInt(two53)) return BigInt(below(seed, entry, Number(span)));
  const bits = span.toString(2).length;
  for (let draw = seed; ; draw = (draw + 0x632be5ab) | 0) {
    let value = 0n;
    for (const salt of [0, 0x2545f491, -1, 0x6d2b79f5]) value = (value << 32n) | BigInt(bits32(draw ^ salt, entry));
    value = BigInt.asUintN(bits, value);
    if (value < span) return value;
  }
}
