import { randomBytes } from 'node:crypto';
import { open, rename, rm, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { freeBytesOf } from '../../../bytes/free-bytes.js';
import { reservedFreeBytes } from '../../engine/definition-room.js';

/**
 * Size of the file: more than the engine reserves before it stores or drops rows, which is what it keeps free and 1 MB
 * for a part.
 */
const reserveBytes = reservedFreeBytes + 2 * 1024 * 1024;
/** The file is made when less is free. */
const lowDiskBytes = 1024 * 1024 * 1024;
const pieceBytes = 1024 * 1024;
const fileName = 'sluice.reserve';

/**
 * A file in the data directory that reserves space on the disk. The engine writes something for each drop, such as an
 * empty part, and refuses to do so on a full disk, so that drops could never free it. The file is removed before a drop
 * and made again once there is space. See docs/decisions/046-failed-writes.md.
 */
export class DiskReserve {
  readonly #directory: string;
  readonly #path: string;
  #making: Promise<void> | undefined;

  /** `directory` is that of the data. */
  constructor(directory: string) {
    this.#directory = directory;
    this.#path = join(directory, fileName);
  }

  /**
   * Makes the file if it is missing, the disk is nearly full, and space for inserts remains; never rejects. Call it
   * regularly.
   */
  ensure(): Promise<void> {
    this.#making ??= this.#make()
      // The next call retries.
      .catch(() => rm(this.#draft, { force: true }).catch(() => {}))
      .finally(() => {
        this.#making = undefined;
      });
    return this.#making;
  }

  /** Removes the file if the disk is too full for a drop. */
  async release(): Promise<void> {
    await this.#making;
    if (freeBytesOf(await statfs(this.#directory)) < reserveBytes) await rm(this.#path, { force: true });
  }

  get #draft(): string {
    return `${this.#path}.new`;
  }

  async #make(): Promise<void> {
    const isThere = await stat(this.#path).then(
      ({ size }) => size === reserveBytes,
      () => false,
    );
    const free = freeBytesOf(await statfs(this.#directory));
    // After a release the freed space stays free.
    if (isThere || free < 2 * reserveBytes || free > lowDiskBytes) return;
    // Zeros would take no space on a disk that compresses.
    const piece = randomBytes(pieceBytes);
    const file = await open(this.#draft, 'w', 0o600);
    try {
      for (let written = 0; written < reserveBytes; written += pieceBytes) await file.writeFile(piece);
    } finally {
      await file.close();
    }
    await rename(this.#draft, this.#path);
  }
}
