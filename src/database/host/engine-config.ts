import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { throughToDisk } from '../engine/through-to-disk.js';

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
