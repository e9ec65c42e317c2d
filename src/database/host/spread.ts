import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readdir, readFile, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { detached } from '../../async/detached.js';

const run = promisify(execFile);
/** Type of ext2, ext3 and ext4 in `statfs`. */
const extMagic = 0xef53;
/** Delay between the creation of a table and the next check, so that many new tables cost one check. */
const settleMs = 200;
const directoriesPerCommand = 500;

/** What a file system does for directories of tables. */
interface FileSystem {
  /** True if the attribute helps there. */
  benefits(path: string): Promise<boolean>;
  /** Sets the attribute; rejects when it could not be set on one of the directories. */
  mark(directories: readonly string[]): Promise<unknown>;
}

const ext4: FileSystem = {
  benefits: isUnjournaled,
  mark: (directories) => run('chattr', ['+T', '--', ...directories]),
};

/**
 * Spreads the files of tables over the block groups of an ext4 file system without a journal. There the kernel
 * does not hand out an inode again for a minute after its file was deleted and, to find another one, walks over all of
 * them in the block group of the parent directory; an engine that makes and deletes some hundred small files a second
 * spends half its time in there. With the attribute "top of directory hierarchy" (`chattr +T`) on a table's directory
 * every part of the table goes to a block group of its own. See docs/decisions/006-spread-parts.md.
 *
 * Where the file system is another one, or has a journal, or the attribute cannot be set, nothing happens.
 */
export class PartSpreader {
  readonly #store: string;
  readonly #fileSystem: FileSystem;
  readonly #done = new Set<string>();
  #isUseful: boolean | undefined;
  #timer: NodeJS.Timeout | undefined;

  /** `path` is the data directory of the engine. */
  constructor(path: string, fileSystem: FileSystem = ext4) {
    this.#store = join(path, 'store');
    this.#fileSystem = fileSystem;
  }

  /** Call it after a table was made; schedules a check. */
  tablesMade(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      detached(this.spread());
    }, settleMs).unref();
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  /** Sets the attribute on table directories that do not have it; resolves with how many were set. Never rejects. */
  async spread(): Promise<number> {
    try {
      this.#isUseful ??= await this.#fileSystem.benefits(this.#store);
      if (!this.#isUseful) return 0;
      const directories = (await tableDirectories(this.#store)).filter((directory) => !this.#done.has(directory));
      let count = 0;
      for (let at = 0; at < directories.length; at += directoriesPerCommand) {
        count += await this.#mark(directories.slice(at, at + directoriesPerCommand));
      }
      return count;
    } catch {
      this.#isUseful = false;
      return 0;
    }
  }

  /**
   * Sets the attribute on those directories whose tables are not dropped meanwhile; resolves with how many these are.
   */
  async #mark(directories: readonly string[]): Promise<number> {
    if (directories.length === 0) return 0;
    try {
      await this.#fileSystem.mark(directories);
    } catch (error) {
      const left = directories.filter((directory) => existsSync(directory));
      if (left.length === directories.length) throw error;
      return this.#mark(left);
    }
    for (const directory of directories) this.#done.add(directory);
    return directories.length;
  }
}

/** The engine keeps each table in `store/<first three digits>/<uuid>`. */
async function tableDirectories(store: string): Promise<string[]> {
  const directories: string[] = [];
  for (const prefix of await readdir(store)) {
    // The last table of a prefix may be dropped meanwhile.
    const names = await readdir(join(store, prefix)).catch(() => []);
    for (const name of names) directories.push(join(store, prefix, name));
  }
  return directories;
}

/** True for a directory on ext4 whose device has no entry among the journals that the kernel lists. */
async function isUnjournaled(path: string): Promise<boolean> {
  if (process.platform !== 'linux' || (await statfs(path)).type !== extMagic) return false;
  const device = deviceOf(path, await readFile('/proc/self/mountinfo', 'utf8'));
  if (device === undefined) return false;
  const journals = await readdir('/proc/fs/jbd2').catch(() => []);
  return !journals.some((journal) => journal.startsWith(`${device}-`));
}

/** Name of the block device under a path: the source of the longest mount point above it, in the form of proc(5). */
export function deviceOf(path: string, mountInfo: string): string | undefined {
  let longest = '';
  let device: string | undefined;
  for (const line of mountInfo.split('\n')) {
    const [mounting = '', source = ''] = line.split(' - ');
    const point = mounting.split(' ')[4] ?? '';
    const above = path === point || path.startsWith(point.endsWith('/') ? point : `${point}/`);
    if (point === '' || !above || point.length < longest.length) continue;
    longest = point;
    device = source.split(' ')[1]?.split('/').at(-1);
  }
  return device;
}
