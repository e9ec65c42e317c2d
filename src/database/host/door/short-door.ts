import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { withoutRowSettings } from '../../../sql/engine/settings.js';
import { FrameKind, FrameReader, frameHead, frameOf, frameSocket } from '../../engine/frames.js';
import { noContext } from '../connection/connection.js';
import type { Connections } from '../connection/connections.js';
import { exceptionReply } from '../connection/exception.js';
import type { KeptAnswers } from './kept-answers.js';
import { onConnection } from './on-connection.js';

/** Statements name their format. */
const format = 'CustomSeparated';
const nothing = Buffer.alloc(0);

/** The door for short results. */
export interface ShortDoor {
  /** Takes no new connections. */
  close(): void;
  /** Breaks off those that there are. */
  closeAllConnections(): void;
}

/**
 * Serves statements with short results to programs that can reach the directory of the host, which are those of its own user. `begun` gets a
 * promise for each statement, which resolves with its answer.
 */
export function openShortDoor(
  directory: string,
  connections: Connections,
  answers: KeptAnswers,
  begun: (answered: Promise<void>) => void,
): ShortDoor {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    new Askers(socket, connections, answers, begun);
  });
  // Without it everything comes by HTTP.
  server.on('error', () => {});
  server.listen(join(directory, frameSocket));
  return {
    close: () => server.close(),
    closeAllConnections: () => {
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** One connection of an adapter, over which it asks many statements at a time. */
class Askers {
  readonly #socket: Socket;
  readonly #connections: Connections;
  readonly #answers: KeptAnswers;
  readonly #running = new Map<number, AbortController>();

  constructor(
    socket: Socket,
    connections: Connections,
    answers: KeptAnswers,
    begun: (answered: Promise<void>) => void,
  ) {
    this.#socket = socket;
    this.#connections = connections;
    this.#answers = answers;
    const reader = new FrameReader();
    socket.on('data', (piece) => {
      try {
        for (const { id, kind, bytes } of reader.read(piece)) {
          if (kind === FrameKind.ask) begun(this.#answer(id, bytes.toString()));
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
  async #answer(id: number, asked: string): Promise<void> {
    const gone = new AbortController();
    this.#running.set(id, gone);
    const end = asked.indexOf('\n');
    const owner = end === 0 ? undefined : asked.slice(0, end);
    const how = { lane: 'rows', signal: gone.signal, owner } as const;
    try {
      const bytes = await this.#answers.answer(asked.slice(end + 1), (statement) =>
        onConnection(this.#connections, how, async (connection, tag) => {
          const result = await connection.run(withoutRowSettings(statement), format, noContext, tag);
          const { buffer, byteOffset, byteLength } = result.bytes();
          return Buffer.from(buffer, byteOffset, byteLength);
        }),
      );
      this.#send(frameHead(id, FrameKind.answer, bytes?.length ?? 0), bytes ?? nothing);
    } catch (error) {
      this.#send(frameOf(id, FrameKind.refusal, exceptionReply(error).text));
    } finally {
      this.#running.delete(id);
    }
  }

  /** Sends the pieces of a frame without joining them. */
  #send(...pieces: readonly Buffer[]): void {
    if (this.#socket.destroyed) return;
    this.#socket.cork();
    for (const piece of pieces) this.#socket.write(piece);
    this.#socket.uncork();
  }
}
