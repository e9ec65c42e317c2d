import type { RowKey } from '../../sql/engine/storage.js';

/**
 * How far a history was read: everything up to the insert of a number, or, of that insert itself, only the rows up to a
 * key in the order of keys.
 */
export interface ReadPosition {
  readonly number: number;
  readonly key?: RowKey;
}

/** Before everything. */
export const beginning: ReadPosition = { number: 0 };

/**
 * The place under this name says that a group has begun to read a vgroup: engine tables made later are read from the
 * start.
 */
export const begun = '';

/** Positions in the histories of several engine tables as one number, which grows with each of them. */
export function offsetOf(places: ReadonlyMap<string, ReadPosition>): bigint {
  let sum = 0n;
  // Of an insert that is read in part nothing counts.
  for (const { number, key } of places.values()) sum += BigInt(key === undefined ? number : number - 1);
  return sum;
}

const digits = 16;
const wholeInsert = 'f'.repeat(2 * digits);
/** Makes the order of signed numbers that of unsigned ones. */
const signedBias = 1n << 63n;

/** A place as text: of two places the one farther on is the greater text. */
export function encodePosition({ number, key }: ReadPosition): string {
  if (key === undefined) return hex(BigInt(number)) + wholeInsert;
  return hex(BigInt(number)) + hex(key.id) + hex(key.time + signedBias);
}

/** The inverse of {@link encodePosition}. */
export function decodePosition(text: string): ReadPosition {
  const number = Number(`0x${text.slice(0, digits)}`);
  if (text.endsWith(wholeInsert)) return { number };
  const [id, time] = [text.slice(digits, 2 * digits), text.slice(2 * digits)];
  return { number, key: { id: BigInt(`0x${id}`), time: BigInt(`0x${time}`) - signedBias } };
}

function hex(value: bigint): string {
  return value.toString(16).padStart(digits, '0');
}
