import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/** Where an engine host reads the rows of INSERTs that another process of this machine leaves there, in memory. */
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

/** Rows that were handed over. */
export interface HandedRows {
  /** For the {@link handoverHeader}. */
  readonly name: string;
  /** Takes them back, read or not. */
  remove(): void;
}

/**
 * Leaves the rows of INSERTs in files for the host that this process has started: that spares both processes the way over a
 * connection (decisions/013). The place is asked for each time, as a host that starts anew has another one.
 */
export class Handover {
  readonly #place: () => HandoverPlace | undefined;
  #heldBytes = 0;
  #counter = 0;

  constructor(place: () => HandoverPlace | undefined) {
    this.#place = place;
  }

  /** Undefined where rows had better go over the connection: few rows, no such place, or no room there. */
  put(rows: Uint8Array): HandedRows | undefined {
    const place = this.#place();
    if (place === undefined || rows.length < minBytes || this.#heldBytes + rows.length > place.maxBytes)
      return undefined;
    const name = `rows-${process.pid}-${++this.#counter}`;
    const path = join(place.path, name);
    if (!isWritten(path, rows)) return undefined;
    this.#heldBytes += rows.length;
    const remove = (): void => {
      this.#heldBytes -= rows.length;
      rmSync(path, { force: true });
    };
    return { name, remove };
  }
}

/** Writing to memory costs less than a trip through the thread pool, so it is done in place. */
export function writeAll(fd: number, bytes: Uint8Array): number {
  let at = 0;
  while (at < bytes.length) at += writeSync(fd, bytes, at);
  return bytes.length;
}

/** False when there is no room or the place is gone; nothing is left behind then. */
function isWritten(path: string, rows: Uint8Array): boolean {
  let fd: number | undefined;
  try {
    fd = openSync(path, 'wx', 0o600);
    writeAll(fd, rows);
    return true;
  } catch {
    rmSync(path, { force: true });
    return false;
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}
