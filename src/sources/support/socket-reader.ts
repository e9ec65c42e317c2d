import type { Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';

/**
 * Bytes that are read ahead, on all connections and on one. What comes together is read and logged as one payload, of
 * which a few long ones cost less than many short ones.
 */
const allAheadBytes = 16 * 1024 * 1024;
const mostAheadBytes = 262_144;
const leastAheadBytes = 65_536;
/** What a piece takes besides its bytes: an object and memory of its own. A segment of one byte is a piece. */
const pieceBytes = 512;
let readers = 0;

/**
 * The bytes that arrive on a connection, until its other end closes or breaks it, or `stop` fires; the pieces that
 * arrived in one turn of the event loop, or while the reader was busy, come together. While there is too much of them
 * the socket waits, so that the pressure reaches the sender.
 *
 * Unlike the stream itself, nothing that was received is lost when the connection breaks: it is yielded before the end.
 */
export async function* readSocket(socket: Socket, stop: AbortSignal): AsyncGenerator<readonly Buffer[]> {
  let pieces: Buffer[] = [];
  let bytes = 0;
  let ended = socket.destroyed;
  let wake = (): void => {};
  const take = (piece: Buffer): void => {
    pieces.push(piece);
    bytes += pieceBytes + piece.length;
    if (bytes >= Math.max(leastAheadBytes, Math.min(mostAheadBytes, allAheadBytes / readers))) socket.pause();
    wake();
  };
  const end = (): void => {
    ended = true;
    wake();
  };
  const events = ['end', 'error', 'close'] as const;
  socket.on('data', take);
  for (const event of events) socket.on(event, end);
  stop.addEventListener('abort', end);
  readers++;
  try {
    while (pieces.length > 0 || (!ended && !stop.aborted)) {
      if (pieces.length > 0) {
        const together = pieces;
        pieces = [];
        bytes = 0;
        yield together;
        continue;
      }
      if (socket.isPaused()) socket.resume();
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
      await turn();
    }
  } finally {
    readers--;
    socket.pause();
    socket.off('data', take);
    for (const event of events) socket.off(event, end);
    stop.removeEventListener('abort', end);
  }
}
