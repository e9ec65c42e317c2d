import { type FileHandle, open } from 'node:fs/promises';
import { Codes, FaultError, fault, reasonOf } from '../../model/fault.js';

/** How far back the end of a line is looked for, in bytes. */
const tailBytes = 1024 * 1024;

/**
 * A file to which whole lines are appended. A line that a process left unfinished when it was killed is removed first:
 * what it was of comes again. Each text is in the operating system's hands when its promise resolves.
 */
export class RowsFile {
  readonly path: string;
  readonly #file: FileHandle;
  #last: Promise<void> = Promise.resolve();

  private constructor(path: string, file: FileHandle) {
    this.path = path;
    this.#file = file;
  }

  /** Throws a FaultError that names the path. */
  static async open(path: string): Promise<RowsFile> {
    try {
      const file = await open(path, 'a+');
      await removeTorn(file);
      return new RowsFile(path, file);
    } catch (error) {
      throw cannot('open', path, error);
    }
  }

  /** Appends whole lines, after those of earlier calls. */
  append(text: string): Promise<void> {
    const written = this.#last.then(() => this.#write(text));
    this.#last = written.catch(() => {});
    return written;
  }

  async #write(text: string): Promise<void> {
    try {
      await this.#file.appendFile(text);
    } catch (error) {
      throw cannot('write to', this.path, error);
    }
  }

  async close(): Promise<void> {
    await this.#file.close();
  }
}

/** The files of a run by path; consumers that name the same path append to the same file. */
export class RowsFiles {
  readonly #files = new Map<string, Promise<RowsFile>>();

  /** Opens a file once. Throws a FaultError that names the path. */
  get(path: string): Promise<RowsFile> {
    const known = this.#files.get(path);
    if (known !== undefined) return known;
    const file = RowsFile.open(path);
    this.#files.set(path, file);
    return file;
  }

  async close(): Promise<void> {
    for (const file of await Promise.allSettled(this.#files.values())) {
      if (file.status === 'fulfilled') await file.value.close();
    }
  }
}

async function removeTorn(file: FileHandle): Promise<void> {
  const { size } = await file.stat();
  if (size === 0) return;
  const from = Math.max(0, size - tailBytes);
  const { buffer } = await file.read(Buffer.alloc(size - from), 0, size - from, from);
  const end = buffer.lastIndexOf('\n') + 1;
  if (end < buffer.length && (end > 0 || from === 0)) await file.truncate(from + end);
}

function cannot(what: string, path: string, error: unknown): FaultError {
  const reason = reasonOf(error);
  return new FaultError(fault('resource', Codes.free, `Cannot ${what} ${path}: ${reason}`, error));
}
