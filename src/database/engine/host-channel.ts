import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { type BufferBudget, BufferedResult } from './buffered-result.js';
import { engineErrorIn } from './engine-http.js';
import { channelSocket, type Frame, FrameKind, FrameReader, frameOf, requestFrame } from './frames.js';
import type { HostDirectory } from './handover.js';
import type { HostRequest } from './request.js';

/** A result: all of it, if it fits one frame, or its pieces. */
type ChannelResult = Buffer | BufferedResult;

interface RequestInFlight {
  readonly resolve: (result: ChannelResult) => void;
  readonly reject: (reason: unknown) => void;
  /** Set once a piece has arrived. */
  pieces: BufferedResult | undefined;
}

/** Options of a request. */
interface RequestOptions {
  readonly signal?: AbortSignal | undefined;
  /** Rows that follow an INSERT. */
  readonly rows?: readonly Uint8Array[];
}

/** A connection to the host of a directory. */
interface Connection {
  readonly path: string;
  readonly socket: Socket;
  /** Resolves when it is open. */
  readonly open: Promise<void>;
}

/**
 * Client of an embedded engine host: one Unix socket with many requests in flight. Results come in pieces, each with
 * back-pressure of its own. See docs/decisions/039-host-channel.md.
 */
export class HostChannel {
  readonly #directory: () => HostDirectory | undefined;
  readonly #budget: BufferBudget;
  #connection: Connection | undefined;
  #counter = 0;
  #refusal: string | undefined;
  #isClosed = false;
  readonly #inFlight = new Map<number, RequestInFlight>();

  /** `directory` gives that of the running host, undefined while there is none. */
  constructor(directory: () => HostDirectory | undefined, budget: BufferBudget) {
    this.#directory = directory;
    this.#budget = budget;
  }

  /**
   * Sends a request; resolves once the whole result or its first piece has arrived. Rejects with an EngineError, the
   * signal's reason, or an error of the connection.
   */
  async send(request: HostRequest, { signal, rows = [] }: RequestOptions = {}): Promise<ChannelResult> {
    const { socket, open } = this.#connected();
    if (socket.connecting) await open;
    signal?.throwIfAborted();
    if (this.#refusal !== undefined) throw new Error(this.#refusal);
    this.#counter = (this.#counter + 1) % 2 ** 32;
    const id = this.#counter;
    const result = this.#result(id, socket, signal);
    // Only requests in flight keep the process alive.
    socket.ref();
    const rowBytes = rows.reduce((sum, piece) => sum + piece.length, 0);
    socket.cork();
    socket.write(requestFrame(id, JSON.stringify(request), rowBytes));
    for (const piece of rows) socket.write(piece);
    socket.uncork();
    return result;
  }

  /** Fails every request in flight and further ones with this reason, until called with undefined. */
  refuseAll(reason: string | undefined): void {
    this.#refusal = reason;
    if (reason !== undefined) this.#failAll(new Error(reason));
  }

  /** Closes the connection; requests in flight and later ones fail. */
  close(): void {
    this.#isClosed = true;
    this.#connection?.socket.destroy();
  }

  /** The first frame of the result; the signal cancels the request until its end. */
  #result(id: number, socket: Socket, signal: AbortSignal | undefined): Promise<ChannelResult> {
    return new Promise((resolve, reject) => {
      const cancel = (): void => {
        this.#cancel(id, socket);
        (request.pieces === undefined ? reject : (reason: unknown) => request.pieces?.end(reason))(signal?.reason);
      };
      const request: RequestInFlight = {
        resolve: (result) => {
          if (Buffer.isBuffer(result)) signal?.removeEventListener('abort', cancel);
          else result.whenOver(() => signal?.removeEventListener('abort', cancel));
          resolve(result);
        },
        reject: (reason) => {
          signal?.removeEventListener('abort', cancel);
          reject(reason);
        },
        pieces: undefined,
      };
      signal?.addEventListener('abort', cancel, { once: true });
      this.#inFlight.set(id, request);
    });
  }

  #connected(): Connection {
    const directory = this.#directory();
    if (this.#isClosed) throw new Error('the connections were given up');
    if (this.#refusal !== undefined) throw new Error(this.#refusal);
    if (directory === undefined) throw new Error('it does not run');
    if (this.#connection?.path !== directory.path) this.#connection = this.#connect(directory.path);
    return this.#connection;
  }

  #connect(path: string): Connection {
    this.#connection?.socket.destroy();
    this.#failAll(new Error('the connection was closed'));
    const socket = connect(join(path, channelSocket));
    const open = new Promise<void>((resolve, reject) => {
      socket.once('connect', resolve);
      socket.once('error', reject);
      socket.once('close', () => reject(new Error('the connection was closed')));
    });
    // Callers that wait get the error.
    open.catch(() => {});
    const reader = new FrameReader();
    socket.on('data', (piece) => {
      try {
        for (const frame of reader.read(piece)) this.#receive(frame, socket);
      } catch {
        socket.destroy();
      }
    });
    // The event 'close' follows.
    socket.on('error', () => {});
    socket.on('close', () => {
      if (this.#connection?.socket !== socket) return;
      // The next request connects again.
      this.#connection = undefined;
      this.#failAll(new Error('the connection was closed'));
    });
    return { path, socket, open };
  }

  #receive({ id, kind, bytes }: Frame, socket: Socket): void {
    const request = this.#inFlight.get(id);
    if (request === undefined) return;
    if (kind === FrameKind.piece) {
      if (request.pieces === undefined) {
        request.pieces = this.#begun(id, socket);
        request.resolve(request.pieces);
      }
      request.pieces.add(bytes);
      return;
    }
    const { pieces } = request;
    this.#remove(id, socket);
    if (kind === FrameKind.error) {
      const error = engineErrorIn(bytes.toString());
      if (pieces === undefined) request.reject(error);
      else pieces.end(error);
    } else if (pieces === undefined) request.resolve(bytes);
    else {
      if (bytes.length > 0) pieces.add(bytes);
      pieces.end(undefined);
    }
  }

  #begun(id: number, socket: Socket): BufferedResult {
    const send = (kind: number): void => {
      if (this.#inFlight.has(id)) socket.write(frameOf(id, kind, ''));
    };
    const source = {
      pause: () => send(FrameKind.pause),
      resume: () => send(FrameKind.resume),
      cancel: () => this.#cancel(id, socket),
    };
    return new BufferedResult(source, this.#budget);
  }

  /** Without effect after the end of a request. */
  #cancel(id: number, socket: Socket): void {
    if (!this.#inFlight.has(id)) return;
    this.#remove(id, socket);
    socket.write(frameOf(id, FrameKind.cancel, ''));
  }

  #remove(id: number, socket: Socket): void {
    this.#inFlight.delete(id);
    if (this.#inFlight.size === 0) socket.unref();
  }

  #failAll(reason: Error): void {
    const requests = [...this.#inFlight.values()];
    this.#inFlight.clear();
    for (const { pieces, reject } of requests) {
      if (pieces === undefined) reject(reason);
      else pieces.end(reason);
    }
  }
}
