import type { Credentials } from '../../model/exchange.js';
import type { Fault } from '../../model/fault.js';
import type { ExactJson } from '../../text/exact-json.js';
import type { HandlerContext } from '../request/call.js';
import type { Arguments } from './arguments.js';

/**
 * What an action gives its client: the members of a text message, to which `code`, `message`, `action`, `req_id` and `timing` are added;
 * a binary message, as it is; or nothing.
 */
export type SocketAnswer = { readonly [name: string]: ExactJson | undefined } | Uint8Array | undefined;

/** One request of a connection. */
export interface SocketRequest {
  readonly action: string;
  /** As the client sent it; 0 is none. */
  readonly requestId: bigint;
  /** Name of the request in logs. */
  readonly id: string;
  /** Time since the message arrived, in ns. */
  elapsedNanos(): bigint;
  /**
   * Keeps the room of the message in memory beyond its request, for an action that holds its bytes. The result gives
   * the room back. Rejects with a FaultError when there is no room.
   */
  keep(): Promise<() => void>;
}

/** A binary message behind its header. */
export interface BinaryMessage {
  /** The whole message; the header takes the first {@link headerBytes}. */
  readonly bytes: Buffer;
  /** Id of a result or a statement. */
  readonly id: bigint;
}

/** Bytes of the header of a binary message: request id, id and action, 64 bits each. */
export const headerBytes = 24;

/** An action of text messages. It throws a FaultError when it refuses. */
export interface TextAction<S> {
  /** Runs before the client has logged in, too. */
  readonly isPublic?: true;
  run(session: S, args: Arguments, request: SocketRequest): Promise<SocketAnswer> | SocketAnswer;
  /** Members that an error carries in addition to its code. */
  readonly errorMembers?: (args: Arguments) => { readonly [name: string]: ExactJson };
}

/** An action of binary messages; see {@link TextAction}. */
export interface BinaryAction<S> {
  /** Name in answers and logs. */
  readonly name: string;
  run(session: S, message: BinaryMessage, request: SocketRequest): Promise<SocketAnswer> | SocketAnswer;
  readonly errorMembers?: (message: BinaryMessage) => { readonly [name: string]: ExactJson };
  /** The binary answer of an error, where clients expect no text. */
  readonly refuse?: (failure: Fault, message: BinaryMessage, request: SocketRequest) => Uint8Array;
}

/** What a client of one path may request: each action is a row. */
export interface SocketProtocol<S extends SocketSession = SocketSession> {
  readonly begin: (link: SocketLink, context: HandlerContext) => S;
  readonly text: ReadonlyMap<string, TextAction<S>>;
  readonly binary: ReadonlyMap<number, BinaryAction<S>>;
}

/** The state of one connection behind its messages. */
export interface SocketSession {
  /** Credentials of the client once it has logged in. */
  readonly credentials: Credentials | undefined;
  /** Called about every second, with the clock of `performance.now()`: frees what has been idle for too long. */
  tick(nowMs: number): void;
  /** Frees everything; called once, when the connection has closed. The service does not stop before it has settled. */
  close(): void | Promise<void>;
}

/** What a session knows of its connection. */
export interface SocketLink {
  /** Address of the client. */
  readonly from: string;
  /** See {@link Credentials}. */
  readonly foreignPage: string | undefined;
  /** The path, with the secrets of its query removed. */
  readonly uri: string;
  /** Fires when the connection has closed. */
  readonly closed: AbortSignal;
  /** Fires when the connection answers what it has begun and then closes, or has closed: requests that wait end. */
  readonly ending: AbortSignal;
  /** Closes the connection once its requests in flight are answered. */
  end(reason: string): void;
}
