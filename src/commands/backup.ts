import { existsSync, lstatSync, readdirSync, rmSync } from 'node:fs';
import { get, type IncomingMessage } from 'node:http';
import { get as getSecurely } from 'node:https';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Settings } from '../config/adapter-settings.js';
import { EngineClient } from '../database/engine/client.js';
import {
  type Backup,
  backupName,
  finishBackup,
  listBackups,
  makeBackup,
  refuseUnfinished,
  restoreBackup,
  unfinishedBackups,
} from '../database/host/backup.js';
import { findEndpoint } from '../database/host/endpoint-file.js';
import { makePrivate } from '../database/host/make-missing.js';
import { release } from '../model/version.js';
import { progressLine, withSettings } from './command.js';
import { copyDatabases, inDirectory } from './copy-databases.js';

const help = `sluice backup <directory> [--name=value ...]
  Writes a backup of a running service to a new directory in <directory>, with all rows that it had answered. Every
  backup is whole; files that have not changed since the backup before are shared with it by links. Run it on the
  same machine, as the same operating-system user.

sluice restore <directory> [--from=<name>] [--name=value ...]
  Brings the newest backup of <directory>, or the one that is named, back into the data directory of the settings
  (--database.path), which must be empty. Then start the service with that data directory.

Of a cluster (--database.mode=cluster, --database.cluster and so on) a backup is a copy of all rows in one data
directory, which needs room for them. Bring it back into an empty cluster by restore with the settings of that one.

--name=value are settings of the service; see sluice --help.
`;

/** Freezing a table is quick, however large it is. */
const statementTimeoutMs = 60_000;

/** The command line as it was read. */
interface BackupArguments {
  readonly directory: string;
  readonly from: string | undefined;
  readonly settings: readonly string[];
}

/**
 * Runs `sluice backup` or `sluice restore` and gives the exit code: 2 for a mistake on the command line, 1 for other
 * trouble.
 */
export async function runBackupCommand(command: 'backup' | 'restore', argv: readonly string[]): Promise<number> {
  const parsed = readArguments(argv);
  if (argv.includes('--help') || parsed === undefined) {
    process[parsed === undefined ? 'stderr' : 'stdout'].write(help);
    return parsed === undefined && !argv.includes('--help') ? 2 : 0;
  }
  return withSettings(parsed.settings, async (settings) => (command === 'backup' ? backup : restore)(parsed, settings));
}

function readArguments(argv: readonly string[]): BackupArguments | undefined {
  const [directory, ...others] = argv;
  if (directory === undefined || directory.startsWith('-')) return undefined;
  const from = others.find((argument) => argument.startsWith('--from='))?.slice('--from='.length);
  const settings = others.filter((argument) => !argument.startsWith('--from='));
  return { directory, from, settings };
}

async function backup({ directory }: BackupArguments, settings: Settings): Promise<void> {
  const { database } = settings;
  if (database.cluster !== '') return backupCluster(directory, settings);
  const engine = runningEngine(database);
  try {
    const show = progressLine('tables');
    const waited = await waitForRows(settings);
    const done = await makeBackup(engine, directory, release, show.progress);
    show.end();
    report(directory, done, waited);
  } finally {
    await engine.close();
  }
}

/** A copy in a data directory of its own, which is a backup once a file says that it is whole. */
async function backupCluster(directory: string, settings: Settings): Promise<void> {
  const name = backupName();
  const place = join(resolve(directory), name);
  makePrivate(place);
  try {
    const waited = await waitForRows(settings);
    const show = progressLine('rows');
    const options = { keepsFollowers: true, progress: show.progress };
    const { followers } = await copyDatabases(settings, inDirectory(settings, place), options);
    show.end();
    const bytes = bytesIn(place);
    const backup: Backup = { name, format: 1, version: release, bytes, newBytes: bytes, followers };
    finishBackup(resolve(directory), backup);
    report(directory, backup, waited);
  } catch (error) {
    rmSync(place, { recursive: true, force: true });
    throw error;
  }
}

function report(directory: string, { name, bytes, newBytes }: Backup, waited: WaitedFor): void {
  if (waited !== 'stored') {
    process.stderr.write(`sluice: ${waited.problem}. Rows that wait in the write-ahead log may be missing.\n`);
  }
  const unfinished = unfinishedBackups(directory);
  if (unfinished.length > 0) {
    const what = 'Backups that were broken off take room there, and can be removed if none is being made';
    process.stderr.write(`sluice: ${what}: ${unfinished.join(', ')}.\n`);
  }
  const place = join(resolve(directory), name);
  process.stdout.write(`Backup ${place}: ${size(bytes)}, of it ${size(newBytes)} new.\n`);
}

function bytesIn(place: string): number {
  const files = readdirSync(place, { recursive: true, encoding: 'utf8' }).map((name) => lstatSync(join(place, name)));
  return files.reduce((sum, file) => sum + (file.isFile() ? file.size : 0), 0);
}

function runningEngine({ mode, urls, host, port, user, password }: Settings['database']): EngineClient {
  const requestTimeoutMs = statementTimeoutMs;
  const [url] = urls;
  if (mode === 'cluster' && url !== undefined) {
    return new EngineClient({ url, user, password, requestTimeoutMs });
  }
  const endpoint = password === '' ? findEndpoint(port) : { url: `http://${host}:${port}`, user, password };
  if (endpoint === undefined) {
    const text = `No service of this operating-system user runs with its database on port ${port}.`;
    throw new Error(
      `${text} Run the command as the user of the service, or name --database.port and --database.password.`,
    );
  }
  return new EngineClient({ ...endpoint, requestTimeoutMs });
}

async function restore({ directory, from }: BackupArguments, settings: Settings): Promise<void> {
  const { database } = settings;
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
  if (database.cluster !== '') {
    const show = progressLine('rows');
    const source = inDirectory(settings, join(resolve(directory), chosen.name));
    const options = { keepsFollowers: chosen.followers !== undefined, progress: show.progress };
    const { rows } = await copyDatabases(source, settings, options);
    show.end();
    process.stdout.write(`Restored ${chosen.name} into the cluster, ${rows} rows. Services can be started on it.\n`);
    return;
  }
  if (chosen.followers !== undefined && chosen.followers.length > 0) {
    const names = chosen.followers.join(', ');
    throw new Error(`${chosen.name} has topics and streams of a cluster, and can be restored into one only: ${names}.`);
  }
  const path = resolve(database.path);
  if (database.mode === 'cluster')
    throw new Error('A backup is restored into a data directory: leave out database.mode.');
  refuseUnfinished(path);
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

const pollMs = 100;
/** A service whose rows wait for longer has a database that does not keep up. */
const patienceMs = 60_000;
const timeoutMs = 5_000;

/** Whether the waiting rows are stored, or why that is unknown, in words. */
type WaitedFor = 'stored' | { readonly problem: string };

/**
 * Waits until all rows are stored that a service had answered when this was called. Rows that come meanwhile are not
 * waited for. Asks for the public metrics of the service, which need no password.
 */
async function waitForRows(settings: Settings): Promise<WaitedFor> {
  const begun = performance.now();
  for (;;) {
    const requested = performance.now();
    const oldest = await oldestSeconds(settings);
    if (oldest === undefined) {
      return {
        problem: `No service answers on port ${settings.general.port}; name its --port, or its settings file with -c`,
      };
    }
    // All waiting rows came after the beginning when even the oldest is younger.
    if (oldest * 1000 < requested - begun || oldest === 0) return 'stored';
    if (performance.now() - begun > patienceMs) {
      return { problem: `The database has not stored answered rows that are ${Math.round(oldest)} s old` };
    }
    await sleep(pollMs);
  }
}

/** Age of the oldest row that waits, 0 when none does; undefined where no service answers. */
async function oldestSeconds({ general: { port }, tls }: Settings): Promise<number | undefined> {
  const send = tls === undefined ? get : getSecurely;
  const signal = AbortSignal.timeout(timeoutMs);
  // The certificate may be in another name than that of the loopback.
  const options = { host: '127.0.0.1', port, path: '/metrics', signal, rejectUnauthorized: false };
  try {
    const answer = await new Promise<IncomingMessage>((resolve, reject) => send(options, resolve).on('error', reject));
    const [, value] = /^adapter_wal_oldest_seconds (\S+)$/m.exec(await text(answer)) ?? [];
    return value === undefined ? undefined : Number(value);
  } catch {
    return undefined;
  }
}
