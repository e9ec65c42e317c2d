import { execFileSync } from 'node:child_process';
import { closeSync, constants, openSync, readSync, rmSync } from 'node:fs';
import { Socket } from 'node:net';

/** Called with each piece of a result; false asks the pipe to stop reading until {@link ResultPipe.resume}. */
export type PieceListener = (piece: Buffer) => boolean;

const pieceBytes = 65_536;
/** How long a statement that failed may take to let go of its pipe. */
const closeTimeoutMs = 5_000;

/** Makes named pipes that only this user can open. Node has no call for it, so the system's program does it. */
export function makePipes(paths: readonly string[]): void {
  if (paths.length > 0) execFileSync('mkfifo', ['-m', '600', ...paths], { stdio: ['ignore', 'ignore', 'pipe'] });
}

/**
 * Reads what the engine writes to a named pipe, one statement after the other. What is not read holds the engine back:
 * the kernel keeps 64 KiB.
 *
 * The pipe is opened for each statement and for reading only, so that its end is seen when the engine closes its side.
 * The end of the statement would not do: a statement that fails or is cancelled is reported while threads of the engine
 * still write, and they would block for ever without a reader, or write into the next result.
 *
 * A second reader holds it until the statement has ended: when the engine refuses a result's format it opens the pipe
 * again, and once the first reader has seen the end it would wait there for ever.
 */
export class ResultPipe {
  readonly path: string;
  #fd = -1;
  #held: number | undefined;
  #socket: Socket | undefined;
  #ended: Promise<void> = Promise.resolve();
  #listener: PieceListener = () => true;

  constructor(path: string) {
    this.path = path;
  }

  /** Opens the pipe and hands out pieces from now on. The last statement must have let go of it. */
  listen(listener: PieceListener): void {
    this.#listener = listener;
    this.#fd = openForReading(this.path);
    this.#held = openForReading(this.path);
    const socket = new Socket({ fd: this.#fd, readable: true, writable: false });
    this.#socket = socket;
    this.#ended = new Promise((resolve) => {
      socket.once('close', () => {
        if (this.#socket === socket) this.#socket = undefined;
        resolve();
      });
    });
    socket.on('error', () => {});
    socket.on('data', (piece: Buffer) => {
      if (this.#listener(piece) === false) socket.pause();
    });
  }

  /** Resumes after a listener has paused the pipe. */
  resume(): void {
    this.#socket?.resume();
  }

  /** Call it when the statement has ended well: resolves when the listener has all of the result. */
  async finish(): Promise<void> {
    this.#release();
    if (this.#takeRest()) return;
    this.#socket?.resume();
    await this.#ended;
  }

  /** Call it when the statement has failed: reads and discards until the engine lets go of the pipe. */
  async discard(): Promise<void> {
    this.#listener = () => true;
    this.#release();
    if (this.#takeRest()) return;
    this.#socket?.resume();
    const timer = setTimeout(() => this.#replace(), closeTimeoutMs);
    await this.#ended;
    clearTimeout(timer);
  }

  close(): void {
    this.#release();
    this.#socket?.destroy();
  }

  #release(): void {
    if (this.#held !== undefined) closeSync(this.#held);
    this.#held = undefined;
  }

  /**
   * Hands the listener what can be read without waiting. True when that was all: no one has the pipe open for writing,
   * or no one ever had, which the socket alone would never notice.
   */
  #takeRest(): boolean {
    const socket = this.#socket;
    if (socket === undefined || socket.readableEnded) return true;
    socket.pause();
    // Each read hands its piece to the listener, as an event.
    while (socket.read() !== null);
    for (;;) {
      const buffer = Buffer.allocUnsafe(pieceBytes);
      const length = readNow(this.#fd, buffer);
      if (length === undefined) return false;
      if (length === 0) break;
      this.#listener(buffer.subarray(0, length));
    }
    this.#socket = undefined;
    socket.destroy();
    return true;
  }

  /** Gives up a pipe that its writer never closes, and puts a new one in its place. */
  #replace(): void {
    try {
      rmSync(this.path, { force: true });
      makePipes([this.path]);
    } catch {
      // The next statement on this pipe fails and says so.
    }
    this.#socket?.destroy();
  }
}

function openForReading(path: string): number {
  return openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
}

/** Bytes read without waiting; 0 at the end, undefined when there may be more later. */
function readNow(fd: number, buffer: Buffer): number | undefined {
  try {
    return readSync(fd, buffer);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EAGAIN') return undefined;
    throw error;
  }
}
