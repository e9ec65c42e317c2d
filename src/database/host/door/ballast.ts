import { randomBytes } from 'node:crypto';
import { open, rename, rm, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { freeBytesOf } from '../../../bytes/free-bytes.js';
import { keptFreeBytes } from '../../engine/definition-room.js';
import { isDiskFull } from '../connection/exception.js';

/** More than the engine asks for before it drops a partition: what it keeps free, and 1 MB for the part that covers it. */
const ballastBytes = keptFreeBytes + 2 * 1024 * 1024;
/** With less room the disk may soon be full, and the file is made. */
const littleRoomBytes = 1024 * 1024 * 1024;
const pieceBytes = 1024 * 1024;
const fileName = 'sluice.ballast';

/** What drops old rows sends, see `dropOldRows`: a partition goes, or a change of nothing holds the number of the newest insert. */
const dropsRows = /^\s*alter\s+table\s+\S+\s+(?:drop\s+partition\b|delete\s+where\s+0\b)/i;

/**
 * A file beside the data that takes room and holds nothing. The engine writes an empty part in place of a partition that it drops, and refuses that on a
 * full disk: nothing would ever free it. So the file goes when a drop is refused, and is made again once there is room.
 */
export class Ballast {
  readonly #directory: string;
  readonly #path: string;
  #drops = 0;
  #making: Promise<void> | undefined;

  /** `directory` is that of the data. */
  constructor(directory: string) {
    this.#directory = directory;
    this.#path = join(directory, fileName);
  }

  /** Makes the file where it is missing, the disk may soon be full, and there is still room for inserts beside it; never rejects. To be called now and then. */
  keep(): Promise<void> {
    this.#making ??= this.#make()
      // Another attempt comes.
      .catch(() => rm(this.#draft, { force: true }).catch(() => {}))
      .finally(() => {
        this.#making = undefined;
      });
    return this.#making;
  }

  /** Runs a statement, once more without the file where it drops old rows and the disk is too full for that. */
  async dropping<T>(statement: string, run: () => Promise<T>): Promise<T> {
    if (!dropsRows.test(statement)) return run();
    this.#drops++;
    try {
      return await run().catch(async (error: unknown) => {
        if (!isDiskFull(error)) throw error;
        await this.#making;
        await rm(this.#path, { force: true });
        return run();
      });
    } finally {
      this.#drops--;
      await this.keep();
    }
  }

  get #draft(): string {
    return `${this.#path}.new`;
  }

  async #make(): Promise<void> {
    if (this.#drops > 0) return;
    const isThere = await stat(this.#path).then(
      ({ size }) => size === ballastBytes,
      () => false,
    );
    const free = freeBytesOf(await statfs(this.#directory));
    if (isThere || free < ballastBytes + keptFreeBytes || free > littleRoomBytes) return;
    // Zeros would take no room on a disk that compresses.
    const piece = randomBytes(pieceBytes);
    const file = await open(this.#draft, 'w', 0o600);
    try {
      for (let written = 0; written < ballastBytes; written += pieceBytes) await file.writeFile(piece);
    } finally {
      await file.close();
    }
    await rename(this.#draft, this.#path);
  }
}
