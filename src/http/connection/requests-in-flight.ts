import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type Openable, OpenList } from '../../async/open-list.js';
import { cutWhenSlow } from './slow-body.js';

/** A request that is not finished yet, as connections are watched over. */
export class RequestInFlight implements Openable {
  readonly raw: IncomingMessage;
  readonly response: ServerResponse;
  /** Called once it is over. */
  ended: () => void = () => undefined;
  /** True when it is answered whether its client is still there or not; set by the handler. */
  outlivesEnd = false;
  /** Its connection speaks another protocol now. */
  isUpgraded = false;
  place = -1;
  #abort: AbortController | undefined;

  constructor(raw: IncomingMessage, response: ServerResponse) {
    this.raw = raw;
    this.response = response;
  }

  /** Fires when the client goes away before it has its answer. */
  get aborted(): AbortSignal {
    if (this.#abort === undefined) {
      this.#abort = new AbortController();
      if (this.response.closed && !this.response.writableFinished) this.#abort.abort();
    }
    return this.#abort.signal;
  }

  get socket(): Socket {
    return this.raw.socket;
  }

  /** True when its answer has begun: nothing else may be written to the connection. */
  get isAnswering(): boolean {
    return this.response.headersSent;
  }

  /** True when all of it has come. */
  get isWhole(): boolean {
    return this.raw.complete;
  }

  /** True when the next move is the client's: it owes bytes of the body, or does not read its answer. */
  isClientsMove(): boolean {
    const { raw, response } = this;
    if (raw.socket.writableLength > 0 || response.writableLength > 0) return true;
    return !raw.complete && raw.readableLength === 0;
  }

  /**
   * Called when its client has closed its half of the connection: it may wait for the answer, or be gone, which interim
   * responses find out. False when the connection must end without an answer. Clients of HTTP/1.0 do not know interim
   * responses, and none can be written while the request before this one is not answered.
   */
  outliveClient(): boolean {
    if (this.outlivesEnd) return true;
    if (this.raw.httpVersion === '1.0' || this.response.socket === null) return false;
    probeUntilAnswered(this.response);
    return true;
  }

  /** Closes the connection behind its answer. */
  beLast(): void {
    this.response.shouldKeepAlive = false;
  }

  /** Called when the connection or the answer has ended. */
  close(): void {
    if (!this.response.writableFinished) this.#abort?.abort();
    this.ended();
  }
}

/** Between two interim responses to a client that may be gone. */
const probeMs = 500;

/**
 * Writes interim responses until the answer begins. A client that is gone resets the connection at the first of them,
 * and the next one breaks it.
 */
function probeUntilAnswered(response: ServerResponse): void {
  if (!response.headersSent) response.writeProcessing();
  const timer = setInterval(() => {
    if (response.headersSent || response.closed) clearInterval(timer);
    else response.writeProcessing();
  }, probeMs);
  timer.unref();
}

/**
 * Requests that one connection may have sent behind one that is not answered; it is cut when there are more of them.
 */
const mostBehind = 128;

/** The requests that are not finished yet: who went away, who is stuck, and whether all are done. */
export class RequestsInFlight {
  draining = false;
  readonly #calls = new OpenList<RequestInFlight>();
  #whenChanged: () => void = () => undefined;
  readonly #answeredMs: number;
  /** Requests that came behind others on their connection, and have not ended. */
  readonly #behind = new WeakMap<Duplex, Set<RequestInFlight>>();
  /** What connections are told behind the answers to the requests before it. */
  readonly #last = new Map<Duplex, () => void>();

  /** `answeredMs` is how often it looks whether the bodies of answered requests still come. */
  constructor(answeredMs: number) {
    this.#answeredMs = answeredMs;
  }

  /** Begins to watch a request; its end is noticed by itself. */
  add(raw: IncomingMessage, response: ServerResponse): RequestInFlight {
    const call = new RequestInFlight(raw, response);
    this.#calls.add(call);
    if (this.draining) call.beLast();
    // The answer to one that came behind another has no connection yet, and does not hear of its end.
    const behind = response.socket === null ? this.#behindOn(raw.socket) : undefined;
    response.on('close', () => {
      behind?.delete(call);
      this.#end(call);
      if (!raw.complete) cutWhenSlow(raw, this.#answeredMs);
    });
    behind?.add(call);
    if (behind !== undefined && behind.size > mostBehind) raw.socket.destroy();
    return call;
  }

  /** The end of a request whose connection speaks another protocol from now on. */
  upgraded(call: RequestInFlight): void {
    call.isUpgraded = true;
    if (this.#remove(call)) call.ended();
  }

  /** Calls back, once per connection, when all requests on it that have come whole are answered. */
  behindOthers(socket: Duplex, last: () => void): void {
    if (this.#last.has(socket)) return;
    if (this.#owesAnswer(socket)) this.#last.set(socket, last);
    else last();
  }

  /** The client of a connection has closed its half: it may still wait for its answers, or be gone. */
  halfClosed(socket: Duplex): void {
    const calls = this.#calls.all().filter((call) => call.socket === socket);
    if (!calls.every((call) => call.outliveClient())) socket.end();
  }

  #owesAnswer(socket: Duplex): boolean {
    return this.#calls.all().some((call) => call.socket === socket && call.isWhole);
  }

  #behindOn(socket: Duplex): Set<RequestInFlight> {
    const known = this.#behind.get(socket);
    if (known !== undefined) return known;
    const calls = new Set<RequestInFlight>();
    this.#behind.set(socket, calls);
    socket.once('close', () => {
      for (const call of calls) if (call.response.socket === null) this.#end(call);
    });
    return calls;
  }

  #end(call: RequestInFlight): void {
    if (this.#remove(call)) call.close();
  }

  /** False when it was removed before. */
  #remove(call: RequestInFlight): boolean {
    if (!this.#calls.delete(call)) return false;
    const last = this.#last.get(call.socket);
    if (last !== undefined && !this.#owesAnswer(call.socket)) {
      this.#last.delete(call.socket);
      last();
    }
    this.#whenChanged();
    return true;
  }

  /** True when an answer has begun on a connection: nothing else may be written to it. */
  answering(socket: Duplex): boolean {
    return this.#calls.all().some((call) => call.socket === socket && call.isAnswering);
  }

  /**
   * Judges a connection that was silent for the idle span: true when the next move is the client's. It is the service's
   * own while it works on an answer, or while body bytes wait here unread. Half a request behind one that it works on
   * changes nothing.
   */
  clientIsStuck(socket: Duplex): boolean {
    return this.#calls.all().every((call) => call.socket !== socket || call.isClientsMove());
  }

  /**
   * Resolves when no request is open. Answers that have not begun tell their client to close; `closeIdle` is called as
   * connections fall idle.
   */
  drain(closeIdle: () => void): Promise<void> {
    this.draining = true;
    for (const call of this.#calls.all()) call.beLast();
    return new Promise((resolve) => {
      this.#whenChanged = () => {
        closeIdle();
        if (this.#calls.size === 0) resolve();
      };
      this.#whenChanged();
    });
  }
}
