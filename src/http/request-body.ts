import { IncomingMessage } from 'node:http';
import { PassThrough, type Readable, type Transform } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { Codes, type Fault, fault } from '../model/fault.js';

const chunkBytes = 65_536;

const unreadable = fault('parameter', Codes.invalidContentLength, 'invalid content length');
const notGzip = fault('parameter', Codes.free, 'request body is not valid gzip data');

/** A request body that is opened when it is first asked for, and read without a stream of its own where it is all there. */
export class RequestBody {
  readonly #raw: IncomingMessage;
  readonly #layers: number;
  #open: OpenBody | undefined;
  #tell: (found: Fault) => void = () => {};
  /** See {@link OpenBody.broken}. */
  readonly broken: Promise<Fault>;

  /** `layers` of gzip are unwrapped. */
  constructor(raw: IncomingMessage, layers: number) {
    this.#raw = raw;
    this.#layers = layers;
    this.broken = new Promise((resolve) => {
      this.#tell = resolve;
    });
  }

  /** All of the body, when its `length` bytes have come; undefined otherwise, and once it was opened. */
  whole(length: number): Buffer | undefined {
    const raw = this.#raw;
    if (this.#layers > 0 || this.#open !== undefined || raw.readableLength !== length) return undefined;
    const bytes: Buffer | null = raw.read();
    raw.resume();
    return bytes ?? Buffer.alloc(0);
  }

  /** The body as a stream. */
  get stream(): Readable {
    if (this.#open === undefined) {
      this.#open = openBody(this.#raw, this.#layers);
      void this.#open.broken.then(this.#tell);
    }
    return this.#open.stream;
  }

  /** See {@link OpenBody.failure}. */
  failure(): Fault | undefined {
    return this.#open?.failure();
  }

  /** Reads and drops what is left, so that an answer still reaches the client. */
  release(): void {
    if (this.#open === undefined) this.#raw.resume();
    else this.#open.stream.destroy();
  }
}

/** A request body on its way to a pipeline. */
interface OpenBody {
  readonly stream: Readable;
  /** Resolves when the body turns out not to be what its headers promise; never on a sound body. */
  readonly broken: Promise<Fault>;
  /** The same fault without waiting, or undefined while nothing is wrong. */
  failure(): Fault | undefined;
}

/**
 * Opens a body without reading it, unwrapping `layers` of gzip. Destroying the stream is safe at any time: the rest of
 * the request is then read and dropped, so that an answer still reaches the client. (Destroying the request itself would
 * close the connection.) Errors of the stream are handled here; the reader sees them too.
 */
function openBody(raw: IncomingMessage, layers: number): OpenBody {
  const stages: Transform[] = [];
  for (let layer = 0; layer < layers; layer++) stages.push(createGunzip({ chunkSize: chunkBytes }));
  if (layers === 0) stages.push(new PassThrough({ highWaterMark: chunkBytes }));
  let stream: Readable = raw;
  for (const stage of stages) {
    stream.once('error', (error) => stage.destroy(error));
    stream.pipe(stage);
    stream = stage;
  }
  const cut = (): void => {
    if (!raw.complete) stages[0]?.destroy(new Error('The client went away before its request was complete.'));
  };
  if (raw.closed) setImmediate(cut);
  else raw.once('close', cut);
  const last = stream;
  last.once('close', () => {
    for (const stage of stages) stage.destroy();
    raw.unpipe();
    raw.resume();
  });
  let failure: Fault | undefined;
  const broken = new Promise<Fault>((resolve) => {
    last.once('error', () => {
      failure = layers > 0 ? notGzip : unreadable;
      resolve(failure);
    });
  });
  return { stream: last, broken, failure: () => failure };
}

/**
 * Collects a body of at most `maxBytes` inflated bytes; `what` names it in the fault. A longer one is a fault as soon as that is known, and is not
 * kept; what is left of the request is dropped as it comes.
 */
export async function collectBody(
  raw: IncomingMessage,
  layers: number,
  maxBytes: number,
  what = 'SQL statement',
): Promise<Buffer | Fault> {
  const tooLong = fault('parameter', Codes.statementTooLong, `${what} too long, the limit is ${maxBytes} bytes`);
  if (Number(raw.headers['content-length'] ?? 0) > maxBytes) return tooLong;
  const body = layers === 0 ? undefined : openBody(raw, layers);
  const stream = body?.stream ?? raw;
  const collected = await collect(stream, maxBytes);
  if (collected === 'too-long') {
    if (body === undefined) raw.resume();
    else body.stream.destroy();
    return tooLong;
  }
  if (collected === 'broken') return body === undefined ? unreadable : await body.broken;
  return collected;
}

async function collect(stream: Readable, maxBytes: number): Promise<Buffer | 'too-long' | 'broken'> {
  if (stream instanceof IncomingMessage && stream.readableLength === Number(stream.headers['content-length'])) {
    // All of it came together with the head.
    const body: Buffer | null = stream.read();
    stream.resume();
    return body ?? Buffer.alloc(0);
  }
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const finish = (result: Buffer | 'too-long' | 'broken') => {
      stream.off('data', take).off('end', end).off('close', cut);
      resolve(result);
    };
    const take = (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > maxBytes) finish('too-long');
      else chunks.push(chunk);
    };
    const end = () => finish(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks));
    const cut = () => finish('broken');
    stream.on('data', take).once('end', end).once('error', cut).once('close', cut);
  });
}
