import { closeSync, openSync, readdirSync, readSync, rmSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { DestinationStream } from 'pino';
import { lineFeed } from '../bytes/ascii.js';
import { reasonOf } from '../model/fault.js';

/** When files rotate, and how many are kept. */
export interface RotationOptions {
  readonly directory: string;
  /** First part of the files' names: `<name>_<stamp>.log`, then `<name>_<stamp>.log.1` and so on. */
  readonly name: string;
  readonly maxBytes: number;
  /** A new file is begun at every whole multiple of this time, counted from local midnight of some day. */
  readonly intervalMs: number;
  /** Finished files that are kept, besides the current one. */
  readonly count: number;
  /** Write each line at once, so that a crash loses nothing, or buffer some kilobytes first. */
  readonly sync: boolean;
  /** Milliseconds since 1970; the system's clock when left out. */
  readonly now?: () => number;
}

const dayMs = 86_400_000;
/** Rights of the files: statements stand in them. */
const ownerOnly = 0o600;
const bufferBytes = 16_384;
const flushMs = 1_000;

/**
 * A log file that rotates by size and by time, and whose oldest files are removed. A full disk
 * costs lines and one message on standard error, never the service.
 */
export class RotatingFile implements DestinationStream {
  readonly #options: RotationOptions;
  readonly #timer: NodeJS.Timeout | undefined;
  #path: string;
  #file: number;
  /** Bytes of the current file, with the buffered ones. */
  #bytes: number;
  #buffered: string[] = [];
  #bufferedLength = 0;
  #period: number;
  #complained = false;
  /** True after an incomplete line. */
  #isTorn = false;

  /** The directory must be there. @throws Error when the file cannot be opened. */
  constructor(options: RotationOptions) {
    this.#options = options;
    this.#period = this.#periodNow();
    this.#path = '';
    this.#path = this.#nextPath();
    this.#bytes = sizeOf(this.#path);
    this.#file = openSync(this.#path, 'a+', ownerOnly);
    // A process that was killed, or had no space, may have left half a line.
    this.#isTorn = endsTorn(this.#file, this.#bytes);
    if (!options.sync) this.#timer = setInterval(() => this.#flush(), flushMs).unref();
  }

  /** The current file. */
  get path(): string {
    return this.#path;
  }

  write(line: string): void {
    if (this.#bytes > 0 && (this.#bytes >= this.#options.maxBytes || this.#periodNow() !== this.#period))
      this.#rotate();
    this.#bytes += Buffer.byteLength(line);
    this.#buffered.push(line);
    this.#bufferedLength += line.length;
    if (this.#options.sync || this.#bufferedLength >= bufferBytes) this.#flush();
  }

  /** Writes the buffered lines and closes the file. */
  close(): void {
    clearInterval(this.#timer);
    this.#flush();
    closeSync(this.#file);
  }

  #flush(): void {
    if (this.#bufferedLength === 0) return;
    const bytes = Buffer.from(`${this.#isTorn ? '\n' : ''}${this.#buffered.join('')}`);
    this.#buffered = [];
    this.#bufferedLength = 0;
    try {
      const written = writeSync(this.#file, bytes);
      if (written > 0) this.#isTorn = written < bytes.length;
      if (written < bytes.length) this.#complain(new Error('ENOSPC: no space left on device'));
    } catch (error) {
      this.#complain(error);
    }
  }

  #rotate(): void {
    this.#flush();
    this.#period = this.#periodNow();
    try {
      const path = this.#nextPath();
      const file = openSync(path, 'a+', ownerOnly);
      closeSync(this.#file);
      this.#file = file;
      this.#path = path;
      this.#bytes = sizeOf(path);
      this.#isTorn = endsTorn(file, this.#bytes);
      this.#removeOldest();
    } catch (error) {
      this.#complain(error);
    }
  }

  /** The newest file of the current period, or the one after it when that is full. */
  #nextPath(): string {
    const { directory, name, maxBytes } = this.#options;
    const base = `${name}_${this.#stamp()}.log`;
    const numbers = readdirSync(directory)
      .filter((file) => file === base || file.startsWith(`${base}.`))
      .map((file) => Number(file.slice(base.length + 1)))
      .filter((number) => Number.isInteger(number));
    const pathOf = (number: number): string => join(directory, number === 0 ? base : `${base}.${number}`);
    const newest = Math.max(0, ...numbers);
    return sizeOf(pathOf(newest)) < maxBytes ? pathOf(newest) : pathOf(newest + 1);
  }

  #removeOldest(): void {
    const { directory, name, count } = this.#options;
    const finished = readdirSync(directory)
      .filter((file) => file.startsWith(`${name}_`) && ownEnd.test(file.slice(name.length + 1)))
      .filter((file) => join(directory, file) !== this.#path)
      .map((file) => ({ path: join(directory, file), at: modifiedAt(join(directory, file)) }))
      .sort((a, b) => b.at - a.at);
    for (const { path } of finished.slice(count)) rmSync(path, { force: true });
  }

  #localNow(): number {
    const now = this.#options.now?.() ?? Date.now();
    return now - new Date(now).getTimezoneOffset() * 60_000;
  }

  #periodNow(): number {
    return Math.floor(this.#localNow() / this.#options.intervalMs);
  }

  /**
   * Local date, for periods shorter than a day also the time, and its seconds where minutes do not distinguish them.
   */
  #stamp(): string {
    const digits = new Date(this.#localNow()).toISOString().replace(/\D/g, '');
    const { intervalMs } = this.#options;
    if (intervalMs % dayMs === 0) return digits.slice(0, 8);
    return digits.slice(0, intervalMs % 60_000 === 0 ? 12 : 14);
  }

  #complain(error: unknown): void {
    if (this.#complained) return;
    this.#complained = true;
    const reason = reasonOf(error);
    process.stderr.write(`sluice: the log file ${this.#path} cannot be written: ${reason}\n`);
  }
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

/** True when the last line of a file of that size has no end. */
function endsTorn(file: number, size: number): boolean {
  const last = Buffer.alloc(1);
  return size > 0 && readSync(file, last, 0, 1, size - 1) === 1 && last[0] !== lineFeed;
}

function modifiedAt(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

/** What stands behind the name of a log file and its underscore. */
const ownEnd = /^\d{8}(?:\d{4})?(?:\d{2})?\.log(?:\.\d+)?$/;
