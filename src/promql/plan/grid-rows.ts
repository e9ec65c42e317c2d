import { varintLength } from '../../bytes/varint.js';
import { staleBits } from '../source.js';
import { absentBits, inexactBits } from './grid-query.js';

/** Numbers of series at steps: those of the series with the id `ids[i]` begin at `i * steps`. */
interface Grid {
  readonly ids: BigUint64Array;
  readonly values: Float64Array;
  /** 1 where there is a value. */
  readonly present: Uint8Array;
}

/**
 * Reads the rows of {@link gridQuery} in the engine's binary format: an id of 8 bytes, the number of steps, and 8 bytes
 * for each. Undefined when the numbers of some series are not exact.
 */
export function readGrid(rows: Buffer, steps: number): Grid | undefined {
  const rowBytes = 8 + varintLength(steps) + steps * 8;
  const count = rows.length / rowBytes;
  if (!Number.isInteger(count)) throw new Error(`a grid of ${rows.length} bytes has no whole rows of ${steps} steps`);
  const ids = new BigUint64Array(count);
  const values = new Float64Array(count * steps);
  const present = new Uint8Array(count * steps).fill(1);
  const target = new Uint8Array(values.buffer);
  for (let row = 0; row < count; row++) {
    const at = row * rowBytes;
    ids[row] = rows.readBigUInt64LE(at);
    target.set(rows.subarray(at + rowBytes - steps * 8, at + rowBytes), row * steps * 8);
  }
  const halves = new Uint32Array(values.buffer);
  for (let i = 0; i < present.length; i++) {
    if (halves[2 * i + 1] !== absentBits.high) continue;
    const low = halves[2 * i];
    if (low === inexactBits.low) return undefined;
    if (low === absentBits.low || low === staleBits.low) present[i] = 0;
  }
  return { ids, values, present };
}
