import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { refusalIn } from './engine-http.js';
import { FrameKind, FrameReader, frameOf, frameSocket } from './frames.js';
import type { HandoverPlace } from './handover.js';

/** Longer statements go by HTTP. */
const maxStatementChars = 256 * 1024;

interface Waiting {
  readonly resolve: (result: Buffer) => void;
  readonly reject: (reason: unknown) => void;
}

/** How a statement is asked. */
interface AskOptions {
  readonly signal?: AbortSignal | undefined;
  /** User whose memory it counts as. */
  readonly owner?: string | undefined;
}

/**
 * Asks the host that serves a place of this machine for short results, over one socket: HTTP takes both processes a millisecond and a half of processor time more while
 * their code is seldom run.
 */
export class ShortAsks {
  readonly #place: () => HandoverPlace | undefined;
  #socket: Socket | undefined;
  /** Place of the socket. */
  #path = '';
  #isOpen = false;
  #counter = 0;
  #refusal: string | undefined;
  readonly #waiting = new Map<number, Waiting>();

  constructor(place: () => HandoverPlace | undefined) {
    this.#place = place;
  }

  /**
   * The whole result of a statement that only reads. Undefined where it has to go by HTTP: there is no such place, or no connection to it yet.
   * Rejects with an EngineRefusal, the signal's reason, or an error of the connection.
   */
  ask(statement: string, { signal, owner }: AskOptions): Promise<Buffer> | undefined {
    const place = this.#place();
    if (place === undefined || this.#refusal !== undefined || statement.length > maxStatementChars) return undefined;
    if (this.#path !== place.path) this.#open(place.path);
    const socket = this.#socket;
    if (socket === undefined || !this.#isOpen) return undefined;
    if (signal?.aborted === true) return Promise.reject(signal.reason);
    this.#counter = (this.#counter + 1) % 2 ** 32;
    const id = this.#counter;
    return new Promise((resolve, reject) => {
      const cancel = (): void => {
        this.#waiting.delete(id);
        socket.write(frameOf(id, FrameKind.cancel, ''));
        ended();
        reject(signal?.reason);
      };
      const ended = (): void => {
        signal?.removeEventListener('abort', cancel);
        if (this.#waiting.size === 0) socket.unref();
      };
      signal?.addEventListener('abort', cancel, { once: true });
      this.#waiting.set(id, {
        resolve: (result) => {
          ended();
          resolve(result);
        },
        reject: (reason) => {
          ended();
          reject(reason);
        },
      });
      // Only what waits for an answer keeps the process alive.
      socket.ref();
      const name = owner === undefined ? '' : encodeURIComponent(owner);
      socket.write(frameOf(id, FrameKind.ask, `${name}\n${statement}`));
    });
  }

  /** Ends every statement, and takes no further ones, until called with undefined. */
  refuseAll(reason: string | undefined): void {
    this.#refusal = reason;
    if (reason !== undefined) this.#fail(new Error(reason));
  }

  /** Gives up the connection; what is waited for fails. */
  close(): void {
    this.#socket?.destroy();
  }

  #open(path: string): void {
    this.#socket?.destroy();
    this.#fail(new Error('the connection was closed'));
    this.#path = path;
    const socket = connect(join(path, frameSocket));
    this.#socket = socket;
    this.#isOpen = false;
    const reader = new FrameReader();
    socket.on('connect', () => {
      this.#isOpen = this.#socket === socket;
    });
    socket.on('data', (piece) => this.#take(reader, piece, socket));
    // What failed is told by 'close'.
    socket.on('error', () => {});
    socket.on('close', () => {
      if (this.#socket !== socket) return;
      this.#socket = undefined;
      this.#isOpen = false;
      // It is tried again with the next statement.
      this.#path = '';
      this.#fail(new Error('the connection was closed'));
    });
    socket.unref();
  }

  #take(reader: FrameReader, piece: Buffer, socket: Socket): void {
    try {
      for (const { id, kind, bytes } of reader.read(piece)) {
        const waiting = this.#waiting.get(id);
        this.#waiting.delete(id);
        if (kind === FrameKind.answer) waiting?.resolve(bytes);
        else waiting?.reject(refusalIn(bytes.toString()));
      }
    } catch {
      socket.destroy();
    }
  }

  #fail(reason: Error): void {
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const { reject } of waiting) reject(reason);
  }
}
