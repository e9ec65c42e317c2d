import { closeSync, mkdirSync, openSync, readSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { writeAll } from '../../engine/handover.js';
import { EngineException } from '../connection/exception.js';

/** An INSERT body as a temporary file that the engine can read. */
interface TemporaryBody {
  readonly path: string;
  readonly bytes: number;
  discard(): void;
}

/**
 * Directories of the files: the first is memory-backed where the system has such a directory, the fallback is on a
 * disk.
 */
interface TemporaryDirectories {
  readonly first: string;
  readonly fallback: string;
}

const copiedBytes = 1024 * 1024;

/**
 * Writes INSERT bodies to temporary files until the engine has read them, at most `maxBytes` at a time. A body that
 * does not fit is not read until space is free, which slows its sender down. The oldest unfinished body may exceed the
 * limit: otherwise several half-read bodies could block each other for ever.
 */
export class TemporaryFiles {
  readonly #directories: TemporaryDirectories;
  readonly #budget: ByteBudget;
  #counter = 0;

  constructor(directories: TemporaryDirectories, maxBytes: number) {
    this.#directories = directories;
    this.#budget = new ByteBudget(maxBytes);
  }

  /** Bytes held now. */
  get heldBytes(): number {
    return this.#budget.used;
  }

  /**
   * Writes a whole body: first the bytes that were read already, then the rest. `length` is the size of the rest when
   * known. Rejects as the body does; no file remains then.
   * @throws EngineException 243 when both directories are full.
   */
  async take(
    first: Uint8Array,
    rest: AsyncIterable<Uint8Array> | Iterable<Uint8Array> = [],
    length?: number,
  ): Promise<TemporaryBody> {
    const share = this.#budget.open();
    const file = new TemporaryFile(this.#directories, `insert-${++this.#counter}`);
    const discard = (): void => {
      file.remove();
      share.close();
    };
    try {
      await share.take(first.length + (length ?? 0));
      file.write(first);
      for await (const piece of rest) {
        const more = file.bytes + piece.length - share.bytes;
        if (more > 0) await share.take(more);
        file.write(piece);
      }
      file.close();
    } catch (error) {
      discard();
      throw error;
    }
    return { path: file.path, bytes: file.bytes, discard };
  }

  /**
   * A body that the sender itself has written to the first directory; the file stays the sender's.
   * @throws EngineException 36 for a name that no such file has.
   */
  handedOver(name: string): Pick<TemporaryBody, 'path' | 'discard'> {
    if (!/^rows-\d+(?:-\d+)?$/.test(name)) throw new EngineException(36, 'BAD_ARGUMENTS', 'No name of handed rows');
    return { path: join(this.#directories.first, name), discard: () => {} };
  }
}

/** A file that moves to the fallback directory when the first one is full. */
class TemporaryFile {
  bytes = 0;
  #path: string;
  #fd: number | undefined;
  readonly #fallbackPath: string;

  constructor({ first, fallback }: TemporaryDirectories, name: string) {
    this.#path = join(first, name);
    this.#fallbackPath = join(fallback, name);
  }

  get path(): string {
    return this.#path;
  }

  write(piece: Uint8Array): void {
    try {
      this.#fd ??= openSync(this.#path, 'wx+', 0o600);
      writeAll(this.#fd, piece, this.bytes);
    } catch (error) {
      if (!isFull(error)) throw error;
      this.#move();
      this.#writeLast(piece);
    }
    this.bytes += piece.length;
  }

  close(): void {
    // The body may be empty.
    if (this.#fd === undefined) this.#fd = openSync(this.#path, 'wx', 0o600);
    closeSync(this.#fd);
    this.#fd = undefined;
  }

  /** Safe twice. */
  remove(): void {
    if (this.#fd !== undefined) closeSync(this.#fd);
    this.#fd = undefined;
    rmSync(this.#path, { force: true });
  }

  #move(): void {
    const full = this.#fd;
    const fullPath = this.#path;
    if (fullPath === this.#fallbackPath) throw noSpace(dirname(fullPath));
    this.#path = this.#fallbackPath;
    mkdirSync(dirname(this.#path), { recursive: true, mode: 0o700 });
    this.#fd = openSync(this.#path, 'wx', 0o600);
    if (full === undefined) return;
    const piece = Buffer.allocUnsafe(Math.min(copiedBytes, this.bytes));
    for (let at = 0; at < this.bytes; ) {
      const read = readSync(full, piece, 0, Math.min(piece.length, this.bytes - at), at);
      this.#writeLast(piece.subarray(0, read), at);
      at += read;
    }
    closeSync(full);
    rmSync(fullPath, { force: true });
  }

  #writeLast(piece: Uint8Array, at = this.bytes): void {
    try {
      if (this.#fd !== undefined) writeAll(this.#fd, piece, at);
    } catch (error) {
      throw isFull(error) ? noSpace(dirname(this.#path)) : error;
    }
  }
}

function isFull(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOSPC';
}

function noSpace(directory: string): EngineException {
  return new EngineException(243, 'NOT_ENOUGH_SPACE', `No space left in ${dirname(directory)} for rows to insert`);
}

interface WaitingShare {
  readonly share: Share;
  readonly bytes: number;
  readonly granted: () => void;
}

class ByteBudget {
  used = 0;
  readonly #maxBytes: number;
  /** In order of opening. */
  readonly #shares = new Set<Share>();
  #waiting: WaitingShare[] = [];

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  open(): Share {
    const share = new Share(this);
    this.#shares.add(share);
    return share;
  }

  take(share: Share, bytes: number): Promise<void> {
    if (bytes === 0) return Promise.resolve();
    if (this.#fits(share, bytes)) {
      this.#grant(share, bytes);
      return Promise.resolve();
    }
    return new Promise((go) => this.#waiting.push({ share, bytes, granted: go }));
  }

  close(share: Share): void {
    if (!this.#shares.delete(share)) return;
    this.used -= share.bytes;
    this.#waiting = this.#waiting.filter((waiting) => {
      if (waiting.share === share) return false;
      if (!this.#fits(waiting.share, waiting.bytes)) return true;
      this.#grant(waiting.share, waiting.bytes);
      waiting.granted();
      return false;
    });
  }

  #fits(share: Share, bytes: number): boolean {
    if (this.used + bytes <= this.#maxBytes) return true;
    const [oldest] = this.#shares;
    return oldest === share;
  }

  #grant(share: Share, bytes: number): void {
    this.used += bytes;
    share.bytes += bytes;
  }
}

class Share {
  bytes = 0;
  readonly #budget: ByteBudget;

  constructor(budget: ByteBudget) {
    this.#budget = budget;
  }

  take(bytes: number): Promise<void> {
    return this.#budget.take(this, bytes);
  }

  close(): void {
    this.#budget.close(this);
  }
}
