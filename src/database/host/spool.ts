import { closeSync, openSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { writeAll } from '../handover.js';
import { EngineException } from './exception.js';

/** An INSERT body as a file the engine can read. */
export interface SpooledBody {
  readonly path: string;
  readonly bytes: number;
  discard(): void;
}

/**
 * Keeps INSERT bodies in files until the engine has read them, at most `maxBytes` at a time. A body that does not fit
 * waits and is not read meanwhile, which holds its sender back. The oldest body that is being taken always goes on, even
 * beyond the limit: otherwise several half-taken bodies could wait for each other for ever.
 */
export class Spool {
  readonly #directory: string;
  readonly #budget: ByteBudget;
  #counter = 0;

  constructor(directory: string, maxBytes: number) {
    this.#directory = directory;
    this.#budget = new ByteBudget(maxBytes);
  }

  /** Bytes held now. */
  get heldBytes(): number {
    return this.#budget.used;
  }

  /**
   * Takes a body to its end: first what was read already, then the rest. `length` is the size of the rest when known.
   * Throws what the body throws; nothing is left behind then.
   * @throws EngineException 243 when the directory is full, which may be another place than where the data is.
   */
  async take(first: Uint8Array, rest: AsyncIterable<Uint8Array>, length: number | undefined): Promise<SpooledBody> {
    const share = this.#budget.open();
    const path = join(this.#directory, `insert-${++this.#counter}`);
    let fd: number | undefined;
    let bytes = 0;
    const discard = (): void => {
      if (fd !== undefined) closeSync(fd);
      fd = undefined;
      rmSync(path, { force: true });
      share.close();
    };
    try {
      await share.take(first.length + (length ?? 0));
      fd = openSync(path, 'wx', 0o600);
      bytes += writeAll(fd, first);
      for await (const piece of rest) {
        const more = bytes + piece.length - share.bytes;
        if (more > 0) await share.take(more);
        bytes += writeAll(fd, piece);
      }
      closeSync(fd);
      fd = undefined;
    } catch (error) {
      discard();
      throw this.#namingPlace(error);
    }
    return { path, bytes, discard };
  }

  #namingPlace(error: unknown): unknown {
    if (!(error instanceof Error) || !('code' in error) || error.code !== 'ENOSPC') return error;
    return new EngineException(
      243,
      'NOT_ENOUGH_SPACE',
      `No space left in ${dirname(this.#directory)} for rows to insert`,
    );
  }

  /**
   * A body that its sender has left in the directory, whose file stays the sender's.
   * @throws EngineException 36 for a name that is none of a file there.
   */
  handed(name: string): Pick<SpooledBody, 'path' | 'discard'> {
    if (!/^rows-\d+$/.test(name)) throw new EngineException(36, 'BAD_ARGUMENTS', 'No name of handed rows');
    return { path: join(this.#directory, name), discard: () => {} };
  }
}

interface Waiter {
  readonly share: Share;
  readonly bytes: number;
  readonly go: () => void;
}

class ByteBudget {
  used = 0;
  readonly #maxBytes: number;
  /** In order of opening. */
  readonly #shares = new Set<Share>();
  #waiters: Waiter[] = [];

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
    if (this.#mayGo(share, bytes)) {
      this.#grant(share, bytes);
      return Promise.resolve();
    }
    return new Promise((go) => this.#waiters.push({ share, bytes, go }));
  }

  close(share: Share): void {
    if (!this.#shares.delete(share)) return;
    this.used -= share.bytes;
    this.#waiters = this.#waiters.filter((waiter) => {
      if (waiter.share === share) return false;
      if (!this.#mayGo(waiter.share, waiter.bytes)) return true;
      this.#grant(waiter.share, waiter.bytes);
      waiter.go();
      return false;
    });
  }

  #mayGo(share: Share, bytes: number): boolean {
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
