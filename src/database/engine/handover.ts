import { closeSync, ftruncateSync, openSync, rmSync, writeSync, writevSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Where an engine host reads the rows of INSERTs that the process which started it leaves there, in memory. */
export interface HandoverPlace {
  readonly path: string;
  /** Bytes that may lie there at a time. */
  readonly maxBytes: number;
}

/** The place in the field `handover` of what a host tells; undefined when there is none. */
export function readHandoverPlace(told: object): HandoverPlace | undefined {
  const place = 'handover' in told ? told.handover : undefined;
  if (typeof place !== 'object' || place === null || !('path' in place) || !('maxBytes' in place)) return undefined;
  const { path, maxBytes } = place;
  return typeof path === 'string' && typeof maxBytes === 'number' ? { path, maxBytes } : undefined;
}

/** Header of an INSERT without a body: the name of the file with its rows, see {@link Handover}. */
export const handoverHeader = 'x-sluice-rows';

/** Below this a file costs more than the connection. */
const minBytes = 64 * 1024;
/** Files kept for the next rows, because new memory costs more than filling it, and the bytes of all of them. */
const keptFiles = 4;
const keptBytes = 16 * 1024 * 1024;

/** Rows that were handed over. */
export interface HandedRows {
  /** For the {@link handoverHeader}. */
  readonly name: string;
  /** Ends it; `wereRead` when the engine is known to be done with them. */
  end(wereRead: boolean): void;
}

interface RowsFile {
  readonly name: string;
  readonly path: string;
  readonly fd: number;
  bytes: number;
}

/**
 * Leaves the rows of INSERTs in files for the host that this process has started: that spares both processes the way over a
 * connection (decisions/013). The place is asked for each time, as a host that starts anew has another one.
 */
export class Handover {
  readonly #place: () => HandoverPlace | undefined;
  #path = '';
  /** Of all files that there are. */
  #bytes = 0;
  #counter = 0;
  readonly #kept: RowsFile[] = [];

  constructor(place: () => HandoverPlace | undefined) {
    this.#place = place;
  }

  /** True when there is a host that this process has started, and that offers a place. */
  get isOffered(): boolean {
    return this.#place() !== undefined;
  }

  /** Undefined where rows had better go over the connection: few rows, no such place, or no room there. */
  put(rows: readonly Uint8Array[]): HandedRows | undefined {
    const place = this.#place();
    const length = rows.reduce((sum, piece) => sum + piece.length, 0);
    if (place === undefined || length < minBytes) return undefined;
    if (place.path !== this.#path) this.close();
    this.#path = place.path;
    const file = this.#kept.pop() ?? this.#newFile();
    if (file === undefined) return undefined;
    const more = length - file.bytes;
    if (this.#bytes + more > place.maxBytes || !isFilled(file, rows, length)) {
      this.#remove(file);
      return undefined;
    }
    this.#bytes += more;
    file.bytes = length;
    return { name: file.name, end: (wereRead) => this.#end(file, wereRead) };
  }

  /** Removes the files that are kept. */
  close(): void {
    for (const file of this.#kept.splice(0)) this.#remove(file);
  }

  #end(file: RowsFile, wereRead: boolean): void {
    const bytes = this.#kept.reduce((sum, kept) => sum + kept.bytes, file.bytes);
    const isKept = wereRead && bytes <= keptBytes && this.#kept.length < keptFiles;
    if (isKept && dirname(file.path) === this.#path) this.#kept.push(file);
    else this.#remove(file);
  }

  #newFile(): RowsFile | undefined {
    // Several processes of a service leave rows in one place.
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

/** Makes a file hold just these rows; false when there is no room. */
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
 * Writes bytes from a position of a file on, or where it stands. Writing to memory costs less than a trip through the thread
 * pool, so it is done in place.
 */
export function writeAll(fd: number, bytes: Uint8Array, position: number | null = null): number {
  let at = 0;
  while (at < bytes.length) at += writeSync(fd, bytes, at, bytes.length - at, position === null ? null : position + at);
  return bytes.length;
}
