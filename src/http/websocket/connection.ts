import { setMaxListeners } from 'node:events';
import type { Duplex } from 'node:stream';
import { type RawData, WebSocket } from 'ws';
import type { BodyLease } from '../../async/body-budget.js';
import { detached } from '../../async/detached.js';
import type { Openable } from '../../async/open-list.js';
import { Codes, type Fault, FaultError, fault, faultOf } from '../../model/fault.js';
import { type ExactJson, exactJsonText, parseExactJson } from '../../text/exact-json.js';
import { statusOf } from '../answer/status.js';
import type { HandlerContext } from '../request/call.js';
import { parameterFault, requestIdOf } from '../request/parameters.js';
import { Arguments, isObject } from './arguments.js';
import {
  type BinaryMessage,
  headerBytes,
  type SocketAnswer,
  type SocketLink,
  type SocketProtocol,
  type SocketRequest,
  type SocketSession,
} from './protocol.js';

/** Requests of one connection that run at once; further ones are read when one of them is answered. */
const maxInFlight = 32;
/** Bytes of answers that the client has not read; more are not begun. */
const maxUnsentBytes = 16 * 1024 * 1024;
/** Bytes of a client that has not logged in; the connection is cut at twice as many. */
const maxBytesBeforeLogin = 64 * 1024;
/** Messages up to this length take no room of the budget of bodies, so that a short request always passes. */
const freeBytes = 4 * 1024;
/** Bytes of a message that may come before it gets room. */
const roomlessBytes = 64 * 1024;
/** Bytes of a control frame in front of its data. */
const controlFrameBytes = 6;
/** How long a client may take to log in, how long it may read nothing of its answers, and how long it may be silent, in ms. */
const loginMs = 60_000;
const stuckMs = 60_000;
const silentMs = 90_000;
/** Silence after which the client gets a ping. */
const pingMs = 30_000;

/** Close codes of RFC 6455. */
const closeCodes = { goingAway: 1001, policy: 1008, tryAgainLater: 1013 } as const;

const notLoggedIn = parameterFault('server not connected');
const tooShort = parameterFault('message length is too short');
const noAction = parameterFault('the message must be a JSON object with a text "action" and an object "args"');
const draining = fault('resource', Codes.free, 'service is shutting down');

/** What a connection is made with. */
export interface ConnectionOptions {
  readonly socket: WebSocket;
  /** What carries the frames of the socket. */
  readonly stream: Duplex;
  readonly link: Omit<SocketLink, 'closed' | 'ending' | 'end'>;
  /** The path without its query, as metrics name it. */
  readonly route: string;
  readonly context: HandlerContext;
  /** Called once it has closed. */
  readonly closed: () => void;
}

/** A message that comes. */
class ComingMessage {
  /** Bytes that came. */
  bytes = 0;
  /** Its room in memory; undefined while it has none. */
  lease: BodyLease | undefined;
  /** It is all here. */
  isWhole = false;
}

/** A message that has come. */
interface ReceivedMessage {
  readonly bytes: Buffer;
  /** When it came, by `process.hrtime`. */
  readonly started: bigint;
  /** Its room in memory; undefined while it has none. */
  lease: BodyLease | undefined;
}

/** A request that has come, before it runs. */
interface ReadRequest {
  readonly request: SocketRequest;
  readonly errorMembers: { readonly [name: string]: ExactJson };
  /** Throws a FaultError where the request is refused. */
  readonly run: () => Promise<SocketAnswer> | SocketAnswer;
  readonly isPublic: boolean;
  readonly refuse?: (failure: Fault) => Uint8Array;
}

/** One WebSocket connection: reads requests, runs their actions and answers them, each when it is done. */
export class SocketConnection implements Openable {
  place = -1;
  readonly #socket: WebSocket;
  readonly #route: string;
  readonly #client: string;
  readonly #context: HandlerContext;
  readonly #protocol: SocketProtocol;
  readonly #session: SocketSession;
  readonly #closing = new AbortController();
  readonly #ending = new AbortController();
  readonly #openedMs = performance.now();
  #inFlight = 0;
  #whenAnswered: (() => void) | undefined;
  #isEnding = false;
  #isGivenUp = false;
  #isPinged = false;
  #lastHeardMs = performance.now();
  #lastReadMs = performance.now();
  #unsentBytes = 0;
  /** Bytes that came before the client logged in. */
  #bytesBeforeLogin = 0;
  #coming = new ComingMessage();
  #isWaitingForRoom = false;

  constructor(protocol: SocketProtocol, { socket, stream, link, route, context, closed }: ConnectionOptions) {
    this.#socket = socket;
    this.#route = route;
    this.#client = link.from;
    this.#context = context;
    this.#protocol = protocol;
    // Each request in flight may listen to them.
    setMaxListeners(0, this.#closing.signal, this.#ending.signal);
    const own: SocketLink = {
      ...link,
      closed: this.#closing.signal,
      ending: this.#ending.signal,
      end: (reason) => this.end(reason),
    };
    this.#session = protocol.begin(own, context);
    // Before the library reads them, which holds a message until it is whole.
    stream.prependListener('data', (chunk: Buffer) => this.#came(chunk.length));
    socket.on('message', (data, isBinary) => this.#receive(data, isBinary));
    socket.on('pong', (data) => this.#receivedControl(data));
    socket.on('ping', (data) => this.#receivedControl(data));
    // The library closes the connection by itself behind an error of the protocol.
    socket.on('error', () => undefined);
    socket.once('close', () => {
      this.#closing.abort();
      this.#ending.abort();
      this.#coming.lease?.release();
      detached(this.#close().finally(closed));
    });
  }

  async #close(): Promise<void> {
    await this.#session.close();
  }

  /** Bytes of answers that wait for the client. */
  get unsentBytes(): number {
    return this.#unsentBytes;
  }

  /** Closes the connection once its requests in flight are answered; further ones are refused. */
  end(reason: string): void {
    this.#isEnding = true;
    this.#ending.abort();
    if (this.#inFlight === 0) this.#socket.close(closeCodes.goingAway, reason);
    else this.#whenAnswered = () => this.#socket.close(closeCodes.goingAway, reason);
  }

  /** Cuts the connection at once. */
  cut(): void {
    this.#socket.terminate();
  }

  /** Called about every second: closes what is stuck or not allowed any more. */
  tick(nowMs: number): void {
    const { credentials } = this.#session;
    this.#flow();
    this.#session.tick(nowMs);
    const isStuck = this.#unsentBytes > 0 && nowMs - this.#lastReadMs > stuckMs;
    if (isStuck || this.#isGivenUp) this.cut();
    else if (credentials === undefined) {
      if (nowMs - this.#openedMs > loginMs) this.#socket.close(closeCodes.policy, 'the client has not logged in');
    } else if (!this.#context.intake.mayStay(credentials)) this.#dismiss();
    const silence = nowMs - this.#lastHeardMs;
    if (silence > silentMs && this.#inFlight === 0) this.cut();
    else if (silence > pingMs && !this.#isPinged) {
      this.#isPinged = true;
      this.#socket.ping();
    }
  }

  /** The user was dropped or disabled, or may not call from this address any more. */
  #dismiss(): void {
    this.#isEnding = true;
    this.#socket.close(closeCodes.policy, 'the user may not connect any more');
  }

  #received(): void {
    this.#isPinged = false;
    this.#lastHeardMs = performance.now();
  }

  /** A frame without a message, which the library answers itself. */
  #receivedControl({ length }: Buffer): void {
    this.#coming.bytes -= length + controlFrameBytes;
    this.#received();
  }

  /** Bytes have come: the next message, or a part of it, which needs room when it is long. */
  #came(bytes: number): void {
    const coming = this.#coming;
    coming.bytes += bytes;
    if (this.#session.credentials === undefined) {
      this.#bytesBeforeLogin += bytes;
      if (this.#bytesBeforeLogin > 2 * maxBytesBeforeLogin) this.cut();
      else if (this.#bytesBeforeLogin > maxBytesBeforeLogin) this.#refuseUnknown();
      return;
    }
    const { lease } = coming;
    if (lease !== undefined) lease.received += bytes;
    const isShort = coming.bytes <= (lease?.bytes ?? roomlessBytes);
    if (!isShort && !this.#isWaitingForRoom) detached(this.#makeRoom(coming));
  }

  #refuseUnknown(): void {
    this.#socket.close(closeCodes.policy, 'the client has not logged in');
  }

  /** Room for what has come of a message and for as much again; nothing is read meanwhile. */
  async #makeRoom(coming: ComingMessage): Promise<void> {
    this.#isWaitingForRoom = true;
    this.#flow();
    try {
      const lease = await this.#moreRoom(coming.lease, 2 * coming.bytes);
      lease.giveUp = (reason) => this.#giveUp(reason);
      lease.unread = () => Number(this.#socket.isPaused);
      if (coming.isWhole || this.#closing.signal.aborted) lease.release();
      else coming.lease = lease;
      this.#isWaitingForRoom = false;
      this.#flow();
    } catch (error) {
      if (!this.#closing.signal.aborted) this.#giveUp(faultOf(error));
    }
  }

  /** Closes the connection: there is no room for what it sends. The next tick cuts it, for nothing of it is read any more. */
  #giveUp({ message }: Fault): void {
    this.#isEnding = true;
    this.#isGivenUp = true;
    this.#socket.close(closeCodes.tryAgainLater, message);
  }

  /** Room for so many bytes, which a lease may have in part. Rejects with a FaultError when there is none. */
  async #moreRoom(lease: BodyLease | undefined, bytes: number): Promise<BodyLease> {
    if (lease === undefined) return this.#context.bodies.lease(this.#user, bytes, this.#closing.signal);
    if (bytes > lease.bytes) await lease.more(bytes - lease.bytes, this.#closing.signal);
    else lease.shrink(bytes);
    return lease;
  }

  /** Name of the user in the budget of bodies; empty for a token. */
  get #user(): string {
    const { credentials } = this.#session;
    return credentials?.scheme === 'password' ? credentials.user : '';
  }

  #receive(data: RawData, isBinary: boolean): void {
    this.#received();
    const bytes = Buffer.isBuffer(data) ? data : Array.isArray(data) ? Buffer.concat(data) : Buffer.from(data);
    const coming = this.#coming;
    coming.isWhole = true;
    this.#coming = new ComingMessage();
    // Room that it waits for is not for it any more.
    const lease = this.#isWaitingForRoom ? undefined : coming.lease;
    const message: ReceivedMessage = { bytes, started: process.hrtime.bigint(), lease };
    if (this.#session.credentials === undefined) {
      // A compressed message is longer than what came of it.
      this.#bytesBeforeLogin += Math.max(0, bytes.length - coming.bytes);
      if (this.#bytesBeforeLogin > maxBytesBeforeLogin) {
        this.#refuseUnknown();
        return;
      }
    }
    this.#inFlight++;
    this.#flow();
    this.#context.observer?.begun();
    detached(this.#serve(message, isBinary), (error) => {
      this.#context.log.error({ err: error }, 'A request over WebSocket broke.');
      this.cut();
    });
  }

  async #serve(message: ReceivedMessage, isBinary: boolean): Promise<void> {
    const read = isBinary ? this.#readBinary(message) : this.#readText(message);
    const { request } = read;
    let failure: Fault | undefined;
    let answer: SocketAnswer;
    try {
      if (this.#isEnding) throw new FaultError(draining);
      if (!read.isPublic && this.#session.credentials === undefined) throw new FaultError(notLoggedIn);
      await this.#lease(message);
      answer = await read.run();
    } catch (error) {
      failure = faultOf(error);
      if (!(error instanceof FaultError) && !this.#closing.signal.aborted) {
        this.#context.log.error({ requestId: request.id, action: request.action, err: error }, 'A request failed.');
      }
    } finally {
      message.lease?.release();
    }
    const status = failure === undefined ? 200 : statusOf(failure);
    const seconds = Number(request.elapsedNanos()) / 1e9;
    const ended = { route: this.#route, method: request.action, status, seconds, client: this.#client };
    this.#context.observer?.ended({ ...ended, failed: failure !== undefined });
    if (failure !== undefined) this.#send(this.#errorOf(read, failure));
    else if (answer instanceof Uint8Array) this.#send(answer);
    else if (answer !== undefined) this.#send(answerText(request, 0, '', answer));
    this.#inFlight--;
    if (this.#inFlight === 0) this.#whenAnswered?.();
    this.#flow();
  }

  #errorOf({ request, errorMembers, refuse }: ReadRequest, failure: Fault): string | Uint8Array {
    return refuse?.(failure) ?? answerText(request, failure.code, failure.message, errorMembers);
  }

  /** Room for a message, where the client has logged in; others may send little. A short message needs none. */
  async #lease(message: ReceivedMessage): Promise<void> {
    if (this.#session.credentials === undefined) return;
    const { length } = message.bytes;
    if (message.lease !== undefined || length > freeBytes) message.lease = await this.#moreRoom(message.lease, length);
    message.lease?.ended();
  }

  /** See {@link SocketRequest.keep}. */
  async #keep(message: ReceivedMessage): Promise<() => void> {
    const lease = message.lease ?? (await this.#moreRoom(undefined, message.bytes.length));
    message.lease = undefined;
    lease.ended();
    return () => lease.release();
  }

  #readText(message: ReceivedMessage): ReadRequest {
    const { bytes } = message;
    const requestOf = (action: string, id: bigint, shown?: string) => this.#requestOf(message, action, id, shown);
    const envelope = parseExactJson(bytes.toString('utf8'));
    const members = isObject(envelope) ? envelope : {};
    const { action = '', args = {} } = members;
    const values = isObject(args) ? args : {};
    const name = typeof action === 'string' ? action : '';
    const requestId = idOf(values.req_id) || idOf(members.req_id);
    if (name === '' || !isObject(args ?? {})) return refused(requestOf('', requestId), noAction);
    const row = this.#protocol.text.get(name);
    if (row === undefined) {
      const unknown = parameterFault(`unknown action ${JSON.stringify(name.slice(0, 64))}`);
      return refused(requestOf('unknown', requestId, name), unknown);
    }
    const request = requestOf(name, requestId);
    const read = new Arguments(values);
    const errorMembers = row.errorMembers === undefined ? {} : membersOr(() => row.errorMembers?.(read) ?? {});
    const isPublic = row.isPublic === true;
    return { request, errorMembers, isPublic, run: () => row.run(this.#session, read, request) };
  }

  #readBinary(received: ReceivedMessage): ReadRequest {
    const { bytes } = received;
    if (bytes.length < headerBytes) return refused(this.#requestOf(received, '', 0n), tooShort);
    const [requestId, id, action] = [bytes.readBigUInt64LE(0), bytes.readBigUInt64LE(8), bytes.readBigUInt64LE(16)];
    const row = action < 256n ? this.#protocol.binary.get(Number(action)) : undefined;
    if (row === undefined) {
      const unknown = parameterFault(`unknown binary action ${action}`);
      return refused(this.#requestOf(received, 'unknown', requestId), unknown);
    }
    const request = this.#requestOf(received, row.name, requestId);
    const message: BinaryMessage = { bytes, id };
    const { refuse } = row;
    return {
      request,
      errorMembers: row.errorMembers?.(message) ?? {},
      isPublic: false,
      run: () => row.run(this.#session, message, request),
      ...(refuse === undefined ? {} : { refuse: (failure: Fault) => refuse(failure, message, request) }),
    };
  }

  /** `shown` is the action as the client wrote it, where no action has that name. */
  #requestOf(
    message: ReceivedMessage,
    action: string,
    requestId: bigint,
    shown?: string,
  ): SocketRequest & { readonly shown?: string } {
    return {
      action,
      requestId,
      id: requestIdOf(`?req_id=${requestId}`),
      elapsedNanos: () => process.hrtime.bigint() - message.started,
      keep: () => this.#keep(message),
      ...(shown === undefined ? {} : { shown: shown.slice(0, 64) }),
    };
  }

  #send(message: string | Uint8Array): void {
    if (this.#socket.readyState !== WebSocket.OPEN) return;
    if (this.#unsentBytes === 0) this.#lastReadMs = performance.now();
    const { length } = message;
    this.#unsentBytes += length;
    this.#socket.send(message, () => {
      this.#unsentBytes -= length;
      this.#lastReadMs = performance.now();
      this.#flow();
    });
  }

  /** Reads on, or not: while many requests run, their answers are not read, or memory is short. */
  #flow(): void {
    const socket = this.#socket;
    if (socket.readyState !== WebSocket.OPEN) return;
    const isFull = this.#inFlight >= maxInFlight || this.#unsentBytes > maxUnsentBytes;
    const mayRead = !isFull && !this.#isWaitingForRoom && this.#context.intake.guard() !== 'all-paused';
    if (mayRead && socket.isPaused) socket.resume();
    else if (!mayRead && !socket.isPaused) socket.pause();
  }
}

/** A text answer. */
function answerText(
  { action, requestId, elapsedNanos, ...request }: SocketRequest & { readonly shown?: string },
  code: number,
  message: string,
  members: { readonly [name: string]: ExactJson | undefined },
): string {
  const shown = request.shown ?? action;
  return exactJsonText({ code, message, action: shown, req_id: requestId, timing: elapsedNanos(), ...members });
}

function refused(request: SocketRequest, failure: Fault): ReadRequest {
  const run = (): never => {
    throw new FaultError(failure);
  };
  return { request, errorMembers: {}, isPublic: true, run };
}

/** Members of an error, none where the arguments that they are read from are not right. */
function membersOr(read: () => { readonly [name: string]: ExactJson }): { readonly [name: string]: ExactJson } {
  try {
    return read();
  } catch {
    return {};
  }
}

function idOf(value: ExactJson | undefined): bigint {
  if (typeof value === 'bigint') return BigInt.asUintN(64, value);
  return typeof value === 'number' && Number.isSafeInteger(value) ? BigInt.asUintN(64, BigInt(value)) : 0n;
}
