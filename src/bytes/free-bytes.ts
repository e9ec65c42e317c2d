import type { StatsFs } from 'node:fs';

/** Bytes of a disk that its users may still take, from `statfs`; without those that are reserved for root. */
export function freeBytesOf({ bavail, bsize }: StatsFs): number {
  return bavail * bsize;
}
