import {
  copyFileSync,
  cpSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { Codes, FaultError } from '../../model/fault.js';
import { quoteIdentifier, quoteString } from '../../sql/engine/quote.js';
import { parseJson } from '../../text/json.js';
import type { Engine } from '../engine/engine.js';
import { noEffect } from '../engine/request.js';
import { isHeld, lockDirectory } from './lock.js';
import { makePrivate } from './make-missing.js';

/** One finished backup: a data directory as it was at one time, and a file about it, which is written last. */
export interface Backup {
  /** Name of its directory: the time at which it was begun, in UTC. */
  readonly name: string;
  /** Form of what is in the directory. */
  readonly format: 1;
  /** Version of the program that made it. */
  readonly version: string;
  /** Bytes of all files. */
  readonly bytes: number;
  /** Bytes that were not in the backup before, whose files are shared by links. */
  readonly newBytes: number;
  /** Of a backup of a cluster: names of topics and streams, whose places mean nothing outside of a cluster. */
  readonly followers?: readonly string[];
}

/** Called with the number of tables, or files, that are done. */
export type Progress = (done: number, of: number) => void;

const manifestName = 'backup.json';
/** As {@link backupName} makes them. */
const backupForm = /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3}Z$/;
/** Progress of a restore is reported once for so many files. */
const filesPerReport = 256;
/** Folders of a backup, named as in the data directory: definitions, and the rows of tables. */
const [metadata, store] = ['metadata', 'store'];
/** In a data directory while a backup is copied into it. */
const unfinishedName = 'restore-is-not-finished';
/** Links to the rows of a backup that is being made are in a folder of this one, whose name begins so. */
const [shadow, freezePrefix] = ['shadow', 'backup'];
/**
 * Files of a table that are not of one of its parts: the form of the table, and changes of rows that are not through.
 */
const tableFile = /^(?:format_version\.txt|mutation_\d+\.txt)$/;

/** The finished backups in a directory, oldest first; none where there is no such directory. */
export function listBackups(directory: string): readonly Backup[] {
  if (!existsSync(directory)) return [];
  const names = readdirSync(directory).filter((name) => existsSync(join(directory, name, manifestName)));
  return names.sort().map((name) => readManifest(join(directory, name, manifestName), name));
}

/** Names of backups in a directory that have not ended: they are being made, or their process was killed. */
export function unfinishedBackups(directory: string): readonly string[] {
  const names = readdirSync(directory).filter((name) => backupForm.test(name));
  return names.filter((name) => !existsSync(join(directory, name, manifestName))).toSorted();
}

/**
 * Writes a backup of everything to a new directory in `directory`; the engine's data directory must be on this machine.
 * Each table is frozen by links, which takes no time and stops no writes, and copied from there. Rows are frozen before
 * the catalogue and the list of sub-tables, so that what rows mean is always in the backup. Files that the backup
 * before has are linked to it. Rejects with one line when something fails, and leaves nothing.
 */
export async function makeBackup(
  engine: Engine,
  directory: string,
  version: string,
  progress: Progress,
): Promise<Backup> {
  const root = resolve(directory);
  const before = listBackups(root).at(-1)?.name;
  const name = backupName();
  const target = join(root, name);
  const [disk] = await engine.rows("SELECT path FROM system.disks WHERE name = 'default'");
  const data = String(disk?.[0]);
  if (!existsSync(data)) throw new Error(`The data directory ${data} is not on this machine, or may not be read.`);
  makePrivate(target);
  removeFrozen(data);
  // Other characters than letters and digits would stand escaped in the name of the directory.
  const freeze = `${freezePrefix}${name.replace(/\W/g, '')}`;
  const frozen = join(data, shadow, freeze);
  try {
    // It appears with its lock: another backup would remove one without.
    const draft = join(data, shadow, `draft-${freeze}`);
    lockDirectory(draft, '', 0, 'folder of the backup');
    renameSync(draft, frozen);
    const files = new FileCopy(before === undefined ? undefined : join(root, before), target);
    await freezeAll(engine, freeze, progress);
    cpSync(join(data, metadata), join(target, metadata), { recursive: true, verbatimSymlinks: true });
    copyDefinitions(data, files);
    files.copyTree(frozen, store);
    const backup: Backup = { name, format: 1, version, bytes: files.bytes, newBytes: files.newBytes };
    finishBackup(root, backup);
    return backup;
  } catch (error) {
    rmSync(target, { recursive: true, force: true });
    throw error;
  } finally {
    rmSync(frozen, { recursive: true, force: true });
  }
}

/** Says that a backup in a directory is whole. */
export function finishBackup(directory: string, backup: Backup): void {
  const file = join(directory, backup.name, manifestName);
  writeFileSync(`${file}.draft`, `${JSON.stringify(backup, null, 2)}\n`, { mode: 0o600 });
  renameSync(`${file}.draft`, file);
}

/**
 * Removes what backups that were killed have left in a data directory: links that keep the room of rows that are merged
 * or dropped since. Those of a backup that is being made stay.
 */
export function removeFrozen(data: string): void {
  const folder = join(data, shadow);
  if (!existsSync(folder)) return;
  for (const name of readdirSync(folder)) {
    const frozen = join(folder, name);
    if (name.startsWith(freezePrefix) && !isHeld(frozen)) rmSync(frozen, { recursive: true, force: true });
  }
}

/**
 * Throws an Error with one line where a backup is being copied into a data directory, or was, by a command that was
 * killed.
 */
export function refuseUnfinished(path: string): void {
  if (!existsSync(join(path, unfinishedName))) return;
  throw new Error(`${path} has a part of a backup: its restore did not end. Remove the directory and restore again.`);
}

/** The name of a backup that begins now: the time, which sorts. */
export function backupName(): string {
  return new Date().toISOString().replaceAll(':', '-');
}

/**
 * Copies a backup into a data directory that is not there yet or is empty. The engine must be started with it
 * afterwards.
 * @throws Error with one line, and removes what it has copied.
 */
export function restoreBackup(directory: string, { name }: Backup, path: string, progress: Progress): void {
  makePrivate(path);
  const unfinished = join(path, unfinishedName);
  writeFileSync(unfinished, '', { mode: 0o600 });
  const from = resolve(directory, name);
  const files = countEntries(join(from, metadata)) + countEntries(join(from, store));
  let done = 0;
  try {
    for (const part of [metadata, store]) {
      cpSync(join(from, part), join(path, part), {
        recursive: true,
        verbatimSymlinks: true,
        filter: () => {
          if (done++ % filesPerReport === 0) progress(Math.min(done, files), files);
          return true;
        },
      });
    }
  } catch (error) {
    for (const part of [metadata, store]) rmSync(join(path, part), { recursive: true, force: true });
    throw error;
  } finally {
    rmSync(unfinished, { force: true });
  }
}

/** Files and folders below a folder. */
function countEntries(folder: string): number {
  return existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: 'utf8' }).length : 0;
}

/** Freezes every table, those of the product itself last; one that is dropped meanwhile is left out. */
async function freezeAll(engine: Engine, name: string, progress: Progress): Promise<void> {
  const tables = await engine.rows(
    "SELECT database, name FROM system.tables WHERE engine LIKE '%MergeTree' ORDER BY database = 'sluice', name != 'sub_tables', database, name",
  );
  let done = 0;
  for (const [database, table] of tables) {
    progress(done++, tables.length);
    const named = `${quoteIdentifier(String(database))}.${quoteIdentifier(String(table))}`;
    try {
      await engine.exec(`ALTER TABLE ${named} FREEZE WITH NAME ${quoteString(name)}`, noEffect);
    } catch (error) {
      if (!(error instanceof FaultError) || !isGone(error)) throw error;
    }
  }
  progress(done, tables.length);
}

function isGone({ fault }: FaultError): boolean {
  return (
    fault.code !== Codes.networkUnavailable && /UNKNOWN_TABLE|UNKNOWN_DATABASE|does not exist/i.test(fault.message)
  );
}

/** Copies the definitions of tables, and the files beside their parts. */
function copyDefinitions(data: string, files: FileCopy): void {
  for (const group of readdirSync(join(data, store))) {
    for (const id of readdirSync(join(data, store, group))) {
      const folder = join(store, group, id);
      for (const file of readdirSync(join(data, folder))) {
        if (file.endsWith('.sql') || tableFile.test(file))
          files.copy(join(data, folder, file), join(folder, file), false);
      }
    }
  }
}

/** Copies files into a backup; those that the backup before has as well become links to them. */
class FileCopy {
  bytes = 0;
  newBytes = 0;
  readonly #before: string | undefined;
  readonly #target: string;

  constructor(before: string | undefined, target: string) {
    this.#before = before;
    this.#target = target;
  }

  /** Copies what lies in the folder `below` of a frozen tree: parts, whose files never change. */
  copyTree(frozen: string, below: string): void {
    if (!existsSync(join(frozen, below))) return;
    for (const entry of readdirSync(join(frozen, below), { withFileTypes: true })) {
      const path = join(below, entry.name);
      if (entry.isDirectory()) this.copyTree(frozen, path);
      else this.copy(join(frozen, path), path, true);
    }
  }

  copy(from: string, path: string, neverChanges: boolean): void {
    const size = statSync(from, { throwIfNoEntry: false })?.size;
    // A definition may be dropped, and a change of rows may end, while it is copied.
    if (size === undefined) return;
    const to = join(this.#target, path);
    mkdirSync(dirname(to), { recursive: true });
    this.bytes += size;
    if (neverChanges && this.#link(path, to, size)) return;
    this.newBytes += size;
    copyFileSync(from, to);
  }

  #link(path: string, to: string, size: number): boolean {
    if (this.#before === undefined) return false;
    const earlier = join(this.#before, path);
    if (statSync(earlier, { throwIfNoEntry: false })?.size !== size) return false;
    linkSync(earlier, to);
    return true;
  }
}

function readManifest(path: string, name: string): Backup {
  const text = readFileSync(path, 'utf8');
  if (parseJson(text) === undefined) throw new Error(`${path} is damaged. Remove that backup, or move it away.`);
  const value: Backup = JSON.parse(text);
  if (value.format !== 1) throw new Error(`${path} was made by a later version of this program.`);
  return { ...value, name };
}
