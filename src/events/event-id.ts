import { createHash, randomBytes } from 'node:crypto';

/**
 * A new id for an event: a version 7 UUID (RFC 9562, 5.7) of its start time in Unix ms, so that ids sort by time and
 * the store finds an event by its id alone.
 */
export function newEventId(startMs: number): string {
  const time = Math.floor(startMs).toString(16).padStart(12, '0');
  const bytes = randomBytes(10);
  bytes[0] = (bytes[0]! & 0x0f) | 0x70;
  bytes[2] = (bytes[2]! & 0x3f) | 0x80;
  const rest = bytes.toString('hex');
  return `${time.slice(0, 8)}-${time.slice(8)}-${rest.slice(0, 4)}-${rest.slice(4, 8)}-${rest.slice(8)}`;
}

/** The slot of what these parts name together: a 64-bit hash in decimal digits. */
export function slotOf(...parts: readonly string[]): string {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(`${part.length}:${part}`);
  return hash.digest().readBigUInt64LE(0).toString();
}
