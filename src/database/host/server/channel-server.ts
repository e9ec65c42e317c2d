import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { channelSocket, FrameKind, FrameReader, frameHead, frameOf, readRequestFrame } from '../../engine/frames.js';
import type { HostRequest } from '../../engine/request.js';
import { exceptionReply } from '../connection/exception.js';
import { maxResultBytes, type ResultCache } from './result-cache.js';
import type { Caller, StatementRunner } from './runner.js';
import type { TemporaryFiles } from './temporary-files.js';

/** Server of the framed channel. */
export interface ChannelServer {
  /** Accepts no new connections. */
  close(): void;
  /** Closes the open connections. */
  closeAllConnections(): void;
}

/** What the requests of a channel run on. */
interface ChannelContext {
  readonly runner: StatementRunner;
  readonly results: ResultCache;
  readonly temporaryFiles: TemporaryFiles;
  /** Gets a promise for each request, which resolves once its result is sent. */
  track(answered: Promise<void>): void;
}

/**
 * Serves the requests of adapters over a Unix socket in the directory of the host, which only programs of its own user
 * can enter. Rejects if the socket cannot be made. See docs/decisions/039-host-channel.md.
 */
export async function serveChannel(directory: string, context: ChannelContext): Promise<ChannelServer> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    new ChannelConnection(socket, context);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(join(directory, channelSocket), resolve);
  });
  return {
    close: () => server.close(),
    closeAllConnections: () => {
      for (const socket of sockets) socket.destroy();
    },
  };
}

type Query = Extract<HostRequest, { kind: 'query' }>;

/** A request that runs. */
class RunningRequest {
  readonly cancellation = new AbortController();
  /** The adapter takes no more pieces for now. */
  isPaused = false;
  resume: () => void = () => {};

  get caller(): Caller {
    return { signal: this.cancellation.signal };
  }
}

/** Bytes that wait in a socket before its results pause. */
const maxWaitingBytes = 1024 * 1024;

/** One connection of an adapter, with many requests in flight. */
class ChannelConnection {
  readonly #socket: Socket;
  readonly #context: ChannelContext;
  readonly #running = new Map<number, RunningRequest>();

  constructor(socket: Socket, context: ChannelContext) {
    this.#socket = socket;
    this.#context = context;
    const reader = new FrameReader();
    socket.on('data', (piece) => {
      try {
        for (const { id, kind, bytes } of reader.read(piece)) this.#receive(id, kind, bytes);
      } catch {
        socket.destroy();
      }
    });
    socket.on('drain', () => {
      for (const request of this.#running.values()) if (!request.isPaused) request.resume();
    });
    socket.on('error', () => {});
    socket.on('close', () => {
      for (const { cancellation } of this.#running.values()) cancellation.abort();
    });
  }

  #receive(id: number, kind: number, bytes: Buffer): void {
    const running = this.#running.get(id);
    if (kind === FrameKind.request) {
      const { head, rows } = readRequestFrame(bytes);
      const request: HostRequest = JSON.parse(head);
      this.#context.track(this.#run(id, request, rows));
    } else if (kind === FrameKind.cancel) running?.cancellation.abort();
    else if (running !== undefined) {
      running.isPaused = kind === FrameKind.pause;
      if (!running.isPaused) running.resume();
    }
  }

  /** Never rejects. */
  async #run(id: number, request: HostRequest, rows: Buffer): Promise<void> {
    const running = new RunningRequest();
    this.#running.set(id, running);
    try {
      await this.#answer(id, request, rows, running);
    } catch (error) {
      this.#send(frameOf(id, FrameKind.error, exceptionReply(error).text));
    } finally {
      this.#running.delete(id);
    }
  }

  async #answer(id: number, request: HostRequest, rows: Buffer, running: RunningRequest): Promise<void> {
    const { runner } = this.#context;
    if (request.kind === 'query') return this.#query(id, request, running);
    if (request.kind === 'change') await runner.change(request.statement, request.effect, running.caller);
    else if (request.kind === 'insert') await this.#insert(request, rows, running);
    else await (request.kind === 'ping' ? runner.ping() : runner.makeRoom());
    this.#sendPiece(id, FrameKind.end, noBytes);
  }

  /** Sends a result that fits one frame as such, and caches it; a longer one in pieces. */
  async #query(id: number, { statement, format, owner, ...query }: Query, running: RunningRequest): Promise<void> {
    const { runner, results } = this.#context;
    const cacheable = { key: `${format} ${statement}`, tables: query.cacheableUntilChangeOf };
    const result = await results.result(cacheable, async () => {
      let pieces: Buffer[] = [];
      let bytes = 0;
      const take = (piece: Buffer): boolean => {
        // A cancelled query ends only once the engine could write what it has.
        if (running.cancellation.signal.aborted) return true;
        bytes += piece.length;
        if (bytes <= maxResultBytes) return pieces.push(piece) > 0;
        for (const earlier of pieces) this.#sendPiece(id, FrameKind.piece, earlier);
        pieces = [];
        this.#sendPiece(id, FrameKind.piece, piece);
        return !running.isPaused && this.#socket.writableLength < maxWaitingBytes;
      };
      const parts = { head: statement, tail: `FORMAT ${format}` };
      const ended = await runner.query(parts, { ...running.caller, owner }, take, (resume) => {
        running.resume = resume;
      });
      return ended !== undefined && bytes <= maxResultBytes ? Buffer.concat(pieces) : undefined;
    });
    this.#sendPiece(id, FrameKind.end, result ?? noBytes);
  }

  async #insert(
    { insert, logEntries, file }: Extract<HostRequest, { kind: 'insert' }>,
    rows: Buffer,
    { caller }: RunningRequest,
  ): Promise<void> {
    const { runner, temporaryFiles } = this.#context;
    const body = file === undefined ? await temporaryFiles.take(rows) : temporaryFiles.handedOver(file);
    try {
      await runner.insert(insert, body.path, logEntries, caller);
    } finally {
      body.discard();
    }
  }

  /** Sends a piece without copying it. */
  #sendPiece(id: number, kind: number, piece: Buffer): void {
    this.#send(frameHead(id, kind, piece.length), piece);
  }

  #send(...pieces: readonly Buffer[]): void {
    if (this.#socket.destroyed) return;
    this.#socket.cork();
    for (const piece of pieces) this.#socket.write(piece);
    this.#socket.uncork();
  }
}

const noBytes = Buffer.alloc(0);
