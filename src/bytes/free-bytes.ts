import type { StatsFs } from 'node:fs';

/** Bytes of a disk that its users may still take, from what `statfs` tells; without those that are kept for root. */
export function freeBytesOf({ bavail, bsize }: StatsFs): number {
  return bavail * bsize;
}
