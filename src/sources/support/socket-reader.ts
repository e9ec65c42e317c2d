import type { Socket } from 'node:net';

/** Bytes that are read ahead of whoever takes them. */
const maxAheadBytes = 65_536;

/**
 * The bytes that arrive on a connection, until its other end closes or breaks it, or `stop` fires; those that arrived while the reader was busy
 * comes as one piece, and while there is too much of it the socket waits, so that the pressure reaches the sender.
 *
 * Unlike the stream itself, nothing that was received is lost when the connection breaks: it is yielded before the end.
 */
export async function* readSocket(socket: Socket, stop: AbortSignal): AsyncGenerator<Buffer> {
  let pieces: Buffer[] = [];
  let bytes = 0;
  let ended = socket.destroyed;
  let wake = (): void => {};
  const take = (piece: Buffer): void => {
    pieces.push(piece);
    bytes += piece.length;
    if (bytes >= maxAheadBytes) socket.pause();
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
  try {
    while (pieces.length > 0 || (!ended && !stop.aborted)) {
      if (pieces.length > 0) {
        const piece = pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces, bytes);
        pieces = [];
        bytes = 0;
        yield piece;
        continue;
      }
      if (socket.isPaused()) socket.resume();
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  } finally {
    socket.pause();
    socket.off('data', take);
    for (const event of events) socket.off(event, end);
    stop.removeEventListener('abort', end);
  }
}
