import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Delivery } from '../../model/delivery.js';
import type { Outcome } from '../../model/exchange.js';

/** A request of a head that its connection has sent before: its body is all that is looked at. It is answered once, in one of two ways. */
export interface RepeatedRequest {
  readonly body: Buffer;
  /** Name of the request in the logs. */
  readonly id: string;
  /** By `performance.now`. */
  readonly startedMs: number;
  /** Fires when the client goes away before it has its answer. */
  readonly aborted: AbortSignal;
  /** What became of it, where it is answered in full. */
  readonly outcome: Outcome<Delivery> | undefined;
  /** Answers as the request before it with the same head was answered. */
  answer(): void;
  /** Has the server read and answer it, which is told what became of it. */
  answerInFull(outcome: Outcome<Delivery>): void;
}

/** How requests of one head are served, and the answer to the one that was served in full, which had no body. */
export interface Served {
  readonly status: number;
  /** Name of the requests in the logs, where their head has one. */
  readonly requestId: string | undefined;
  /** Headers of the answer, but those that every answer has. */
  readonly headers: Readonly<Record<string, number | string | readonly string[] | undefined>>;
  serve(request: RepeatedRequest): void;
  /** Told when a request is over, unless it is answered in full; 499 is a client that went away. */
  ended(status: number, startedMs: number): void;
}

/** The heads that connections have sent. */
export interface KnownHeads {
  /** Takes note of the head of a request that was answered without a body, so that it counts when it comes again. */
  learn(request: IncomingMessage, response: ServerResponse, served: Served): void;
}
