import { two32, two53 } from '../../bytes/words.js';
import type { ColumnBuilder } from '../../model/column-block.js';
import { type DataType, integerRanges, type TypeName } from '../../model/schema.js';
import { below, bits32 } from './random.js';

/**
 * Writes the values of pool entries `first`, `first + 1`, … to `count` rows from `row` on, which are reserved. `timeWords` are
 * the times of the rows as low and high words, row 0 first.
 */
export type Fill = (
  column: ColumnBuilder,
  row: number,
  count: number,
  seed: number,
  first: number,
  timeWords: Uint32Array,
) => void;

/** Decimal places of random numbers, as a factor. */
const placesOf: Partial<Record<TypeName, number>> = { FLOAT: 1e3, DOUBLE: 1e6 };

/** True for the types whose values are 64 bits wide and whole. */
export function isWide(type: TypeName): boolean {
  return type === 'BIGINT' || type === 'BIGINT UNSIGNED' || type === 'TIMESTAMP';
}

/** Random values from `min` up to but without `max`; equal bounds are a constant. */
export function rangeFill(type: TypeName, min: number | bigint, max: number | bigint): Fill {
  if (isWide(type)) return wideFill(wholeOf(min), wholeOf(max));
  if (type === 'BOOL') return min === max ? constantFill(Number(min) === 0 ? 0 : 1) : boolFill;
  if (type === 'FLOAT' || type === 'DOUBLE') return realFill(type, Number(min), Number(max));
  return smallFill(Math.trunc(Number(min)), Math.trunc(Number(max)));
}

/** `first + step × k`, k a whole number below `count`. */
export function stepsFill(type: TypeName, first: number, step: number, count: number): Fill {
  const places = placesOf[type] === undefined ? 1 : 1e6;
  // Sums of decimal fractions are rounded to what a person would have written.
  const values = Array.from({ length: count }, (_, k) => Math.round((first + step * k) * places) / places);
  return numberFill(type, (seed, entry) => values[below(seed, entry, count)]!);
}

/** Values that a function gives for each entry and time; those of integer types are cut towards zero and kept in range. */
export function numberFill(
  type: TypeName,
  produce: (seed: number, entry: number, low: number, high: number) => number,
): Fill {
  const range = isWide(type) ? undefined : integerRanges[type];
  const [min, max] = [Number(range?.min), Number(range?.max)];
  return (column, row, count, seed, first, timeWords) => {
    const { words, values } = column;
    for (let i = 0; i < count; i++) {
      const at = 2 * (row + i);
      let value = produce(seed, first + i, timeWords[at] ?? 0, timeWords[at + 1] ?? 0);
      if (range !== undefined) value = Math.max(min, Math.min(max, Math.trunc(value)));
      if (words !== undefined && isWide(type)) {
        const whole = Math.trunc(value);
        words[at] = whole >>> 0;
        words[at + 1] = Math.floor(whole / two32);
      } else if (isNumeric(values)) {
        values[row + i] = value;
      }
    }
    wrote(column, row, count);
  };
}

/** Every row the same 64-bit value, as told by a function when the rows are made. */
export function wideConstantFill(valueNow: () => bigint): Fill {
  return (column, row, count) => {
    const { values } = column;
    if (values instanceof BigInt64Array || values instanceof BigUint64Array) values.fill(valueNow(), row, row + count);
    wrote(column, row, count);
  };
}

/** Says that rows of a fixed-width column hold values. */
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

function constantFill(value: number): Fill {
  return (column, row, count) => {
    if (isNumeric(column.values)) column.values.fill(value, row, row + count);
    wrote(column, row, count);
  };
}

const boolFill: Fill = (column, row, count, seed, first) => {
  const { values } = column;
  if (!isNumeric(values)) return;
  for (let i = 0; i < count; i++) values[row + i] = bits32(seed, first + i) & 1;
  wrote(column, row, count);
};

function smallFill(min: number, max: number): Fill {
  if (max <= min) return constantFill(min);
  const span = max - min;
  return (column, row, count, seed, first) => {
    const { values } = column;
    if (!isNumeric(values)) return;
    for (let i = 0; i < count; i++) values[row + i] = min + below(seed, first + i, span);
    wrote(column, row, count);
  };
}

/** Numbers with three decimal places, DOUBLE with six, where the bounds leave room for them. */
function realFill(type: 'FLOAT' | 'DOUBLE', min: number, max: number): Fill {
  const round = type === 'FLOAT' ? floatWithin(min, max) : (value: number) => (value < max ? value : min);
  if (max <= min) return constantFill(type === 'FLOAT' ? Math.fround(min) : min);
  const places = placesOf[type] ?? 1;
  const steps = Math.ceil((max - min) * places);
  const base = Math.round(min * places);
  const isEven = base / places === min && Math.abs(base) + steps < two53;
  return (column, row, count, seed, first) => {
    const { values } = column;
    if (!isNumeric(values)) return;
    for (let i = 0; i < count; i++) {
      const share = below(seed, first + i, isEven ? steps : two53);
      values[row + i] = round(isEven ? (base + share) / places : between(min, max, share / two53));
    }
    wrote(column, row, count);
  };
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

/** Random DECIMALs from `min` up to but without `max`, both scaled to whole numbers; a type of more than 18 digits has 128 bits. */
export function decimalFill({ length }: DataType, min: bigint, max: bigint): Fill {
  return wideFill(min, max > min ? max : min + 1n, length > 18 ? 4 : 2);
}

function wideFill(min: bigint, max: bigint, wordsPerRow: 2 | 4 = 2): Fill {
  if (max <= min) return wideConstantFill(() => min);
  const span = max - min;
  const least = wordsOf(min);
  const offset = span <= BigInt(two53) ? offsetBelow(Number(span)) : wideOffsetBelow(span);
  return (column, row, count, seed, first) => {
    const words = column.words!;
    for (let i = 0; i < count; i++) {
      offset(seed, first + i);
      let carry = 0;
      for (let word = 0; word < wordsPerRow; word++) {
        const sum = least[word]! + drawn[word]! + carry;
        words[wordsPerRow * (row + i) + word] = sum;
        carry = sum >= two32 ? 1 : 0;
      }
    }
    wrote(column, row, count);
  };
}

/** Words of the number drawn last, the lowest first. */
const drawn = new Uint32Array(4);

/** The words of a number of 128 bits, the lowest first. */
function wordsOf(value: bigint): Uint32Array {
  return Uint32Array.from([0n, 32n, 64n, 96n], (shift) => Number(BigInt.asUintN(32, value >> shift)));
}

function offsetBelow(span: number): (seed: number, entry: number) => void {
  return (seed, entry) => {
    const value = below(seed, entry, span);
    drawn[0] = value;
    drawn[1] = Math.floor(value / two32);
    drawn.fill(0, 2);
  };
}

/** Draws again while the number is not below the span, so that none is likelier than another. */
function wideOffsetBelow(span: bigint): (seed: number, entry: number) => void {
  const most = wordsOf(span - 1n);
  const top = most.findLastIndex((word) => word > 0);
  const mask = 2 ** (32 - Math.clz32(most[top]!)) - 1;
  return (seed, entry) => {
    let draw = seed;
    do {
      drawn.fill(0, top + 1);
      for (let word = 0; word <= top; word++) drawn[word] = bits32(wordSeed(draw, word), entry);
      drawn[top] = (drawn[top]! & mask) >>> 0;
      draw = (draw + 0x632be5ab) | 0;
    } while (isAbove(most, top));
  };
}

/** The seed of a word of a number: each of the four has its own. */
function wordSeed(seed: number, word: number): number {
  const mixed = word < 2 ? seed : seed ^ 0x2545f491;
  return word % 2 === 0 ? mixed : ~mixed;
}

/** True when the number drawn last is above another one, whose words above `top` are 0. */
function isAbove(most: Uint32Array, top: number): boolean {
  for (let word = top; word >= 0; word--) if (drawn[word] !== most[word]) return drawn[word]! > most[word]!;
  return false;
}
