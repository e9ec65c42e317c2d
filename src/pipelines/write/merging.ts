import type { ByteBlock, Target } from '../../model/batch.js';
import { lineRules } from '../formats.js';

/** Longest payload that is worth being merged with others, and longest merged payload, in bytes. */
const maxPayloadBytes = 16 * 1024;
export const maxMergedBytes = 256 * 1024;
const newline = 0x0a;

/** The parts of a payload on which the decision depends. */
type Mergeable = Pick<ByteBlock, 'format' | 'bytes' | 'part'>;

/**
 * True for a short payload of lines that means the same with others behind it: its format says so, by the rules of the
 * parser. If a payload is wrong about that, the parser finds a torn line.
 */
export function mayMerge({ format, bytes, part }: Mergeable): boolean {
  if (bytes.length > maxPayloadBytes || (part !== undefined && !(part.first && part.last))) return false;
  return lineRules[format]?.endsItsLines(bytes) === true;
}

/**
 * True if the last row of a payload has a time of its own. Rows without one have the time of arrival of their payload.
 */
export function bringsTime({ format, bytes }: Mergeable): boolean {
  return lineRules[format]?.endsWithTime(bytes) === true;
}

type SharedTarget = Pick<Target, 'database' | 'user' | 'precision' | 'ttl' | 'createDatabase'>;

/** True for two targets whose payloads may be one. */
export function isSameTarget(a: SharedTarget, b: SharedTarget): boolean {
  if (a.database !== b.database || a.user !== b.user || a.precision !== b.precision) return false;
  return a.ttl === b.ttl && a.createDatabase === b.createDatabase;
}

/** Several payloads of lines as one, and where each of them ends in it. */
interface MergedLines {
  readonly bytes: Buffer;
  readonly ends: readonly number[];
}

/** Puts payloads of lines one behind the other; the last line of each may lack its line break. */
export function mergeLines(payloads: readonly Uint8Array[]): MergedLines {
  let length = 0;
  for (const payload of payloads) length += payload.length + 1;
  const bytes = Buffer.allocUnsafe(length);
  const ends: number[] = [];
  let at = 0;
  for (const payload of payloads) {
    bytes.set(payload, at);
    at += payload.length;
    if (payload.length > 0 && bytes[at - 1] !== newline) bytes[at++] = newline;
    ends.push(at);
  }
  return { bytes: bytes.subarray(0, at), ends };
}
