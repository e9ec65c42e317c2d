import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { Codes } from '../../model/fault.js';
import { errorBody, jsonType } from '../answer/reply.js';

/** Error of the platform about bytes that are no request. */
interface RequestError extends Error {
  readonly code?: string;
  readonly reason?: string;
}

interface Answer {
  readonly status: string;
  readonly code: number;
  readonly text: string;
}

/** The parser says what is malformed, such as a line of the head that ends with LF alone. */
function malformedFor({ reason = '' }: RequestError): Answer {
  const text = `malformed HTTP request${reason === '' ? '' : `: ${reason}`}`;
  return { status: '400 Bad Request', code: Codes.free, text };
}

const badLength: Answer = {
  status: '400 Bad Request',
  code: Codes.invalidContentLength,
  text: 'invalid content length',
};

/** Answers to bytes that are no request, by the code of the platform's parser. */
const answers: Readonly<Record<string, Answer>> = {
  HPE_HEADER_OVERFLOW: {
    status: '431 Request Header Fields Too Large',
    code: Codes.free,
    text: 'request headers are too large',
  },
  ERR_HTTP_REQUEST_TIMEOUT: { status: '408 Request Timeout', code: Codes.free, text: 'request took too long' },
  HPE_INVALID_CONTENT_LENGTH: badLength,
  HPE_UNEXPECTED_CONTENT_LENGTH: badLength,
  TINY_PIECES: {
    status: '400 Bad Request',
    code: Codes.free,
    text: 'the body comes in too many tiny pieces: send at least 16 bytes in each chunk, on average',
  },
  // The connection ended before the announced length.
  HPE_INVALID_EOF_STATE: badLength,
};

/**
 * Answers a connection that cannot go on as HTTP, and closes it; `answering` means that an answer has begun already.
 */
export function answerMalformed(error: RequestError, socket: Duplex, answering: boolean): void {
  if (error.code === 'ECONNRESET' || answering || !socket.writable) {
    socket.destroy();
    return;
  }
  const { status, code, text } = answers[error.code ?? ''] ?? malformedFor(error);
  const body = errorBody(code, text);
  const head = [
    `HTTP/1.1 ${status}`,
    `Content-Type: ${jsonType}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy());
}

/** Answers a request that expects something else than 100-continue; the platform would do so without a body. */
export function refuseExpectation(_request: IncomingMessage, response: ServerResponse): void {
  const body = errorBody(Codes.free, 'the only expectation that is met is Expect: 100-continue');
  response.writeHead(417, { 'content-type': jsonType, 'content-length': Buffer.byteLength(body) }).end(body);
}
