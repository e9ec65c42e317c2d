import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { reservedFreeBytes } from '../../engine/definition-room.js';
import { throughToDisk } from '../../engine/through-to-disk.js';

/**
 * How long the parts stay that a merge has replaced, in seconds: several heartbeats, each of which notices writes that
 * failed. A part of a torn merge is left out by the next start, which takes these instead. By itself the embedded
 * engine removes them whenever it looks for some.
 */
export const replacedPartsSeconds = 10;

/**
 * Long merges of tables with two columns of values and more go column by column, as the engine does by itself from
 * eleven on; see docs/decisions/040.
 */
const merges = {
  vertical_merge_algorithm_min_columns_to_activate: 2,
  old_parts_lifetime: replacedPartsSeconds,
} as const;

/**
 * Writes the configuration that the engine reads at its start, into a directory that is gone with the host: settings of
 * all tables, those of earlier versions too, which no statement can give. That there is one also keeps the engine from
 * looking for others.
 * @returns the option of the engine that names it.
 */
export function engineConfig(directory: string, sync: boolean): string {
  const path = join(directory, 'engine.xml');
  const settings = Object.entries({ ...merges, ...(sync ? throughToDisk : {}) });
  const elements = settings.map(([name, value]) => `<${name}>${value}</${name}>`).join('');
  const reserve = `<keep_free_space_bytes>${reservedFreeBytes}</keep_free_space_bytes>`;
  const disks = `<storage_configuration><disks><default>${reserve}</default></disks></storage_configuration>`;
  writeFileSync(path, `<clickhouse><merge_tree>${elements}</merge_tree>${disks}</clickhouse>\n`, { mode: 0o600 });
  return `--config-file=${path}`;
}
