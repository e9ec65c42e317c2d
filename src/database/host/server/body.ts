import type { IncomingMessage } from 'node:http';
import { pipeline, type Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { reasonOf } from '../../../model/fault.js';
import { EngineException } from '../connection/exception.js';

/** The bytes of a request body, unpacked. */
interface RequestBody {
  readonly pieces: AsyncIterable<Buffer>;
  /** Length when it is known before reading. */
  readonly length: number | undefined;
}

/** Opens a request's body. @throws EngineException for a content coding that is not offered. */
export function openBody(request: IncomingMessage): RequestBody {
  const coding = (request.headers['content-encoding'] ?? 'identity').toLowerCase();
  if (coding === 'identity' || coding === '') {
    const declared = request.headers['content-length'];
    return { pieces: piecesOf(request), length: declared === undefined ? undefined : Number(declared) };
  }
  const unpack = unpackerOf(coding);
  // The error reaches the reader of the unpacked side.
  pipeline(request, unpack, () => {});
  return { pieces: piecesOf(unpack), length: undefined };
}

function unpackerOf(coding: string): NodeJS.ReadWriteStream & Readable {
  if (coding === 'gzip' || coding === 'x-gzip') return createGunzip();
  if (coding === 'deflate') return createInflate();
  if (coding === 'br') return createBrotliDecompress();
  throw new EngineException(48, 'NOT_IMPLEMENTED', `Content-Encoding ${coding} is not offered here; use gzip`);
}

/** Pieces of a byte stream; a broken or cut off body throws an exception in the engine's terms. */
async function* piecesOf(stream: Readable): AsyncGenerator<Buffer> {
  try {
    for await (const piece of stream) if (Buffer.isBuffer(piece)) yield piece;
  } catch (error) {
    const reason = reasonOf(error);
    throw new EngineException(33, 'CANNOT_READ_ALL_DATA', `The request body cannot be read: ${reason}`);
  }
}

/** The start of a body, and what is left of it. */
interface BodyStart {
  readonly bytes: Buffer;
  readonly ended: boolean;
  readonly rest: AsyncIterable<Buffer>;
}

/** Reads until at least `atLeast` bytes are there or the body ends. */
export async function readStart(pieces: AsyncIterable<Buffer>, atLeast: number): Promise<BodyStart> {
  const iterator = pieces[Symbol.asyncIterator]();
  const taken: Buffer[] = [];
  let length = 0;
  let ended = false;
  while (length < atLeast && !ended) {
    const next = await iterator.next();
    if (next.done === true) ended = true;
    else {
      taken.push(next.value);
      length += next.value.length;
    }
  }
  const [only] = taken;
  const bytes = taken.length === 1 && only !== undefined ? only : Buffer.concat(taken);
  return { bytes, ended, rest: { [Symbol.asyncIterator]: () => iterator } };
}

/** Fields of a `multipart/form-data` body (RFC 7578); files are refused. */
export function readForm(contentType: string, body: Buffer): Map<string, string> {
  const boundary = /boundary="?([^";]+)"?/i.exec(contentType)?.[1];
  const fields = new Map<string, string>();
  if (boundary === undefined) return fields;
  const mark = Buffer.from(`\r\n--${boundary}`);
  const text = Buffer.concat([Buffer.from('\r\n'), body]);
  for (let at = text.indexOf(mark); at >= 0; ) {
    const start = at + mark.length;
    const end = text.indexOf(mark, start);
    if (end < 0) break;
    addField(text.subarray(start, end), fields);
    at = end;
  }
  return fields;
}

function addField(part: Buffer, fields: Map<string, string>): void {
  const split = part.indexOf('\r\n\r\n');
  if (split < 0) return;
  const head = part.subarray(0, split).toString('utf8');
  const name = /;\s*name="([^"]*)"/i.exec(head)?.[1];
  if (name === undefined) return;
  if (/;\s*filename=/i.test(head)) {
    throw new EngineException(48, 'NOT_IMPLEMENTED', 'External tables are not offered here');
  }
  fields.set(name, part.subarray(split + 4).toString('utf8'));
}
