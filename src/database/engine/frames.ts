/** Name of the socket in the place of a host where it is asked over frames, see {@link FrameKind}. */
export const frameSocket = 'ask.sock';

/**
 * Kinds of frames. `ask`: a statement with a short result; before it stand the name of its user, percent-encoded and often empty, and a line
 * feed. `cancel`: the adapter does not wait for the answer any more. `answer`: the whole result. `refusal`: the engine's words about why there is
 * none.
 */
export const FrameKind = { ask: 0, cancel: 1, answer: 2, refusal: 3 } as const;

/** One message between an adapter and its host; an answer has the number of its question. */
export interface Frame {
  readonly id: number;
  readonly kind: number;
  readonly bytes: Buffer;
}

/** Length of what follows, number, kind. */
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

/** The bytes of a frame that stand before its content of so many bytes. */
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

/** Cuts what comes over a connection into frames. */
export class FrameReader {
  #pieces: Buffer[] = [];
  #bytes = 0;
  /** Bytes of the frame that has begun; 0 while its length is not here. */
  #frameEnd = 0;

  /** The frames that have ended with this piece; they may share its memory. Throws where a length is none that frames have. */
  *read(piece: Buffer): Generator<Frame> {
    this.#pieces.push(piece);
    this.#bytes += piece.length;
    while (this.#bytes >= Math.max(4, this.#frameEnd)) {
      const all = this.#joined();
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

  #joined(): Buffer {
    const [first] = this.#pieces;
    const all = this.#pieces.length === 1 && first !== undefined ? first : Buffer.concat(this.#pieces);
    this.#pieces = [all];
    return all;
  }
}
