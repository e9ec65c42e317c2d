import { existsSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Settings } from '../config/adapter-settings.js';
import { progressLine, settingsOf, withSettings } from './command.js';
import { copyDatabases, inDirectory } from './copy-databases.js';

const help = `sluice move <from> [--name=value ...]
  Copies all databases of <from> to the database of the settings (--database.mode=cluster, --database.urls, --database.cluster and so on),
  which must be empty. <from> is a data directory, or the settings file of a service on a cluster; its services have been
  stopped. Once the command says so, services can be started on the new database: they take rows while those of before are
  copied. A command that broke off is run again.

--name=value are settings of the service; see sluice --help.
`;

/** Runs `sluice move` and gives the exit code: 2 for a mistake on the command line, 1 for other trouble. */
export async function runMoveCommand([from, ...settings]: readonly string[]): Promise<number> {
  if (from === undefined || from.startsWith('-')) {
    const isHelp = from === '--help';
    process[isHelp ? 'stdout' : 'stderr'].write(help);
    return isHelp ? 0 : 2;
  }
  return withSettings(settings, (read) => move(resolve(from), read));
}

/** The settings of the database that is moved. */
function source(place: string, settings: Settings): Settings {
  if (statSync(place, { throwIfNoEntry: false })?.isFile() === true) return settingsOf(place);
  if (!existsSync(join(place, 'metadata')))
    throw new Error(`${place} is no data directory of a service, and no settings file.`);
  return inDirectory(settings, place);
}

async function move(place: string, settings: Settings): Promise<void> {
  if (settings.database.mode !== 'cluster') {
    throw new Error('Name the new database: --database.mode=cluster and its addresses.');
  }
  const show = progressLine('rows');
  const { rows } = await copyDatabases(source(place, settings), settings, {
    keepsFollowers: false,
    defined: () => {
      process.stdout.write(
        'Databases, tables and users are there: the service can be started on the new database now.\n',
      );
    },
    progress: show.progress,
  });
  show.end();
  process.stdout.write(`Moved ${rows} rows.\n`);
}
