import { randomBytes } from 'node:crypto';
import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { Writable } from 'node:stream';
import { createGzip } from 'node:zlib';
import { exceptionReply } from '../connection/exception.js';

/**
 * Result bytes that are buffered before the head is sent: a shorter result is sent whole, and an early error with its
 * status.
 */
const holdBytes = 65_536;
/** The same when the client requested `wait_end_of_query`. */
const holdToEndBytes = 64 * 1024 * 1024;

/** Metrics of a statement, as the summary header shows them. */
export interface Summary {
  readonly readRows: number;
  readonly readBytes: number;
  readonly writtenRows: number;
  readonly elapsedSeconds: number;
}

/** Value of the summary header; all values are text, as the engine prints them. */
function summaryText(summary: Summary): string {
  return JSON.stringify({
    read_rows: String(summary.readRows),
    read_bytes: String(summary.readBytes),
    written_rows: String(summary.writtenRows),
    written_bytes: summary.writtenRows > 0 ? String(summary.readBytes) : '0',
    total_rows_to_read: '0',
    result_rows: String(summary.writtenRows),
    result_bytes: '0',
    elapsed_ns: String(Math.round(summary.elapsedSeconds * 1e9)),
  });
}

/** How a reply is made. */
interface ReplyOptions {
  readonly headers: OutgoingHttpHeaders;
  readonly gzip: boolean;
  readonly waitForEnd: boolean;
  /** Called when the client has caught up after {@link Reply.write} returned false. */
  readonly onReady: () => void;
}

/**
 * One response. Until the head is sent, an error still gets its own status. Later it can only be shown by aborting the
 * body after a block that names it (`X-ClickHouse-Exception-Tag`), so that a partial result does not look complete.
 */
export class Reply {
  readonly #response: ServerResponse;
  readonly #options: ReplyOptions;
  /** Generated on first use: most responses are sent whole. */
  #drawnTag: string | undefined;
  #held: Buffer[] = [];
  #heldBytes = 0;
  #out: Writable | undefined;
  #ended = false;

  constructor(response: ServerResponse, options: ReplyOptions) {
    this.#response = response;
    this.#options = options;
  }

  get #tag(): string {
    this.#drawnTag ??= randomBytes(8).toString('hex');
    return this.#drawnTag;
  }

  /** Sends a piece of the result; after false the caller waits for `onReady`. */
  write(piece: Buffer): boolean {
    if (this.#ended || this.#response.destroyed) return true;
    if (this.#out !== undefined) return this.#send(this.#out, piece);
    this.#held.push(piece);
    this.#heldBytes += piece.length;
    if (this.#heldBytes < (this.#options.waitForEnd ? holdToEndBytes : holdBytes)) return true;
    const out = this.#begin(undefined);
    return this.#send(out, this.#takeHeld());
  }

  /** Ends a successful result, with its last piece. */
  end(summary: Summary, piece?: Buffer): void {
    if (this.#ended || this.#response.destroyed) return;
    this.#ended = true;
    if (piece !== undefined) this.#held.push(piece);
    if (this.#out === undefined && !this.#options.gzip) {
      const body = this.#takeHeld();
      this.#response.writeHead(200, {
        ...this.#options.headers,
        'X-ClickHouse-Summary': summaryText(summary),
        'Content-Length': body.length,
      });
      this.#response.end(body);
      return;
    }
    const out = this.#out ?? this.#begin(summary);
    out.end(this.#takeHeld());
  }

  /** Ends with an error. */
  fail(error: unknown): void {
    if (this.#ended || this.#response.destroyed) return;
    this.#ended = true;
    this.#held = [];
    const { code, status, text } = exceptionReply(error);
    if (this.#out !== undefined) this.#abort(this.#out, text);
    else sendException(this.#response, this.#options.headers, code, status, text);
  }

  #abort(out: Writable, text: string): void {
    const message = `${text}\n`;
    const block = `\r\n__exception__\r\n${this.#tag}\r\n${message}${Buffer.byteLength(message)} ${this.#tag}\r\n__exception__\r\n`;
    const response = this.#response;
    if (out === response) {
      response.write(block, () => response.socket?.destroySoon());
      return;
    }
    out.removeAllListeners('end');
    out.once('end', () => response.write('', () => response.socket?.destroySoon()));
    out.end(block);
  }

  #begin(summary: Summary | undefined): Writable {
    const response = this.#response;
    const none = { readRows: 0, readBytes: 0, writtenRows: 0, elapsedSeconds: 0 };
    response.writeHead(200, {
      ...this.#options.headers,
      'X-ClickHouse-Summary': summaryText(summary ?? none),
      'X-ClickHouse-Exception-Tag': this.#tag,
      ...(this.#options.gzip ? { 'Content-Encoding': 'gzip', Vary: 'Accept-Encoding' } : {}),
    });
    if (!this.#options.gzip) {
      this.#out = response;
      response.on('drain', this.#options.onReady);
      return response;
    }
    const gzip = createGzip({ level: 1 });
    gzip.on('drain', this.#options.onReady);
    gzip.on('data', (piece: Buffer) => {
      if (!response.write(piece)) gzip.pause();
    });
    response.on('drain', () => gzip.resume());
    gzip.on('end', () => response.end());
    this.#out = gzip;
    return gzip;
  }

  #send(out: Writable, piece: Buffer): boolean {
    return out.write(piece);
  }

  #takeHeld(): Buffer {
    const held = this.#held;
    this.#held = [];
    this.#heldBytes = 0;
    const [only] = held;
    return held.length === 1 && only !== undefined ? only : Buffer.concat(held);
  }
}

/** Responds with an exception; the head must not be sent yet. */
export function sendException(
  response: ServerResponse,
  headers: OutgoingHttpHeaders,
  code: number,
  status: number,
  text: string,
): void {
  const body = Buffer.from(`${text}\n`);
  response.writeHead(status, {
    ...headers,
    'Content-Type': 'text/plain; charset=UTF-8',
    'X-ClickHouse-Exception-Code': String(code),
    ...(status === 401 ? { 'WWW-Authenticate': 'Basic realm="ClickHouse server HTTP API"' } : {}),
    'Content-Length': body.length,
  });
  response.end(body);
}
