import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Settings of every table that make what is stored survive a loss of power. An insert ends when the files of its part and their names
 * are on the disk; a merge does so before the parts that it replaces are removed. Without them the system writes files when it
 * likes, within half a minute or so, and a merge may have replaced rows of last year by a file that is not on the disk.
 */
export const throughToDisk = {
  fsync_after_insert: 1,
  fsync_part_directory: 1,
  min_rows_to_fsync_after_merge: 1,
} as const;

/**
 * Writes the configuration that the engine reads at its start, into a directory that is gone with the host: settings of all tables,
 * those of earlier versions too, which no statement can give. That there is one also keeps the engine from looking for others.
 * @returns the option of the engine that names it.
 */
export function engineConfig(directory: string, sync: boolean): string {
  const path = join(directory, 'engine.xml');
  const settings = sync ? Object.entries(throughToDisk).map(([name, value]) => `<${name}>${value}</${name}>`) : [];
  writeFileSync(path, `<clickhouse><merge_tree>${settings.join('')}</merge_tree></clickhouse>\n`, { mode: 0o600 });
  return `--config-file=${path}`;
}
