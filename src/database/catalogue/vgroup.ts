import { crc32 } from 'node:zlib';
import type { Vgroups } from './state.js';

/**
 * The vgroup of a table: its full name's checksum spread over the vgroups of its database. The table need not exist.
 * Vgroups are numbers here, which clients show and ask for; no data is kept by them.
 */
export function vgroupOf({ first, count }: Vgroups, database: string, table: string): number {
  return first + (crc32(`${database}.${table}`) % count);
}
