/** Name of the socket in the directory of a host, see {@link FrameKind}. */
export const channelSocket = 'engine.sock';

/**
 * Kinds of frames. From the adapter, `request`: the length of the head, the head as JSON (`HostRequest`), and the rows
 * of an INSERT; `pause` and `resume`: whether the host may send more pieces of a result; `cancel`: nobody waits for the
 * result. From the host, `piece`: bytes of a result; `end`: its last bytes, often all of them; `error`: the engine's
 * error message. All frames of a request have its id.
 */
export const FrameKind = { request: 0, pause: 1, resume: 2, cancel: 3, piece: 4, end: 5, error: 6 } as const;

/** One message between an adapter and its host. */
export interface Frame {
  readonly id: number;
  readonly kind: number;
  readonly bytes: Buffer;
}

/** Length of the rest, id, kind. */
const headBytes = 9;
/** Far more than the rows of an INSERT have. */
const maxBytes = 1024 * 1024 * 1024;

/** The head of a frame whose content has so many bytes. */
export function frameHead(id: number, kind: number, length: number): Buffer {
  const head = Buffer.allocUnsafe(headBytes);
  writeHead(head, id, kind, length);
  return head;
}

/** A frame with a short content. */
export function frameOf(id: number, kind: number, content: string): Buffer {
  const length = Buffer.byteLength(content);
  const frame = Buffer.allocUnsafe(headBytes + length);
  writeHead(frame, id, kind, length);
  frame.write(content, headBytes);
  return frame;
}

/** The frame of a request, whose rows follow it as so many bytes. */
export function requestFrame(id: number, head: string, rowBytes: number): Buffer {
  const length = Buffer.byteLength(head);
  const frame = Buffer.allocUnsafe(headBytes + 4 + length);
  writeHead(frame, id, FrameKind.request, 4 + length + rowBytes);
  frame.writeUInt32LE(length, headBytes);
  frame.write(head, headBytes + 4);
  return frame;
}

/** Head and rows of a request. Throws if they are cut off. */
export function readRequestFrame(bytes: Buffer): { readonly head: string; readonly rows: Buffer } {
  const end = 4 + bytes.readUInt32LE(0);
  if (end > bytes.length) throw new Error('A request is cut off');
  return { head: bytes.toString('utf8', 4, end), rows: bytes.subarray(end) };
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
