/** Name of the query channel's socket in the directory of a host, see {@link FrameKind}. */
export const queryChannelSocket = 'query.sock';

/**
 * Kinds of frames. `query`: the name of its user, percent-encoded and often empty, a line feed, and a statement with a
 * short result. `cancel`: the adapter no longer waits for the result. `result`: the whole result. `error`: the engine's
 * error message.
 */
export const FrameKind = { query: 0, cancel: 1, result: 2, error: 3 } as const;

/** One message between an adapter and its host; a result has the id of its query. */
export interface Frame {
  readonly id: number;
  readonly kind: number;
  readonly bytes: Buffer;
}

/** Length of the rest, id, kind. */
const headBytes = 9;
/** Far more than short results have. */
const maxBytes = 64 * 1024 * 1024;

/** The bytes of a frame. */
export function frameOf(id: number, kind: number, content: string | Uint8Array): Buffer {
  const length = typeof content === 'string' ? Buffer.byteLength(content) : content.length;
  const frame = Buffer.allocUnsafe(headBytes + length);
  writeHead(frame, id, kind, length);
  if (typeof content === 'string') frame.write(content, headBytes);
  else frame.set(content, headBytes);
  return frame;
}

/** The head of a frame whose content has so many bytes. */
export function frameHead(id: number, kind: number, length: number): Buffer {
  const head = Buffer.allocUnsafe(headBytes);
  writeHead(head, id, kind, length);
  return head;
}

function writeHead(frame: Buffer, id: number, kind: number, length: number): void {
  frame.writeUInt32LE(headBytes - 4 + length, 0);
  frame.writeUInt32LE(id, 4);
  frame[8] = kind;
}

/** Splits the bytes of a connection into frames. */
export class FrameReader {
  #pieces: Buffer[] = [];
  #bytes = 0;
  /** Bytes of the unfinished frame; 0 until its length has arrived. */
  #frameEnd = 0;

  /** The frames that this piece completes; they may share its memory. Throws if a length is out of range. */
  *read(piece: Buffer): Generator<Frame> {
    this.#pieces.push(piece);
    this.#bytes += piece.length;
    while (this.#bytes >= Math.max(4, this.#frameEnd)) {
      const all = this.#concatenated();
      if (this.#frameEnd === 0) {
        this.#frameEnd = 4 + all.readUInt32LE(0);
        if (this.#frameEnd < headBytes || this.#frameEnd > maxBytes)
          throw new Error(`A frame of ${this.#frameEnd} bytes`);
        continue;
      }
      this.#pieces = [all.subarray(this.#frameEnd)];
      this.#bytes -= this.#frameEnd;
      const bytes = all.subarray(headBytes, this.#frameEnd);
      this.#frameEnd = 0;
      yield { id: all.readUInt32LE(4), kind: all[8]!, bytes };
    }
  }

  #concatenated(): Buffer {
    const [first] = this.#pieces;
    const all = this.#pieces.length === 1 && first !== undefined ? first : Buffer.concat(this.#pieces);
    this.#pieces = [all];
    return all;
  }
}
