import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Delivery } from '../../model/delivery.js';
import type { Outcome } from '../../model/exchange.js';
import { requestIdOf } from '../request/parameters.js';
import type { KnownHeads, RepeatedRequest, Served } from '../request/repeated.js';
import type { OpenCalls, Watched } from './open-calls.js';
import { bodyBehind, headOf, interceptData, interceptEnd, type RepeatedHead } from './repeated-head.js';

/** Heads of a connection that are known at once. */
const mostHeads = 4;
/** Heads in a row of which none came again: the connection's heads are no longer looked at. */
const mostInVain = 16;
const second = 1_000;

/** Context of the connections. */
interface Context {
  readonly open: OpenCalls;
  /** False while every request has to be looked at in full. */
  readonly mayServe: () => boolean;
  /** Silence between two requests on one connection, as answers name it. */
  readonly keepAliveMs: number;
}

/**
 * The heads that senders repeat. Most senders of writes say the same head with every request, and only the body differs: such a request was
 * routed, let in and understood before, so that its body is all that is looked at. Whatever differs from that goes to the runtime's server. See
 * docs/decisions/043.
 */
export class RepeatedHeads implements KnownHeads {
  /** Requests that are open, of which the runtime's server does not know. */
  open = 0;
  readonly #context: Context;
  readonly #connections = new WeakMap<Socket, Connection>();

  constructor(context: Context) {
    this.#context = context;
  }

  /**
   * Takes note of a request that the server begins. Gives the one that it stands for, when that was begun by its body and has to be answered in
   * full.
   */
  begun(request: IncomingMessage): RepeatedRequest | undefined {
    return this.#connections.get(request.socket)?.begun(request);
  }

  learn(request: IncomingMessage, response: ServerResponse, served: Served): void {
    const { socket } = request;
    const connection = this.#connections.get(socket);
    if (connection !== undefined) connection.learn(request, response, served);
    // A connection that is paused would not be read on: the runtime's server forgets to, once others read along.
    else if (!socket.destroyed && !socket.isPaused())
      this.#connections.set(socket, new Connection(socket, this, this.#context));
  }
}

/** One connection, the chunks of which come here before they go to the server. */
class Connection {
  readonly socket: Socket;
  readonly heads: RepeatedHeads;
  readonly context: Context;
  readonly #known: RepeatedHead[] = [];
  readonly #toServer: ((chunk: Buffer) => void) | undefined;
  readonly #endToServer: (() => void) | undefined;
  #hasEnded = false;
  #inVain = 0;
  /** The chunk that the server reads now. */
  #chunk: Buffer | undefined;
  /** The last request, and its chunk, when nothing came behind it. */
  #last: { readonly request: IncomingMessage; readonly chunk: Buffer } | undefined;
  /** The answer to the last request, where the next chunk begins another one for certain. */
  #boundary: ServerResponse | undefined;
  #current: HeadlessRequest | undefined;
  #resumed: RepeatedRequest | undefined;
  /** A chunk that came before the request was answered. */
  #held: Buffer | undefined;

  constructor(socket: Socket, heads: RepeatedHeads, context: Context) {
    this.socket = socket;
    this.heads = heads;
    this.context = context;
    this.#toServer = interceptData(socket, (chunk) => this.#take(chunk));
    this.#endToServer = interceptEnd(socket, () => {
      this.#hasEnded = true;
      this.#end();
    });
    socket.once('close', () => this.#current?.cut());
  }

  begun(request: IncomingMessage): RepeatedRequest | undefined {
    if (this.#chunk !== undefined) this.#last = { request, chunk: this.#chunk };
    return this.#resumed;
  }

  learn(request: IncomingMessage, response: ServerResponse, served: Served): void {
    if (this.#last?.request !== request || this.#inVain > mostInVain) return;
    const head = headOf(this.#last.chunk, request, response, served);
    if (head === undefined) return;
    this.#inVain++;
    this.#boundary = response;
    if (this.#known.unshift(head) > mostHeads) this.#known.pop();
  }

  #take(chunk: Buffer): void {
    if (this.#current !== undefined) {
      this.#held = chunk;
      this.socket.pause();
    } else if (!this.#isServed(chunk)) this.#giveServer(chunk);
  }

  /** True when a chunk is a request of a known head, which is served by its body. */
  #isServed(chunk: Buffer): boolean {
    const { socket, context } = this;
    if (this.#boundary?.writableFinished !== true || socket.writableLength > 0 || !context.mayServe()) return false;
    for (const head of this.#known) {
      const body = bodyBehind(head, chunk);
      if (body === undefined) continue;
      this.#inVain = 0;
      this.#current = new HeadlessRequest(this, head, chunk, body);
      this.#current.begin();
      return true;
    }
    return false;
  }

  #giveServer(chunk: Buffer): void {
    this.#boundary = undefined;
    this.#last = undefined;
    this.#chunk = chunk;
    this.#toServer?.(chunk);
    this.#chunk = undefined;
  }

  /** The client sends nothing more: the server is told once no request is in flight of which it does not know. */
  #end(): void {
    if (this.#current === undefined) this.#endToServer?.();
    else this.#current.beLast();
  }

  /** A request has ended. With a chunk, the server answers it. */
  ended(request: HeadlessRequest, chunk?: Buffer): void {
    const { socket } = this;
    this.#current = undefined;
    if (chunk !== undefined && socket.writable) {
      this.#resumed = request;
      this.#giveServer(chunk);
      this.#resumed = undefined;
    }
    if (this.#hasEnded) this.#end();
    const held = this.#held;
    if (held === undefined) return;
    this.#held = undefined;
    if (socket.writable) this.#take(held);
    // The chunk that was held may be a request that is in flight now; the one behind it is held in its place.
    socket.resume();
  }
}

class HeadlessRequest implements RepeatedRequest, Watched {
  place = -1;
  readonly isAnswering = false;
  readonly isWhole = true;
  readonly outlivesEnd = true;
  readonly body: Buffer;
  readonly startedMs = performance.now();
  #id: string | undefined;
  outcome: Outcome<Delivery> | undefined;
  readonly #connection: Connection;
  readonly #head: RepeatedHead;
  readonly #chunk: Buffer;
  #isLast = false;
  #abort: AbortController | undefined;

  constructor(connection: Connection, head: RepeatedHead, chunk: Buffer, body: Buffer) {
    this.#connection = connection;
    this.#head = head;
    this.#chunk = chunk;
    this.body = body;
  }

  get socket(): Socket {
    return this.#connection.socket;
  }

  get aborted(): AbortSignal {
    this.#abort ??= new AbortController();
    if (this.socket.destroyed) this.#abort.abort();
    return this.#abort.signal;
  }

  get id(): string {
    this.#id ??= this.#head.served.requestId ?? requestIdOf(undefined);
    return this.#id;
  }

  isClientsMove(): boolean {
    return false;
  }

  beLast(): void {
    this.#isLast = true;
  }

  begin(): void {
    const { heads, context } = this.#connection;
    heads.open++;
    context.open.begin(this);
    try {
      this.#head.served.serve(this);
    } catch {
      // A mistake in the program, which the server meets again, reports and answers.
      this.answerInFull(undefined);
    }
  }

  answer(): void {
    const { socket, context } = this.#connection;
    const { answer, served } = this.#head;
    if (!socket.writable) this.cut();
    else if (this.#isLast) {
      socket.end(`${answer}${dateLine()}Connection: close\r\n\r\n`, 'latin1', () => this.#over(served.status));
    } else {
      const seconds = Math.floor(context.keepAliveMs / second);
      socket.write(`${answer}${dateLine()}Connection: keep-alive\r\nKeep-Alive: timeout=${seconds}\r\n\r\n`, 'latin1');
      this.#over(served.status);
    }
  }

  answerInFull(outcome: Outcome<Delivery> | undefined): void {
    if (!this.#isEnded()) return;
    this.outcome = outcome;
    this.#connection.ended(this, this.#chunk);
  }

  /** The client went away. */
  cut(): void {
    this.#abort?.abort();
    this.#over(499);
  }

  #over(status: number): void {
    if (!this.#isEnded()) return;
    this.#head.served.ended(status, this.startedMs);
    this.#connection.ended(this);
  }

  /** Ends it for those that watch; false when it had ended. */
  #isEnded(): boolean {
    if (this.place < 0) return false;
    this.#connection.heads.open--;
    return this.#connection.context.open.end(this);
  }
}

let [dateSecond, dateText] = [0, ''];

/** The header of the time, as every answer has it. */
function dateLine(): string {
  const now = Math.floor(Date.now() / second);
  if (now !== dateSecond) [dateSecond, dateText] = [now, `Date: ${new Date(now * second).toUTCString()}\r\n`];
  return dateText;
}
