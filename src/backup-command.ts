import { existsSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { progressLine, withSettings } from './command.js';
import type { Settings } from './config/adapter-settings.js';
import { EngineClient } from './database/engine/client.js';
import { listBackups, makeBackup, restoreBackup } from './database/host/backup.js';
import { findEndpoint } from './database/host/endpoint-file.js';
import { version } from './version.js';
import { waitForRows } from './waiting-rows.js';

const help = `sluice backup <directory> [--name=value ...]
  Writes a backup of a running service to a new directory in <directory>, with all rows that it had answered. Every
  backup is whole; files that the backup before has as well are shared with it by links. Run it on the same machine, as the same operating-system user.

sluice restore <directory> [--from=<name>] [--name=value ...]
  Brings the newest backup of <directory>, or the one that is named, back into the data directory of the settings
  (--database.path), which must be empty. Then start the service with that data directory.

--name=value are settings of the service; see sluice --help.
`;

/** Freezing a table is quick, however large it is. */
const statementTimeoutMs = 60_000;

/** What the command line asks for. */
interface Asked {
  readonly directory: string;
  readonly from: string | undefined;
  readonly settings: readonly string[];
}

/** Runs `sluice backup` or `sluice restore` and gives the exit code: 2 for a mistake on the command line, 1 for other trouble. */
export async function runBackupCommand(command: 'backup' | 'restore', argv: readonly string[]): Promise<number> {
  const asked = readAsked(argv);
  if (argv.includes('--help') || asked === undefined) {
    process[asked === undefined ? 'stderr' : 'stdout'].write(help);
    return asked === undefined && !argv.includes('--help') ? 2 : 0;
  }
  return withSettings(asked.settings, async (settings) => (command === 'backup' ? backup : restore)(asked, settings));
}

function readAsked(argv: readonly string[]): Asked | undefined {
  const [directory, ...others] = argv;
  if (directory === undefined || directory.startsWith('-')) return undefined;
  const from = others.find((argument) => argument.startsWith('--from='))?.slice('--from='.length);
  const settings = others.filter((argument) => !argument.startsWith('--from='));
  return { directory, from, settings };
}

async function backup({ directory }: Asked, { database, general }: Settings): Promise<void> {
  const engine = runningEngine(database);
  try {
    const show = progressLine('tables');
    const waited = await waitForRows(general.port);
    const made = await makeBackup(engine, directory, version, show.progress);
    show.end();
    if (waited !== 'stored') {
      process.stderr.write(`sluice: ${waited.problem}. Rows that wait in the write-ahead log may be missing.\n`);
    }
    const place = join(resolve(directory), made.name);
    process.stdout.write(`Backup ${place}: ${size(made.bytes)}, of it ${size(made.newBytes)} new.
`);
  } finally {
    await engine.close();
  }
}

function runningEngine({ mode, urls, cluster, host, port, user, password }: Settings['database']): EngineClient {
  const requestTimeoutMs = statementTimeoutMs;
  const [url] = urls;
  if (cluster !== '') {
    throw new Error(
      'A cluster is backed up by the statement BACKUP of its nodes, on a replica of each shard; see docs/cluster.md.',
    );
  }
  if (mode === 'cluster' && url !== undefined) {
    return new EngineClient({ url, user, password, isServer: true, requestTimeoutMs });
  }
  const found = password === '' ? findEndpoint(port) : { url: `http://${host}:${port}`, user, password };
  if (found === undefined) {
    const text = `No service of this operating-system user runs with its database on port ${port}.`;
    throw new Error(
      `${text} Run the command as the user of the service, or name --database.port and --database.password.`,
    );
  }
  return new EngineClient({ ...found, requestTimeoutMs });
}

function restore({ directory, from }: Asked, { database }: Settings): void {
  const backups = listBackups(directory);
  const chosen = from === undefined ? backups.at(-1) : backups.find(({ name }) => name === from);
  if (chosen === undefined) {
    const names = backups.map(({ name }) => name).join(', ');
    throw new Error(
      from === undefined || names === ''
        ? `There is no backup in ${resolve(directory)}.`
        : `There is no backup ${from}; there are ${names}.`,
    );
  }
  const path = resolve(database.path);
  if (database.mode === 'cluster')
    throw new Error('A backup is restored into a data directory: leave out database.mode.');
  if (existsSync(path) && readdirSync(path).length > 0) {
    throw new Error(`${path} is not empty. Name another directory with --database.path, or move this one away.`);
  }
  const show = progressLine('files');
  restoreBackup(directory, chosen, path, show.progress);
  show.end();
  process.stdout.write(`Restored ${chosen.name} into ${path}. Start the service with --database.path=${path}.\n`);
}

function size(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  return bytes < 1024 * 1024 ? `${(bytes / 1024).toFixed(1)} KB` : `${(bytes / 1024 / 1024).toFixed(1)} MB`;
}
