import { closeSync, ftruncateSync, openSync, rmSync, writeSync, writevSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Directory of a running engine host, which only its own user may enter: it has the socket and files with rows. */
export interface HostDirectory {
  readonly path: string;
  /** Limit of bytes of the files with rows; 0 if the directory is not memory-backed. */
  readonly maxBytes: number;
}

/** The directory in the field `directory` of a message or file of a host; undefined when there is none. */
export function readHostDirectory(message: object): HostDirectory | undefined {
  const directory = 'directory' in message ? message.directory : undefined;
  if (typeof directory !== 'object' || directory === null || !('path' in directory) || !('maxBytes' in directory))
    return undefined;
  const { path, maxBytes } = directory;
  return typeof path === 'string' && typeof maxBytes === 'number' ? { path, maxBytes } : undefined;
}

/** Limits of files that are kept for the next rows, and of their bytes: new memory costs more than overwriting. */
const maxFreeFiles = 4;
const maxFreeBytes = 16 * 1024 * 1024;

/** A file with rows that were handed over. */
export interface HandoverFile {
  readonly name: string;
  /** Gives the file back; `wereRead` when the engine has certainly read it. */
  end(wereRead: boolean): void;
}

interface RowsFile {
  readonly name: string;
  readonly path: string;
  readonly fd: number;
  bytes: number;
}

/**
 * Writes the rows of INSERTs to files for an embedded host, which is cheaper than a connection
 * (decisions/013). The directory is read for each INSERT, because a restarted host has another one.
 */
export class Handover {
  readonly #directory: () => HostDirectory | undefined;
  #path = '';
  /** Bytes of all files. */
  #bytes = 0;
  #counter = 0;
  readonly #free: RowsFile[] = [];

  constructor(directory: () => HostDirectory | undefined) {
    this.#directory = directory;
  }

  /** Undefined if the rows must use the connection: there is no directory, or no space in it. */
  put(rows: readonly Uint8Array[]): HandoverFile | undefined {
    const directory = this.#directory();
    const length = rows.reduce((sum, piece) => sum + piece.length, 0);
    if (directory === undefined || length > directory.maxBytes) return undefined;
    if (directory.path !== this.#path) this.close();
    this.#path = directory.path;
    const file = this.#free.pop() ?? this.#newFile();
    if (file === undefined) return undefined;
    const more = length - file.bytes;
    if (this.#bytes + more > directory.maxBytes || !isFilled(file, rows, length)) {
      this.#remove(file);
      return undefined;
    }
    this.#bytes += more;
    file.bytes = length;
    return { name: file.name, end: (wereRead) => this.#end(file, wereRead) };
  }

  /** Removes the free files. */
  close(): void {
    for (const file of this.#free.splice(0)) this.#remove(file);
  }

  #end(file: RowsFile, wereRead: boolean): void {
    const bytes = this.#free.reduce((sum, free) => sum + free.bytes, file.bytes);
    const isReusable = wereRead && bytes <= maxFreeBytes && this.#free.length < maxFreeFiles;
    if (isReusable && dirname(file.path) === this.#path) this.#free.push(file);
    else this.#remove(file);
  }

  #newFile(): RowsFile | undefined {
    // Several processes of a service share the directory.
    const name = `rows-${process.pid}-${++this.#counter}`;
    const path = join(this.#path, name);
    try {
      return { name, path, fd: openSync(path, 'wx', 0o600), bytes: 0 };
    } catch {
      return undefined;
    }
  }

  #remove({ fd, path, bytes }: RowsFile): void {
    this.#bytes -= bytes;
    closeSync(fd);
    rmSync(path, { force: true });
  }
}

/** Fills a file with just these rows; false when there is no space. */
function isFilled({ fd, bytes }: RowsFile, rows: readonly Uint8Array[], length: number): boolean {
  try {
    if (writevSync(fd, rows, 0) < length) return false;
    if (length < bytes) ftruncateSync(fd, length);
    return true;
  } catch {
    return false;
  }
}

/**
 * Writes bytes at a position of a file, or at its current one. Writing to memory costs less than a trip through the
 * thread pool, so it is synchronous.
 */
export function writeAll(fd: number, bytes: Uint8Array, position: number | null = null): number {
  let at = 0;
  while (at < bytes.length) at += writeSync(fd, bytes, at, bytes.length - at, position === null ? null : position + at);
  return bytes.length;
}
