import type { IncomingMessage } from 'node:http';
import { PassThrough, type Readable, Transform } from 'node:stream';
import { createUnzip } from 'node:zlib';
import type { BodyLease } from '../../async/body-budget.js';
import { collectBytes, firstBytes } from '../../async/collect-bytes.js';
import { detached } from '../../async/detached.js';
import { Codes, type Fault, FaultError, fault } from '../../model/fault.js';
import { refusals } from '../../model/refusals.js';
import { isFault } from './auth.js';
import type { AdmittedCall, HandlerContext, KnownCall } from './call.js';

const chunkBytes = 65_536;

/**
 * How many times its own length a long compressed text may inflate to, and from which inflated length on. The text of
 * real rows stays far below it; half a megabyte of gzip would otherwise be 512 MB of line feeds.
 */
const maxInflation = 200;
const freelyInflatedBytes = 16 * 1024 * 1024;

const unreadable = fault('parameter', Codes.invalidContentLength, 'invalid content length');
const notInflatable = fault('parameter', Codes.free, 'request body is not valid gzip or deflate data');

/** A request body that is opened at its first use, and read without a stream of its own where it is all there. */
export class RequestBody {
  readonly #raw: IncomingMessage;
  readonly #layers: number;
  readonly #maxInflatedBytes: number;
  readonly #broken: (failure: Fault) => void;
  #open: OpenBody | undefined;

  /**
   * `layers` of gzip or deflate are unwrapped, to at most so many bytes; `broken` is called when the body is not what
   * its headers promise.
   */
  constructor(raw: IncomingMessage, layers: number, maxInflatedBytes: number, broken: (failure: Fault) => void) {
    this.#raw = raw;
    this.#layers = layers;
    this.#maxInflatedBytes = maxInflatedBytes;
    this.#broken = broken;
  }

  /** All of the body, when its `length` bytes have come; undefined otherwise, and once it was opened. */
  whole(length: number): Buffer | undefined {
    const raw = this.#raw;
    if (this.#layers > 0 || this.#open !== undefined || raw.readableLength !== length) return undefined;
    return readWhole(raw);
  }

  /**
   * The body as it comes, where nothing is to be unwrapped and the stream is unused. Destroying it would close the
   * connection.
   */
  get plain(): Readable | undefined {
    return this.#layers > 0 || this.#open !== undefined ? undefined : this.#raw;
  }

  /** The body as a stream. */
  get stream(): Readable {
    if (this.#open === undefined) {
      this.#open = openBody(this.#raw, this.#layers, this.#maxInflatedBytes);
      detached(this.#open.broken.then(this.#broken));
    }
    return this.#open.stream;
  }

  /** See {@link OpenBody.failure}. */
  failure(): Fault | undefined {
    return this.#open?.failure();
  }

  /** Reads and drops what is left, so that an answer still reaches the client. */
  release(): void {
    if (this.#open !== undefined) this.#open.stream.destroy();
    else if (!this.#raw.readableEnded) this.#raw.resume();
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
 * Opens a body without reading it, unwrapping `layers` of gzip or deflate. Destroying the stream is safe at any time:
 * the rest of the request is then read and dropped, so that an answer still reaches the client. (Destroying the request
 * itself would close the connection.) Errors of the stream are handled here; the reader sees them too.
 */
function openBody(raw: IncomingMessage, layers: number, maxInflatedBytes = Number.POSITIVE_INFINITY): OpenBody {
  const stages: Transform[] = [];
  const unzips = Array.from({ length: layers }, () => createUnzip({ chunkSize: chunkBytes }));
  stages.push(...unzips);
  const [outer] = unzips;
  if (outer === undefined) stages.push(new PassThrough({ highWaterMark: chunkBytes }));
  else if (maxInflatedBytes < Number.POSITIVE_INFINITY) stages.push(atMost(maxInflatedBytes, () => outer.bytesWritten));
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
    last.once('error', (error) => {
      // The reader has enough.
      if (error.name === 'AbortError') return;
      const sender = layers > 0 ? notInflatable : unreadable;
      failure = error instanceof FaultError ? error.fault : sender;
      resolve(failure);
    });
  });
  return { stream: last, broken, failure: () => failure };
}

/**
 * Passes bytes on, and fails where there are more of them, or too many for the compressed bytes that they came from.
 */
function atMost(maxBytes: number, compressedBytes: () => number): Transform {
  let bytes = 0;
  const problem = (): string | undefined => {
    if (bytes > maxBytes) return `the body inflates to more than ${maxBytes} bytes (limits.inflatedBytes)`;
    const isBomb = bytes > freelyInflatedBytes && bytes > maxInflation * compressedBytes();
    return isBomb ? `the body inflates to more than ${maxInflation} times its length` : undefined;
  };
  return new Transform({
    highWaterMark: chunkBytes,
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length;
      const text = problem();
      if (text === undefined) done(null, chunk);
      else done(new FaultError(fault('parameter', Codes.statementTooLong, text)));
    },
  });
}

/**
 * A body that was collected. Its room in the budget is given back by `release`, once nothing holds the bytes any more.
 */
interface CollectedBody {
  readonly bytes: Buffer;
  release(): void;
}

/** How a body is collected. Lengths are those of inflated bytes. */
interface BodyRules {
  readonly maxBytes: number;
  /** Names the body in the fault; a SQL statement when left out. */
  readonly what?: string;
  /** Bodies above a length are for some users only. */
  readonly long?: { readonly fromBytes: number; readonly isFor: (user: string) => boolean };
}

const denied = refusals.permissionDenied;

/**
 * Collects a body of at most `maxBytes` inflated bytes. One that came together with the head is there already; for any
 * other the caller must be known, and room in the budget is waited for before it is read. A longer one is a fault as
 * soon as that is known, and is not kept; what is left of the request is dropped as it comes.
 */
export async function collectBody(
  call: AdmittedCall | KnownCall,
  { bodies, intake }: Pick<HandlerContext, 'bodies' | 'intake'>,
  rules: BodyRules,
): Promise<CollectedBody | Fault> {
  const { layers, aborted } = call;
  const { raw } = call.request;
  const text = raw.headers['content-length'];
  const compressedLength = Number(text ?? 0);
  if (compressedLength > rules.maxBytes) return longBody(rules);
  const length = layers === 0 && text !== undefined ? Number(text) : undefined;
  if (length !== undefined && raw.readableLength === length) return { bytes: readWhole(raw), release: nothing };
  const identity = 'user' in call ? call : await intake.authenticate(call.credentials);
  if (isFault(identity)) return identity;
  const { maxBytes, tooLong } = boundsFor(identity.user, rules);
  if (compressedLength > maxBytes) return tooLong;
  let lease: BodyLease;
  try {
    lease = await bodies.lease(identity.user, length ?? Math.min(firstBytes, maxBytes), aborted);
  } catch (error) {
    return error instanceof FaultError ? error.fault : unreadable;
  }
  const body = layers === 0 ? undefined : openBody(raw, layers);
  const collected = await collectBytes(body?.stream ?? raw, { length, maxBytes, lease, aborted });
  if (Buffer.isBuffer(collected)) return { bytes: collected, release: () => lease.release() };
  lease.release();
  if (collected === 'broken') return body === undefined ? unreadable : await body.broken;
  if (body === undefined) raw.resume();
  else body.stream.destroy();
  return collected === 'too-long' ? tooLong : collected;
}

/** How long a body of a user may be, and the fault of a longer one. */
function boundsFor(user: string, rules: BodyRules): { readonly maxBytes: number; readonly tooLong: Fault } {
  const { maxBytes, long } = rules;
  if (long === undefined || long.isFor(user)) return { maxBytes, tooLong: longBody(rules) };
  return { maxBytes: Math.min(maxBytes, long.fromBytes), tooLong: denied };
}

function longBody({ what = 'SQL statement', maxBytes }: BodyRules): Fault {
  return fault('parameter', Codes.statementTooLong, `${what} too long, the limit is ${maxBytes} bytes`);
}

/** All of a body that has come. */
function readWhole(raw: IncomingMessage): Buffer {
  const bytes: Buffer | null = raw.read();
  // Of a message that is complete, this was the end.
  if (!raw.complete) raw.resume();
  return bytes ?? Buffer.alloc(0);
}

function nothing(): void {}
