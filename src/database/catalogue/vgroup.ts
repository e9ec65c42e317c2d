import { crc32 } from 'node:zlib';
import { expectedFault, type Fault, missingDatabase } from '../../model/fault.js';
import type { Catalogue } from './catalogue.js';
import type { Access } from './rights.js';
import type { Vgroups } from './state.js';

/**
 * The vgroup of a table: its full name's checksum spread over the vgroups of its database. The table need not exist.
 * Vgroups are numbers here, which clients show and request; no data depends on them.
 */
export function vgroupOf({ first, count }: Vgroups, database: string, table: string): number {
  return first + (crc32(`${database}.${table}`) % count);
}

/** The vgroups of tables of one database, in their order; a fault when the user sees no such database. */
export async function vgroupsOf(
  access: Access,
  catalogue: Catalogue,
  database: string,
  tables: readonly string[],
): Promise<readonly number[] | Fault> {
  if (catalogue.database(database) === undefined) {
    try {
      await catalogue.sync();
    } catch (error) {
      return expectedFault(error);
    }
  }
  if (access.sees(database) && catalogue.database(database) === undefined) return missingDatabase(database);
  if (!access.sees(database)) return access.refusal(database).fault;
  const vgroups = catalogue.vgroups(database);
  return tables.map((table) => vgroupOf(vgroups, database, table));
}
