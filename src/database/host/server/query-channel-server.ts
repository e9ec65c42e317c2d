import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { withoutRowSettings } from '../../../sql/engine/settings.js';
import { FrameKind, FrameReader, frameHead, frameOf, queryChannelSocket } from '../../engine/frames.js';
import { noContext } from '../connection/connection.js';
import type { Connections } from '../connection/connections.js';
import { exceptionReply } from '../connection/exception.js';
import type { ResultCache } from './result-cache.js';
import { withConnection } from './with-connection.js';

/** Statements name their format. */
const format = 'CustomSeparated';
const emptyResult = Buffer.alloc(0);

/** Server of the framed query channel. */
export interface QueryChannelServer {
  /** Accepts no new connections. */
  close(): void;
  /** Closes the open connections. */
  closeAllConnections(): void;
}

/**
 * Serves statements with short results over a Unix socket in the directory of the host, which only programs of its own
 * user can reach. `track` gets a promise for each statement, which resolves once its result is sent.
 * See docs/decisions/039-query-channel.md.
 */
export function serveQueryChannel(
  directory: string,
  connections: Connections,
  results: ResultCache,
  track: (answered: Promise<void>) => void,
): QueryChannelServer {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    new ChannelConnection(socket, connections, results, track);
  });
  // Without the socket all statements come over HTTP.
  server.on('error', () => {});
  server.listen(join(directory, queryChannelSocket));
  return {
    close: () => server.close(),
    closeAllConnections: () => {
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** One connection of an adapter, with many statements in flight. */
class ChannelConnection {
  readonly #socket: Socket;
  readonly #connections: Connections;
  readonly #results: ResultCache;
  readonly #running = new Map<number, AbortController>();

  constructor(socket: Socket, connections: Connections, results: ResultCache, track: (work: Promise<void>) => void) {
    this.#socket = socket;
    this.#connections = connections;
    this.#results = results;
    const reader = new FrameReader();
    socket.on('data', (piece) => {
      try {
        for (const { id, kind, bytes } of reader.read(piece)) {
          if (kind === FrameKind.query) track(this.#run(id, bytes.toString()));
          else this.#running.get(id)?.abort();
        }
      } catch {
        socket.destroy();
      }
    });
    socket.on('error', () => {});
    socket.on('close', () => {
      for (const gone of this.#running.values()) gone.abort();
    });
  }

  /** Never rejects. */
  async #run(id: number, request: string): Promise<void> {
    const cancellation = new AbortController();
    this.#running.set(id, cancellation);
    const end = request.indexOf('\n');
    const owner = end === 0 ? undefined : request.slice(0, end);
    const taking = { connectionClass: 'rows', signal: cancellation.signal, owner } as const;
    try {
      const bytes = await this.#results.result(request.slice(end + 1), (statement) =>
        withConnection(this.#connections, taking, async (connection, tag) => {
          const result = await connection.run(withoutRowSettings(statement), format, noContext, tag);
          const { buffer, byteOffset, byteLength } = result.bytes();
          return Buffer.from(buffer, byteOffset, byteLength);
        }),
      );
      this.#send(frameHead(id, FrameKind.result, bytes?.length ?? 0), bytes ?? emptyResult);
    } catch (error) {
      this.#send(frameOf(id, FrameKind.error, exceptionReply(error).text));
    } finally {
      this.#running.delete(id);
    }
  }

  /** Sends the pieces of a frame without copying them. */
  #send(...pieces: readonly Buffer[]): void {
    if (this.#socket.destroyed) return;
    this.#socket.cork();
    for (const piece of pieces) this.#socket.write(piece);
    this.#socket.uncork();
  }
}
