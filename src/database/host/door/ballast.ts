import { randomBytes } from 'node:crypto';
import { open, rename, rm, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { freeBytesOf } from '../../../bytes/free-bytes.js';
import { keptFreeBytes } from '../../engine/definition-room.js';

/** More than the engine asks for before it stores or drops something: what it keeps free, and 1 MB for a part. */
const ballastBytes = keptFreeBytes + 2 * 1024 * 1024;
/** With less room the disk may soon be full, and the file is made. */
const littleRoomBytes = 1024 * 1024 * 1024;
const pieceBytes = 1024 * 1024;
const fileName = 'sluice.ballast';

/**
 * A file beside the data that takes room and holds nothing. The engine writes something for all that it drops, such as an entry of the catalogue or an
 * empty part, and refuses that on a full disk: nothing would ever free it. So the file goes before a drop, and is made again once there is room.
 */
export class Ballast {
  readonly #directory: string;
  readonly #path: string;
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

  /** Removes the file where the disk is too full for a drop. */
  async release(): Promise<void> {
    await this.#making;
    if (freeBytesOf(await statfs(this.#directory)) < ballastBytes) await rm(this.#path, { force: true });
  }

  get #draft(): string {
    return `${this.#path}.new`;
  }

  async #make(): Promise<void> {
    const isThere = await stat(this.#path).then(
      ({ size }) => size === ballastBytes,
      () => false,
    );
    const free = freeBytesOf(await statfs(this.#directory));
    // After a release, what it has freed is not taken again.
    if (isThere || free < 2 * ballastBytes || free > littleRoomBytes) return;
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
