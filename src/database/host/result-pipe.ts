import { execFileSync } from 'node:child_process';
import { constants, openSync, readSync } from 'node:fs';
import { Socket } from 'node:net';

/** Called with each piece of a result; false asks the pipe to stop reading until {@link ResultPipe.resume}. */
export type PieceListener = (piece: Buffer) => boolean;

const pieceBytes = 65_536;

/** Makes named pipes that only this user can open. Node has no call for it, so the system's program does it. */
export function makePipes(paths: readonly string[]): void {
  if (paths.length > 0) execFileSync('mkfifo', ['-m', '600', ...paths], { stdio: ['ignore', 'ignore', 'pipe'] });
}

/**
 * Reads what the engine writes to a named pipe. The pipe stays open at both ends on our side, so it never reports an
 * end and serves one statement after the other; the owner calls {@link ResultPipe.drain} when a statement has ended.
 * What is not read holds the engine back: the kernel keeps 64 KiB.
 */
export class ResultPipe {
  readonly path: string;
  readonly #fd: number;
  readonly #socket: Socket;
  #listener: PieceListener | undefined;

  constructor(path: string) {
    this.path = path;
    this.#fd = openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
    this.#socket = new Socket({ fd: this.#fd, readable: true, writable: false });
    this.#socket.on('data', (piece: Buffer) => {
      if (this.#listener?.(piece) === false) this.#socket.pause();
    });
    this.#socket.on('error', () => {});
    this.#socket.unref();
  }

  /** Takes pieces from now on. */
  listen(listener: PieceListener): void {
    this.#listener = listener;
    this.#socket.resume();
  }

  resume(): void {
    this.#socket.resume();
  }

  /** Hands the listener all that is left, at most what the kernel and one read-ahead hold, and forgets the listener. */
  drain(): void {
    this.#socket.pause();
    // Each read hands its piece to the listener, as an event.
    while (this.#socket.read() !== null);
    for (;;) {
      const buffer = Buffer.allocUnsafe(pieceBytes);
      const length = readNow(this.#fd, buffer);
      if (length === 0) break;
      this.#listener?.(buffer.subarray(0, length));
    }
    this.#listener = undefined;
  }

  close(): void {
    this.#listener = undefined;
    this.#socket.destroy();
  }
}

/** Bytes read without waiting; 0 when there are none. */
function readNow(fd: number, buffer: Buffer): number {
  try {
    return readSync(fd, buffer);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EAGAIN') return 0;
    throw error;
  }
}
