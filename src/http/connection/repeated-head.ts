import type { IncomingMessage, ServerResponse } from 'node:http';
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Served } from '../request/repeated.js';

/** Longest length of a body, in digits, that is looked for in a head. */
const mostDigits = 8;
const [lineEnd, digitZero, digitNine] = ['\r\n', 0x30, 0x39];

/** The head of a request that was answered, as it came, with the length of its body cut out, and the head of its answer. */
export interface RepeatedHead {
  /** How a request that has this head is served. */
  readonly served: Served;
  /** Status line and headers of the answer, without those that every answer has. */
  readonly answer: string;
  readonly before: Buffer;
  readonly behind: Buffer;
}

/**
 * The head of a request that came as one chunk together with its body, the answer of which has no body; undefined where the chunk is anything but
 * that request as the runtime's parser read it, to the byte. So whoever finds the same bytes again, with another length of the body, behind
 * the end of a request knows what the parser would read: there is no second reading of HTTP here.
 */
export function headOf(
  chunk: Buffer,
  request: IncomingMessage,
  response: ServerResponse,
  served: Served,
): RepeatedHead | undefined {
  if (request.httpVersion !== '1.1' || !response.shouldKeepAlive) return undefined;
  const { rawHeaders } = request;
  let text = `${request.method} ${request.url} HTTP/1.1${lineEnd}`;
  let [lengthAt, length] = [0, ''];
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const [name = '', value = ''] = [rawHeaders[at], rawHeaders[at + 1]];
    text += `${name}: `;
    if (name.toLowerCase() === 'content-length') [lengthAt, length] = [text.length, value];
    text += `${value}${lineEnd}`;
  }
  text += lineEnd;
  if (lengthAt === 0 || length.length > mostDigits || chunk.length !== text.length + Number(length)) return undefined;
  if (chunk.toString('latin1', 0, text.length) !== text) return undefined;
  return {
    served,
    answer: answerOf(served),
    before: Buffer.from(text.slice(0, lengthAt), 'latin1'),
    behind: Buffer.from(text.slice(lengthAt + length.length), 'latin1'),
  };
}

function answerOf({ status, headers }: Served): string {
  let text = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}${lineEnd}`;
  for (const name in headers) {
    const value = headers[name];
    for (const one of Array.isArray(value) ? value : [value]) text += `${name}: ${one}${lineEnd}`;
  }
  return text;
}

/** The body of a request that is all of a chunk and has this head; undefined for everything else. */
export function bodyBehind({ before, behind }: RepeatedHead, chunk: Buffer): Buffer | undefined {
  if (chunk.length < before.length || before.compare(chunk, 0, before.length) !== 0) return undefined;
  let [at, length] = [before.length, 0];
  for (const end = at + mostDigits; at < end; at++) {
    const digit = chunk[at] ?? 0;
    if (digit < digitZero || digit > digitNine) break;
    length = length * 10 + digit - digitZero;
  }
  const begin = at + behind.length;
  if (at === before.length || chunk.length !== begin + length || behind.compare(chunk, at, begin) !== 0)
    return undefined;
  return chunk.subarray(begin);
}

type Listener = (chunk: Buffer) => void;

/**
 * Puts a listener in the place of the one by which the runtime's HTTP server reads a connection, and gives that one; undefined where there is
 * not just one. From then on the parser no longer takes bytes from the socket itself.
 */
export function interceptData(socket: Socket, listener: Listener): Listener | undefined {
  const [parser, ...others] = socket.listeners('data');
  if (parser === undefined || others.length > 0) return undefined;
  socket.on('data', listener);
  socket.off('data', parser as Listener);
  return (chunk) => parser.call(socket, chunk);
}

/** The same for the listener by which the server notices that the client has closed its half; undefined where there is none. */
export function interceptEnd(socket: Socket, listener: () => void): (() => void) | undefined {
  const ofServer = socket.listeners('end').find(({ name }) => name === 'bound socketOnEnd');
  if (ofServer === undefined) return undefined;
  socket.on('end', listener);
  socket.off('end', ofServer as () => void);
  return () => ofServer.call(socket);
}
