import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { engineErrorIn } from './engine-http.js';
import { FrameKind, FrameReader, frameOf, queryChannelSocket } from './frames.js';
import type { HandoverDirectory } from './handover.js';

/** Longer statements use HTTP. */
const maxStatementChars = 256 * 1024;

interface QueryInFlight {
  readonly resolve: (result: Buffer) => void;
  readonly reject: (reason: unknown) => void;
}

/** Options of a query. */
interface ChannelQueryOptions {
  readonly signal?: AbortSignal | undefined;
  /** User whose memory it counts as. */
  readonly owner?: string | undefined;
}

/**
 * Client of the framed query channel: sends queries with short results to the embedded host over one Unix socket. HTTP
 * takes both processes 1.5 ms more processor time while its code is seldom run. See docs/decisions/039-query-channel.md.
 */
export class QueryChannel {
  readonly #directory: () => HandoverDirectory | undefined;
  #socket: Socket | undefined;
  /** Directory of the socket. */
  #path = '';
  #isOpen = false;
  #counter = 0;
  #refusal: string | undefined;
  readonly #inFlight = new Map<number, QueryInFlight>();

  constructor(directory: () => HandoverDirectory | undefined) {
    this.#directory = directory;
  }

  /**
   * The whole result of a statement that only reads. Returns undefined if the caller must use HTTP: there is no embedded
   * host, or no connection to it yet. Rejects with an EngineError, the signal's reason, or an error of the connection.
   */
  query(statement: string, { signal, owner }: ChannelQueryOptions): Promise<Buffer> | undefined {
    const directory = this.#directory();
    if (directory === undefined || this.#refusal !== undefined || statement.length > maxStatementChars)
      return undefined;
    if (this.#path !== directory.path) this.#open(directory.path);
    const socket = this.#socket;
    if (socket === undefined || !this.#isOpen) return undefined;
    if (signal?.aborted === true) return Promise.reject(signal.reason);
    this.#counter = (this.#counter + 1) % 2 ** 32;
    const id = this.#counter;
    return new Promise((resolve, reject) => {
      const cancel = (): void => {
        this.#inFlight.delete(id);
        socket.write(frameOf(id, FrameKind.cancel, ''));
        removeListener();
        reject(signal?.reason);
      };
      const removeListener = (): void => {
        signal?.removeEventListener('abort', cancel);
        if (this.#inFlight.size === 0) socket.unref();
      };
      signal?.addEventListener('abort', cancel, { once: true });
      this.#inFlight.set(id, {
        resolve: (result) => {
          removeListener();
          resolve(result);
        },
        reject: (reason) => {
          removeListener();
          reject(reason);
        },
      });
      // Only queries in flight keep the process alive.
      socket.ref();
      const name = owner === undefined ? '' : encodeURIComponent(owner);
      socket.write(frameOf(id, FrameKind.query, `${name}\n${statement}`));
    });
  }

  /** Fails every query in flight and further ones with this reason, until called with undefined. */
  refuseAll(reason: string | undefined): void {
    this.#refusal = reason;
    if (reason !== undefined) this.#fail(new Error(reason));
  }

  /** Closes the connection; queries in flight fail. */
  close(): void {
    this.#socket?.destroy();
  }

  #open(path: string): void {
    this.#socket?.destroy();
    this.#fail(new Error('the connection was closed'));
    this.#path = path;
    const socket = connect(join(path, queryChannelSocket));
    this.#socket = socket;
    this.#isOpen = false;
    const reader = new FrameReader();
    socket.on('connect', () => {
      this.#isOpen = this.#socket === socket;
    });
    socket.on('data', (piece) => this.#onData(reader, piece, socket));
    // The event 'close' follows.
    socket.on('error', () => {});
    socket.on('close', () => {
      if (this.#socket !== socket) return;
      this.#socket = undefined;
      this.#isOpen = false;
      // The next query connects again.
      this.#path = '';
      this.#fail(new Error('the connection was closed'));
    });
    socket.unref();
  }

  #onData(reader: FrameReader, piece: Buffer, socket: Socket): void {
    try {
      for (const { id, kind, bytes } of reader.read(piece)) {
        const query = this.#inFlight.get(id);
        this.#inFlight.delete(id);
        if (kind === FrameKind.result) query?.resolve(bytes);
        else query?.reject(engineErrorIn(bytes.toString()));
      }
    } catch {
      socket.destroy();
    }
  }

  #fail(reason: Error): void {
    const queries = [...this.#inFlight.values()];
    this.#inFlight.clear();
    for (const { reject } of queries) reject(reason);
  }
}
